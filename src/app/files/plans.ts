import { closeSync, readSync } from 'node:fs';
import { openRegularSync } from '../../kernel/disk/index.ts';
import { attempt } from '../../kernel/errors.ts';

/** How the file of a deploy plan begins. */
export const planStart = /^\s*\{\s*"gantryPlan"/;

/** A plan of a deploy, or what `map` notes beside its results: these are never a part of an app. */
export function isOwnFile(file: string): boolean {
  return file.endsWith(mapLogEnding) || (/\.json$|plan[^/]*$/i.test(file) && planStart.test(startOf(file)));
}

export const mapLogEnding = '.gantry-map';

/** The first bytes. Empty for what cannot be read: who reads or writes it says why. */
export function startOf(file: string): string {
  const read = () => {
    const opened = openRegularSync(file);
    try {
      const bytes = Buffer.alloc(64);
      return bytes.toString('latin1', 0, readSync(opened, bytes));
    } finally {
      closeSync(opened);
    }
  };
  return attempt(read) ?? '';
}
