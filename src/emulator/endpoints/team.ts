import type { ApiKey } from '../../platform/contract/team.ts';
import { refuse } from '../http/reply.ts';
import { getAccount, invitation } from '../model/account.ts';
import { signToken } from './account/access.ts';
import type { Handlers, Platform } from './platform.ts';

export const teamHandlers = {
  listUsers({ project }, platform) {
    return getAccount(platform, project).users;
  },

  /** Does nothing for an address that is a member or invited already (spec 4.12). */
  inviteUser({ project, body: { emailAddress, role } }, platform) {
    if (!/^\S+@\S+$/.test(emailAddress)) refuse(400, `invalid emailAddress: ${emailAddress}`);
    if (role === '') refuse(400, 'role is required');
    const { store, now } = platform;
    const account = getAccount(platform, project);
    const email = emailAddress.toLowerCase();
    if (account.users.some((user) => user.email === email)) return { success: false };
    const at = new Date(now()).toISOString();
    const since = { projectId: project, createdAt: at, updatedAt: at };
    account.users.push(invitation(`invitation-${store.newId()}`, email, role, since));
    store.save();
    return { success: true };
  },

  /** Sorted by expiry; keys that never expire come last (spec 4.1). */
  listApiKeys({ project }, platform) {
    return getAccount(platform, project)
      .keys.toSorted((a, b) => expiry(a.expiresAt) - expiry(b.expiresAt))
      .map((key) => ({ ...key, apiKey: key.apiKey || keyValue(project, key, platform) }));
  },

  listServiceAccounts({ project }, platform) {
    return { serviceAccounts: getAccount(platform, project).serviceAccounts };
  },

  /** Replaces all grants; the contract requires at least one (spec 4.15). */
  updateServiceAccount({ project, serviceAccount, body }, platform) {
    const updated =
      getAccount(platform, project).serviceAccounts.find(({ id }) => id === serviceAccount) ??
      refuse(404, `service account ${serviceAccount} not found`);
    updated.grants = [...new Set(body.grants)];
    platform.store.save();
    return { serviceAccountId: updated.id };
  },
} satisfies Partial<Handlers>;

/** A token of the service account, or of the project. New at each start, as the store's key is. */
function keyValue(project: string, { id, principalId, createdAt, expiresAt }: ApiKey, { store }: Platform): string {
  const expires = Date.parse(expiresAt ?? '');
  return signToken(
    {
      sub: principalId || project,
      project_id: project,
      key: id,
      iat: Math.floor(Date.parse(createdAt ?? '') / 1000) || 0,
      ...(!Number.isNaN(expires) && { exp: Math.floor(expires / 1000) }),
    },
    store.key,
  );
}

function expiry(time: string | null | undefined): number {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? Number.MAX_VALUE : at;
}
