import { refuse } from '../../http/reply.ts';
import { getAccount } from '../../model/account.ts';
import type { Handlers } from '../platform.ts';

export const serviceAccountHandlers: Pick<Handlers, 'listServiceAccounts' | 'updateServiceAccount'> = {
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
};
