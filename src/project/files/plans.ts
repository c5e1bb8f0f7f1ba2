import { closeSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { openRegularSync } from '../../disk/index.ts';

/** How the file of a deploy plan begins. */
export const planStart = /^\s*\{\s*"gantryPlan"/;

/** Only files of such names are read: an app may have many others. */
export function mayBePlan(path: string): boolean {
  return /\.json$|plan/i.test(basename(path));
}

/** Whether a file of the app is a plan of its deploy, which is never a part of it. */
export function isPlan(file: string): boolean {
  return mayBePlan(file) && planStart.test(startOf(file));
}

/** The first bytes. Empty for what cannot be read: who reads or writes it says why. */
export function startOf(file: string): string {
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
