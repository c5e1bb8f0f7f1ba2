import { closestName } from '../../app/toml/closest-name.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { FailedError, GantryError, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { type ApiKey, listApiKeys } from '../../platform/contract/api-keys.ts';
import { listServiceAccounts } from '../../platform/contract/service-accounts.ts';
import { inviteUser } from '../../platform/contract/users.ts';

export { changeGrants, grantedProjects } from './grants.ts';

/** An API key with the name of its service account. `apiKey` is null unless values were requested. */
export type OwnedKey = {
  [Field in keyof ApiKey as Field extends 'apiKey' ? never : Field]: ApiKey[Field];
} & { apiKey?: string | null | undefined; owner: string | null };

/** Lists the project's API keys, earliest expiry first (spec 4.1). */
export async function listKeysWithOwners(context: ListContext, { values }: { values: boolean }): Promise<OwnedKey[]> {
  const keys = await context.api(listApiKeys, { project: context.project });
  const owners = keys.some((key) => key.principalId) ? await readAccountNames(context) : new Map();
  return keys.map((key) => ({
    ...key,
    apiKey: values ? key.apiKey : null,
    owner: key.principalId ? (owners.get(key.principalId) ?? null) : null,
  }));
}

type ListContext = Pick<Context, 'api' | 'project' | 'progress' | 'signal'>;

/** Best-effort: the names only make the list easier to read. */
async function readAccountNames({ api, project, progress, signal }: ListContext): Promise<Map<string, string>> {
  try {
    const { serviceAccounts } = await api(listServiceAccounts, { project });
    return new Map(serviceAccounts?.map(({ id, name }) => [id, name ?? id]));
  } catch (error) {
    if (!(error instanceof GantryError) || signal.aborted) throw error;
    progress.warn(`cannot read the names of service accounts: ${error.message}`);
    return new Map();
  }
}

interface Invitation {
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
