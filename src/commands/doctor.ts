import { defineCommand } from '../command.ts';
import { runChecks } from '../operations/doctor/index.ts';
import { checksView } from '../views/doctor.ts';

export default defineCommand({
  run: runChecks,
  view: checksView,
  exit: (checks) => checks.find(({ status }) => status === 'failed')?.code ?? 'ok',
  json: {
    check: 'what was looked at',
    status: 'ok, warning or failed',
    message: 'what was found',
    why: 'the cause of a failure, if known',
    fix: 'what to do about it, if anything',
    code: 'of a failure: the name of its exit code; the first one is the exit code of the command',
  },
  examples: ['doctor', 'doctor --json=check,status'],
});
