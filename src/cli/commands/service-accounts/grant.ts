import { grantCommand } from '../../views/grants.ts';

export default grantCommand('grant', 'changes', 'projects to add');
