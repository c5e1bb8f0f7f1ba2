import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { openEnum, timestamp } from './scalars.ts';

const optionalText = v.optional(v.nullable(v.string()));

/** A member of a project, or an invitation nobody has answered yet (spec 2.10). */
export const User = v.looseObject({
  id: v.string(),
  projectId: optionalText,
  email: optionalText,
  firstName: optionalText,
  lastName: optionalText,
  role: optionalText,
  status: v.optional(openEnum('active', 'invited')),
  invitedBy: optionalText,
  createdAt: v.optional(timestamp),
  updatedAt: v.optional(timestamp),
});
export type User = v.InferOutput<typeof User>;

/** Invite a user. The words for a role are not documented: any is let through (spec 4.12, wire §0). */
export const inviteUser = endpoint('POST /v2/projects/{project}/users', {
  body: v.object({ emailAddress: v.string(), role: assumed(v.string()) }),
  reply: v.looseObject({ success: v.boolean() }),
});

/** List members and pending invitations (spec 4.13). */
export const listUsers = endpoint('GET /v2/projects/{project}/users', { reply: v.array(User) });
