import { grantCommand } from './grants.ts';

export default grantCommand('set', 'service-accounts set-grants', 'all the projects it may access');
