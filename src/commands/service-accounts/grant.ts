import { grantCommand } from './grants.ts';

export default grantCommand('grant', 'service-accounts grant', 'projects it may access from now on');
