import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { optionalBoolean, optionalEnum, optionalText, optionalTime, textOrEmpty } from './scalars.ts';

/** A member of a project, or a pending invitation (spec 2.10). */
export const User = objectOf({
  id: textOrEmpty,
  projectId: optionalText,
  email: optionalText,
  firstName: optionalText,
  lastName: optionalText,
  role: optionalText,
  status: optionalEnum('active', 'invited'),
  invitedBy: optionalText,
  createdAt: optionalTime,
  updatedAt: optionalTime,
});
export type User = v.InferOutput<typeof User>;

/** Invite a user (spec 4.12). The names of roles are not documented, so any role is accepted. */
export const inviteUser = endpoint('POST /v2/projects/{project}/users', {
  body: v.object({ emailAddress: v.string(), role: assumed(v.string()) }),
  reply: replyObject({ success: optionalBoolean }, 'success'),
});

/** Lists members and pending invitations (spec 4.13). */
export const listUsers = endpoint('GET /v2/projects/{project}/users', { reply: listOf(User, 'id') });
