import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { inviteUser } from '../../contract/users.ts';
import { FailedError } from '../../errors.ts';

export interface Invitation {
  email: string;
  role: string;
  changed: true;
}

/** Invites a user to the project (spec 4.12). Throws FailedError if the platform sends no invitation. */
export async function sendInvitation(
  { api, project, willChange }: Pick<Context, 'api' | 'project' | 'willChange'>,
  email: string,
  role: string,
): Promise<Invitation> {
  willChange(`invite ${email} to ${project} as ${role}`, { email, role, changed: true });
  const { success } = await api(inviteUser, { project, body: { emailAddress: email, role } });
  if (success) return { email, role, changed: true };
  throw new FailedError(`no invitation was sent to ${email}`, {
    why: 'the platform gives no reason; the user may already be a member or invited',
    fix: gantryCommand`users list`,
  });
}
