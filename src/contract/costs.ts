import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { list, object, objectsByName, optionalList, replyObject } from './lists.ts';
import { optionalItems, optionalNumber, optionalRecord, optionalText, optionalTime, textOrEmpty } from './scalars.ts';

/** What an app cost, by day (wire §1b: seen in use, no document shows it). */
export const AppCost = replyObject({ costs: assumed(objectsByName(object({ total_cost_cents: optionalNumber }))) });
export type AppCost = v.InferOutput<typeof AppCost>;

/** What an app cost, by day (wire §1b). */
export const getAppCost = endpoint('GET /v2/projects/{project}/apps/{app}/cost', { reply: AppCost });

/** What a project cost this month, and its coupons: a few of the names were seen, not all (wire §1b). */
export const ProjectCost = replyObject({
  summary: assumed(optionalRecord),
  coupons: assumed(optionalItems),
});
export type ProjectCost = v.InferOutput<typeof ProjectCost>;

/** What a project cost (wire §1b). */
export const getProjectCost = endpoint('GET /v2/projects/{project}/cost', { reply: ProjectCost });

/** An invoice. Its amount is in the smallest unit of its currency: cents, or whole yen (wire §1b). */
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

/** List invoices: as a list, or within an object (wire §1b). */
export const listInvoices = endpoint('GET /v2/projects/{project}/invoices', {
  reply: assumed(
    v.union([list(Invoice, 'id'), replyObject({ invoices: someInvoices, items: someInvoices, data: someInvoices })]),
  ),
});
