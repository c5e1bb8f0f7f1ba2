import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { list, object, objectsByName, optionalList, replyObject } from './lists.ts';
import { optionalItems, optionalNumber, optionalRecord, optionalText, optionalTime, textOrEmpty } from './scalars.ts';

/** The cost of an app by day (not documented). */
export const AppCost = replyObject({ costs: assumed(objectsByName(object({ total_cost_cents: optionalNumber }))) });
export type AppCost = v.InferOutput<typeof AppCost>;

/** Reads the cost of an app by day (docs/platform.md: Costs and invoices). */
export const getAppCost = endpoint('GET /v2/projects/{project}/apps/{app}/cost', { reply: AppCost });

/** The cost of a project this month, and its coupons. Only some of the fields are known. */
export const ProjectCost = replyObject({
  summary: assumed(optionalRecord),
  coupons: assumed(optionalItems),
});
export type ProjectCost = v.InferOutput<typeof ProjectCost>;

/** Reads the cost of a project (docs/platform.md: Costs and invoices). */
export const getProjectCost = endpoint('GET /v2/projects/{project}/cost', { reply: ProjectCost });

/** An invoice. `amountDue` is in the smallest unit of its currency, such as cents or yen. */
export const Invoice = object({
  id: textOrEmpty,
  amountDue: optionalNumber,
  currency: optionalText,
  createdAt: optionalTime,
  paymentStatus: optionalText,
  fileUrl: optionalText,
});
export type Invoice = v.InferOutput<typeof Invoice>;

const someInvoices = optionalList(Invoice, 'id');

/** Lists invoices (docs/platform.md: Costs and invoices). The reply is a list, or an object with one. */
export const listInvoices = endpoint('GET /v2/projects/{project}/invoices', {
  reply: assumed(
    v.union([list(Invoice, 'id'), replyObject({ invoices: someInvoices, items: someInvoices, data: someInvoices })]),
  ),
});
