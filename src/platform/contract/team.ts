import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import {
  optionalBoolean,
  optionalEnum,
  optionalItems,
  optionalText,
  optionalTime,
  textOrEmpty,
  told,
} from './scalars.ts';

/** A member of a project, or a pending invitation (spec 2.10). */
export const User = objectOf({
  id: told(textOrEmpty, 'user or invitation id'),
  projectId: told(optionalText, 'project'),
  email: told(optionalText, 'email address'),
  firstName: told(optionalText, 'first name'),
  lastName: told(optionalText, 'last name'),
  role: told(optionalText, 'role in the project (platform value)'),
  status: told(optionalEnum('active', 'invited'), 'active, invited, or another platform value'),
  invitedBy: told(optionalText, 'who sent the invitation'),
  createdAt: told(optionalTime, 'when they joined or were invited: RFC 3339, UTC'),
  updatedAt: told(optionalTime, 'RFC 3339, UTC'),
});
export type User = v.InferOutput<typeof User>;

/** Invite a user (spec 4.12). The names of roles are not documented, so any role is accepted. */
export const inviteUser = endpoint('POST /v2/projects/{project}/users', {
  body: v.object({ emailAddress: v.string(), role: assumed(v.string()) }),
  reply: replyObject({ success: optionalBoolean }, 'success'),
});

/** Lists members and pending invitations (spec 4.13). */
export const listUsers = endpoint('GET /v2/projects/{project}/users', { reply: listOf(User, 'id') });

/** A service account (spec 2.11). The form of its grants is not documented, so any form is accepted. */
export const ServiceAccount = objectOf({
  id: told(textOrEmpty, 'service account id'),
  name: told(optionalText, 'name'),
  description: told(optionalText, 'description'),
  projectId: told(optionalText, 'project it was created in'),
  createdByUserId: told(optionalText, 'who created it'),
  createdAt: told(optionalTime, 'RFC 3339, UTC'),
  grants: told(assumed(optionalItems), 'projects it has access to (platform value)'),
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

/** One API key (spec 2.1). `expiresAt` is a time or the word `never`; `principalId` names its service account. */
export const ApiKey = objectOf({
  id: told(textOrEmpty, 'key id'),
  name: told(optionalText, 'key name'),
  description: told(optionalText, 'description'),
  apiKey: told(optionalText, 'the key; null without --show-values'),
  source: told(optionalText, 'origin (platform value)'),
  status: told(optionalText, 'status (platform value)'),
  projectId: told(optionalText, 'project'),
  principalId: told(optionalText, 'id of its service account'),
  createdAt: told(optionalTime, 'RFC 3339, UTC'),
  updatedAt: told(optionalTime, 'RFC 3339, UTC'),
  expiresAt: told(optionalTime, 'RFC 3339, UTC, or never'),
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

/** Lists API keys, earliest expiry first (spec 4.1). */
export const listApiKeys = endpoint('GET /v2/projects/{project}/api-keys', { reply: listOf(ApiKey, 'id') });
