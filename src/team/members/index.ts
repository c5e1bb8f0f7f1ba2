export { listKeysWithOwners, type OwnedKey } from './api-keys.ts';
export { changeGrants, type GrantChange, grantedProjects } from './grants.ts';
export { sendInvitation } from './invite-user.ts';
