import { runChecks } from '../../local/doctor/index.ts';
import { defineCommand } from '../command.ts';
import { anything, choice, documents, optional, text } from '../result-schema.ts';
import { checksView } from '../views/doctor.ts';

export default defineCommand({
  run: runChecks,
  view: checksView,
  exit: (checks) => checks.find(({ status }) => status === 'failed')?.code ?? 'ok',
  effect: 'reads',
  local: true,
  json: documents({
    check: text('name of the check'),
    status: choice(['ok', 'warning', 'failed'], 'ok, warning or failed'),
    message: text('result'),
    why: optional(text('cause of a failure, if known')),
    fix: optional(anything('how to fix it, if there is a problem')),
    code: optional(text('for a failed check: name of its exit code; the first one is the exit code of the command')),
  }),
  examples: ['doctor', 'doctor --json=check,status'],
});
