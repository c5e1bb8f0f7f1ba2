import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { answer, list, object } from './lists.ts';
import { neededText, optionalFlag, optionalText, optionalTime, optionalWord } from './scalars.ts';

/** A member of a project, or an invitation nobody has answered yet (spec 2.10). */
export const User = object({
  id: neededText,
  projectId: optionalText,
  email: optionalText,
  firstName: optionalText,
  lastName: optionalText,
  role: optionalText,
  status: optionalWord('active', 'invited'),
  invitedBy: optionalText,
  createdAt: optionalTime,
  updatedAt: optionalTime,
});
export type User = v.InferOutput<typeof User>;

/** Invite a user (spec 4.12). The names of roles are not documented, so any role is accepted. */
export const inviteUser = endpoint('POST /v2/projects/{project}/users', {
  body: v.object({ emailAddress: v.string(), role: assumed(v.string()) }),
  reply: answer({ success: optionalFlag }, 'success'),
});

/** List members and pending invitations (spec 4.13). */
export const listUsers = endpoint('GET /v2/projects/{project}/users', { reply: list(User, 'id') });
