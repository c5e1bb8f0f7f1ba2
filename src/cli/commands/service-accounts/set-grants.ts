import { grantCommand } from '../../views/grants.ts';

export default grantCommand('set-grants', 'destroys', 'all projects that it has access to afterwards');
