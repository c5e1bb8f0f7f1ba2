import { defineCommand } from '../command.ts';
import { runChecks } from '../operations/doctor/index.ts';
import { checksView } from '../views/doctor.ts';

export default defineCommand({
  run: runChecks,
  view: checksView,
  exit: (checks) => checks.find(({ status }) => status === 'failed')?.code ?? 'ok',
  json: {
    check: 'name of the check',
    status: 'ok, warning or failed',
    message: 'result',
    why: 'cause of a failure, if known',
    fix: 'how to fix it, if there is a problem',
    code: 'for a failed check: name of its exit code; the first one is the exit code of the command',
  },
  examples: ['doctor', 'doctor --json=check,status'],
});
