import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { described, maybe, optionalEnum, textOrEmpty } from './scalars.ts';

/** A member of a project, or a pending invitation (spec 2.10). */
export const User = objectOf({
  id: described(textOrEmpty, 'user or invitation id'),
  projectId: described(maybe.text, 'project'),
  email: described(maybe.text, 'email address'),
  firstName: described(maybe.text, 'first name'),
  lastName: described(maybe.text, 'last name'),
  role: described(maybe.text, 'role in the project (platform value)'),
  status: described(optionalEnum('active', 'invited'), 'active, invited, or another platform value'),
  invitedBy: described(maybe.text, 'who sent the invitation'),
  createdAt: described(maybe.time, 'when they joined or were invited: RFC 3339, UTC'),
  updatedAt: described(maybe.time, 'RFC 3339, UTC'),
});
export type User = v.InferOutput<typeof User>;

/** Invite a user (spec 4.12). The names of roles are not documented, so any role is accepted. */
export const inviteUser = endpoint('POST /v2/projects/{project}/users', {
  body: v.object({ emailAddress: v.string(), role: assumed(v.string()) }),
  reply: replyObject({ success: maybe.boolean }, 'success'),
});

/** Lists members and pending invitations (spec 4.13). */
export const listUsers = endpoint('GET /v2/projects/{project}/users', { reply: listOf(User, 'id') });

/** A service account (spec 2.11). The form of its grants is not documented, so any form is accepted. */
export const ServiceAccount = objectOf({
  id: described(textOrEmpty, 'service account id'),
  name: described(maybe.text, 'name'),
  description: described(maybe.text, 'description'),
  projectId: described(maybe.text, 'project it was created in'),
  createdByUserId: described(maybe.text, 'who created it'),
  createdAt: described(maybe.time, 'RFC 3339, UTC'),
  grants: described(assumed(maybe.items), 'projects it has access to (platform value)'),
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
  reply: objectOf({ serviceAccountId: maybe.text }),
  retryable: true,
});

/** One API key (spec 2.1). `expiresAt` is a time or the word `never`; `principalId` names its service account. */
export const ApiKey = objectOf({
  id: described(textOrEmpty, 'key id'),
  name: described(maybe.text, 'key name'),
  description: described(maybe.text, 'description'),
  apiKey: described(maybe.text, 'the key; null without --show-values'),
  source: described(maybe.text, 'origin (platform value)'),
  status: described(maybe.text, 'status (platform value)'),
  projectId: described(maybe.text, 'project'),
  principalId: described(maybe.text, 'id of its service account'),
  createdAt: described(maybe.time, 'RFC 3339, UTC'),
  updatedAt: described(maybe.time, 'RFC 3339, UTC'),
  expiresAt: described(maybe.time, 'RFC 3339, UTC, or never'),
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

/** Lists API keys, earliest expiry first (spec 4.1). */
export const listApiKeys = endpoint('GET /v2/projects/{project}/api-keys', { reply: listOf(ApiKey, 'id') });
