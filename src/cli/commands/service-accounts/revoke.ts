import { grantCommand } from '../../views/grants.ts';

export default grantCommand('revoke', 'destroys', 'projects to remove');
