import { resolve } from 'node:path';
import { planStart, startOf } from '../../app/files/plans.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';

const kinds = {
  plan: { name: 'a deploy plan', start: planStart },
  archive: { name: 'a zip archive', start: /^PK/ },
  page: { name: 'an HTML page', start: /^\s*<!doctype html/i },
  runs: { name: 'an export of runs', start: /^(\{"id"|id,createdAt)/ },
};

/**
 * Throws ConflictError if the file that a flag names exists and is something else than the command writes:
 * `gantry package -o main.py` is a mistake.
 */
export function checkReplaceable({ cwd }: Pick<Context, 'cwd'>, file: string, kind: keyof typeof kinds): void {
  const { name, start } = kinds[kind];
  const begin = startOf(resolve(cwd, file));
  if (begin === '' || start.test(begin)) return;
  throw new ConflictError(`${file} exists and is not ${name}`, {
    why: 'it would be overwritten',
    fix: 'name another file, or remove this one',
  });
}
