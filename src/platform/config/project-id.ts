import { gantryCommand } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';

/** Returns the id. Throws UsageError if it is not a project id. */
export function checkProjectId(value: string): string {
  if (/^(dev-)?p-[\w-]+$/.test(value)) return value;
  throw new UsageError(`invalid project id "${value}"`, {
    why: 'project ids look like p-12345678',
    fix: /^(["'`]).*\1$/.test(value) ? 'remove the quotes around the project id' : gantryCommand`projects list`,
  });
}
