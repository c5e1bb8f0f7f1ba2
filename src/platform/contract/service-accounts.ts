import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { optionalItems, optionalText, optionalTime, textOrEmpty } from './scalars.ts';

/** A service account (spec 2.11). The form of its grants is not documented, so any form is accepted. */
export const ServiceAccount = objectOf({
  id: textOrEmpty,
  name: optionalText,
  description: optionalText,
  projectId: optionalText,
  createdByUserId: optionalText,
  createdAt: optionalTime,
  grants: assumed(optionalItems),
});
export type ServiceAccount = v.InferOutput<typeof ServiceAccount>;

/** Lists service accounts (spec 4.14). */
export const listServiceAccounts = endpoint('GET /v2/projects/{project}/service-accounts', {
  reply: replyObject({ serviceAccounts: listOf(ServiceAccount, 'id') }),
});

/** Replaces all grants of a service account with at least one project (spec 4.15). Idempotent. */
export const updateServiceAccount = endpoint('PATCH /v2/projects/{project}/service-accounts/{serviceAccount}', {
  body: v.object({
    grants: v.pipe(v.array(v.string()), v.minLength(1, 'must contain at least one project')),
  }),
  reply: objectOf({ serviceAccountId: optionalText }),
  retryable: true,
});
