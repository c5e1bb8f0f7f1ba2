import { closeSync, existsSync, lstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, systemCode } from '../errors.ts';

/** Which names a folder on this machine treats as the same. */
export type NameProbe = typeof nameProbe;

/** Tests names in a temporary folder in or above the target: the system would be a guess, since disks differ. */
export const nameProbe = {
  /** Whether different names can lead to the same entry. */
  mergesNames: (folder: string) =>
    within(folder, (inside) => samples.some((names) => isSame(inside, ...names)), guess()),
  isSameName: (folder: string, first: string, second: string) =>
    within(folder, (inside) => isSame(inside, first, second), guess()),
  /** Whether the disk keeps trailing dots and spaces of the name. */
  keepsName(folder: string, name: string) {
    const bare = name.replace(/[. ]+$/, '');
    return bare === name || within(folder, (inside) => !isSame(inside, name, bare), true);
  },
  isSameEntry(folder: string, first: string, second: string) {
    const statsOf = (path: string) => lstatSync(join(folder, path), { bigint: true, throwIfNoEntry: false });
    const [a, b] = [first, second].map(statsOf);
    return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
  },
};

/**
 * Names or paths with different keys are different on every disk. Disks differ in case folding, Unicode normalization and
 * the characters that they drop.
 */
export function nameKey(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain
    .toLowerCase()
    .toUpperCase()
    .normalize('NFD')
    .replace(/[. ]+(?=\/|$)/g, '');
}

/** Case, Unicode normalization, trailing dots and spaces. */
const samples: [string, string][] = [
  ['a', 'A'],
  ['\u00e9', 'e\u0301'],
  ['b', 'b.'],
  ['c', 'c '],
];

/** Runs a test in a temporary folder. If none can be created, nothing can be copied there either. */
function within(folder: string, test: (inside: string) => boolean, otherwise: boolean): boolean {
  const inside = attempt(() => mkdtempSync(join(nearest(folder), '.gantry-names-')));
  if (inside === undefined) return otherwise;
  try {
    return test(inside);
  } finally {
    rmSync(inside, { recursive: true, force: true });
  }
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function isSame(folder: string, first: string, second: string): boolean {
  const isTaken = create(join(folder, first)) === true && create(join(folder, second)) === false;
  rmSync(join(folder, first), { force: true });
  rmSync(join(folder, second), { force: true });
  return isTaken;
}

/** Returns false if the name exists, undefined if the disk does not allow it. */
function create(path: string): boolean | undefined {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    return systemCode(error) === 'EEXIST' ? false : undefined;
  }
}

function guess(): boolean {
  return process.platform === 'darwin' || process.platform === 'win32';
}
