import { closestName } from '../../app/toml/closest-name.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { FailedError, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { inviteUser } from '../../platform/contract/users.ts';

export interface Invitation {
  email: string;
  role: string;
  changed: true;
}

/** Invites a user to the project (spec 4.12). Throws FailedError if the platform sends no invitation. */
export async function sendInvitation(
  { api, project, prompt, willChange }: Pick<Context, 'api' | 'project' | 'prompt' | 'willChange'>,
  email: string,
  role: string,
): Promise<Invitation> {
  await checkRole(prompt, email, role);
  willChange(`invite ${email} to ${project} as ${role}`, { email, role, changed: true });
  const { success } = await api(inviteUser, { project, body: { emailAddress: email, role } });
  if (success) return { email, role, changed: true };
  throw new FailedError(`no invitation was sent to ${email}`, {
    why: 'the platform gives no reason; the user may already be a member or invited',
    fix: gantryCommand`users list`,
  });
}

/** The platform does not document its roles: these are known, and another one is sent after a confirmation. */
const knownRoles = ['member', 'billing', 'admin'];

async function checkRole(prompt: Context['prompt'], email: string, role: string): Promise<void> {
  if (knownRoles.includes(role.toLowerCase())) return;
  const meant = closestName(role, knownRoles);
  if (meant) {
    throw new UsageError(`unknown role ${role}: did you mean ${meant}?`, {
      fix: gantryCommand`users invite ${email} --role ${meant}`,
    });
  }
  await prompt.confirm(`The known roles are ${knownRoles.join(', ')}. Invite ${email} as ${role}?`);
}
