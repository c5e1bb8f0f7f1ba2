import { closeSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { openRegularSync } from '../../disk/index.ts';
import { ConflictError } from '../../errors.ts';

const kinds = {
  plan: { name: 'a deploy plan', start: /^\s*\{\s*"gantryPlan"/ },
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

/** Empty for what cannot be read: writing it says why. */
function startOf(file: string): string {
  let opened: number | undefined;
  try {
    opened = openRegularSync(file);
    const bytes = Buffer.alloc(64);
    return bytes.toString('latin1', 0, readSync(opened, bytes));
  } catch {
    return '';
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
