import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { timestamp } from './scalars.ts';

const optionalText = v.optional(v.nullable(v.string()));

/** What an app cost, by day (wire §1b: seen in use, no document shows it). */
export const AppCost = v.looseObject({
  costs: assumed(
    v.nullable(v.record(v.string(), v.looseObject({ total_cost_cents: v.optional(v.nullable(v.number())) }))),
  ),
});
export type AppCost = v.InferOutput<typeof AppCost>;

/** What an app cost, by day (wire §1b). */
export const getAppCost = endpoint('GET /v2/projects/{project}/apps/{app}/cost', { reply: AppCost });

/** What a project cost this month, and its coupons: a few of the names were seen, not all (wire §1b). */
export const ProjectCost = v.looseObject({
  summary: assumed(v.optional(v.nullable(v.record(v.string(), v.unknown())))),
  coupons: assumed(v.optional(v.nullable(v.array(v.unknown())))),
});
export type ProjectCost = v.InferOutput<typeof ProjectCost>;

/** What a project cost (wire §1b). */
export const getProjectCost = endpoint('GET /v2/projects/{project}/cost', { reply: ProjectCost });

/** An invoice. Its amount is in the smallest unit of its currency: cents, or whole yen (wire §1b). */
export const Invoice = v.looseObject({
  id: v.string(),
  amountDue: v.optional(v.nullable(v.number())),
  currency: optionalText,
  createdAt: v.optional(timestamp),
  paymentStatus: optionalText,
  fileUrl: optionalText,
});
export type Invoice = v.InferOutput<typeof Invoice>;

const someInvoices = v.optional(v.nullable(v.array(Invoice)));

/** List invoices: as a list, or within an object (wire §1b). */
export const listInvoices = endpoint('GET /v2/projects/{project}/invoices', {
  reply: assumed(
    v.union([
      v.array(Invoice),
      v.pipe(
        v.looseObject({ invoices: someInvoices, items: someInvoices, data: someInvoices }),
        v.check((answer) => 'invoices' in answer || 'items' in answer || 'data' in answer, 'holds no invoices'),
      ),
    ]),
  ),
});
