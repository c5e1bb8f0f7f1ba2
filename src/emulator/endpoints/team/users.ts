import { refuse } from '../../http/reply.ts';
import { getAccount } from '../../model/account.ts';
import type { Handlers } from '../platform.ts';

export const userHandlers: Pick<Handlers, 'inviteUser' | 'listUsers'> = {
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
    account.users.push({
      id: `invitation-${store.newId()}`,
      projectId: project,
      email,
      firstName: '',
      lastName: '',
      role,
      status: 'invited',
      invitedBy: 'ada.okafor@example.com',
      createdAt: at,
      updatedAt: at,
    });
    store.save();
    return { success: true };
  },
};
