import { closeSync, existsSync, lstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Which names a folder on this machine takes for the same. */
export interface NameProbe {
  /** Whether there are any. */
  mergesNames(folder: string): boolean;
  /** Whether these two are the same in a folder. */
  isSameName(folder: string, first: string, second: string): boolean;
  /** Whether an entry of this name gets this name, not one without the dot or the space at its end. */
  keepsName(folder: string, name: string): boolean;
  /** Whether two paths below a folder lead to one entry. */
  isSameEntry(folder: string, first: string, second: string): boolean;
}

/**
 * Asks the disk itself: two names are tried in a temporary folder, inside the folder they are meant for or the nearest
 * one above that exists. The operating system would be a guess: every disk, and every folder on some, has its own rule.
 */
export const nameProbe: NameProbe = {
  mergesNames: (folder) => within(folder, (inside) => samples.some((names) => isSame(inside, ...names)), guess),
  isSameName: (folder, first, second) => within(folder, (inside) => isSame(inside, first, second), guess),
  keepsName(folder, name) {
    const bare = name.replace(/[. ]+$/, '');
    return (
      bare === name ||
      within(
        folder,
        (inside) => !isSame(inside, name, bare),
        () => true,
      )
    );
  },
  isSameEntry(folder, first, second) {
    const [one, other] = [first, second].map((path) => {
      return lstatSync(join(folder, path), { bigint: true, throwIfNoEntry: false });
    });
    return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
  },
};

/**
 * What the names have in common that some disk takes for the same, at least: disks differ in how they fold case, in
 * Unicode's normal forms, and in what they drop. Two names with different keys are different everywhere.
 */
export function nameKey(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain
    .toLowerCase()
    .toUpperCase()
    .normalize('NFD')
    .replace(/[. ]+$/, '');
}

/** Case, normal form, and what may be dropped at the end. */
const samples: [string, string][] = [
  ['a', 'A'],
  ['\u00e9', 'e\u0301'],
  ['b', 'b.'],
  ['c', 'c '],
];

/** Runs a test in a new folder, which is removed. Where none can be made nothing can be copied to either. */
function within(folder: string, test: (inside: string) => boolean, otherwise: () => boolean): boolean {
  let inside: string;
  try {
    inside = mkdtempSync(join(nearest(folder), '.gantry-names-'));
  } catch {
    return otherwise();
  }
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

/** False when the name is taken; undefined when the disk does not have such names. */
function create(path: string): boolean | undefined {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? false : undefined;
  }
}

function guess(): boolean {
  return process.platform === 'darwin' || process.platform === 'win32';
}
