import { remoteBuild, resolveBuild } from '../../../deploys/builds/index.ts';
import { cancelCommand } from '../../flags/cancel.ts';

export default cancelCommand('build', resolveBuild, remoteBuild);
