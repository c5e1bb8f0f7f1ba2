import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type GenericSchema, safeParse } from 'valibot';
import {
  lockHolder,
  makePrivateFolder,
  removeDeadLocks,
  takeLock,
  writeFileAtomicSync,
} from '../../../kernel/disk/index.ts';
import { tryParseJson } from '../../../kernel/json-text.ts';

/** In the data folder. */
export const stateFile = 'state.json';

const lockName = 'lock';

/** Folders with code, secrets and output of apps. */
const privateFolders = ['storage', 'running', 'packages', 'logs'];

/**
 * Makes the data folder and the emulator's folders in it private, whatever the umask. A folder with other files, such as
 * a project, keeps its mode.
 */
export function preparePrivateFolder(folder: string): void {
  makePrivateFolder(folder);
  if (readdirSync(folder).length === 0 || existsSync(join(folder, stateFile))) chmodSync(folder, 0o700);
  for (const name of privateFolders) makePrivate(join(folder, name));
}

/**
 * Hides the data from git, but no other file of the folder: `gantry init --ci` keeps one in `.gantry` that is to be
 * committed. The user's own `.gitignore` stays.
 */
function hideFromGit(folder: string): void {
  const file = join(folder, '.gitignore');
  if (existsSync(file)) return;
  const names = [stateFile, lockName, '.gitignore', ...privateFolders];
  writeFileAtomicSync(file, names.map((name) => `/${name}\n`).join(''));
}

/** Also changes the mode of an existing folder. */
function makePrivate(folder: string): void {
  makePrivateFolder(folder);
  chmodSync(folder, 0o700);
}

/** Another emulator uses the data folder: they would overwrite each other's state. */
export class DataFolderInUseError extends Error {
  constructor(
    readonly folder: string,
    readonly pid: number | undefined,
  ) {
    super(`the data folder ${folder} is in use by another emulator${pid === undefined ? '' : ` (process ${pid})`}`);
  }
}

/** Locks the data folder. Throws a `DataFolderInUseError` if a running emulator has the lock. */
export function lockDataFolder(folder: string): { release(): void } {
  const path = join(folder, lockName);
  const lock = takeLock(path);
  if (!lock) throw new DataFolderInUseError(folder, lockHolder(path)?.pid);
  removeDeadLocks(folder);
  hideFromGit(folder);
  return lock;
}

/** A file of the data folder that cannot be used. It is never overwritten. */
export class DamagedDataError extends Error {
  constructor(
    readonly file: string,
    reason: string,
    cause?: unknown,
  ) {
    super(`the emulator's data in ${file} cannot be read: ${reason}`, { cause });
  }
}

/** Undefined if the line is not JSON of this shape. */
export function parseJsonLine<Output>(schema: GenericSchema<unknown, Output>, line: string): Output | undefined {
  const result = safeParse(schema, tryParseJson(line));
  return result.success ? result.output : undefined;
}

/**
 * A file name for an app or its id. Names that differ in case only are the same file on some disks, and some characters
 * are not allowed on others, so such names get a hash.
 */
export function fileNameOf(app: string): string {
  if (/^[a-z0-9-]+$/.test(app)) return app;
  const readable = app
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '_')
    .slice(0, 60);
  return `${readable}.${createHash('sha256').update(app).digest('hex').slice(0, 16)}`;
}
