import { grantCommand } from './grants.ts';

export default grantCommand('revoke', 'service-accounts revoke', 'projects it may no longer access');
