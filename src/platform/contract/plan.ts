import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { objectOf, replyObject } from './lists.ts';
import { optionalBoolean, optionalItems, optionalText } from './scalars.ts';

/** Billing plans, smallest first (spec 4.16). */
export const planCodes = ['hobby', 'standard', 'enterprise'] as const;
export type PlanCode = (typeof planCodes)[number];

/** Changes the plan. `redirectUrl` completes the payment; empty if none is required (spec 4.16). */
export const changePlan = endpoint('PATCH /v2/projects/{project}/subscription', {
  body: v.object({ planCode: v.picklist(planCodes) }),
  reply: objectOf({ redirectUrl: optionalText }),
});

/** Answer of list payment methods (spec 2.12). The fields of a method are not documented. */
export const PaymentMethods = replyObject({
  creditCardBonusClaimed: optionalBoolean,
  methods: assumed(optionalItems),
});
export type PaymentMethods = v.InferOutput<typeof PaymentMethods>;

/** Lists payment methods (spec 4.17). */
export const listPaymentMethods = endpoint('GET /v2/projects/{project}/payment-methods', { reply: PaymentMethods });
