export { listKeys, type OwnedKey } from './api-keys.ts';
export { type Change, changeGrants, type GrantChange, grantedProjects } from './grants.ts';
export { invite } from './invite-user.ts';
