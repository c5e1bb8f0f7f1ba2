import { remoteRun, resolveRun } from '../../../calls/runs/index.ts';
import { cancelCommand } from '../../flags/cancel.ts';

export default cancelCommand('run', resolveRun, remoteRun);
