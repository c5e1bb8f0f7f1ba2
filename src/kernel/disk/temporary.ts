import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { attempt } from '../errors.ts';
import { tryParseJson } from '../json-text.ts';
import { once } from '../once.ts';
import { appendToFileSync } from './append.ts';
import { makePrivateFolder, namesIn } from './folders.ts';
import { isOrphaned, newOwnerName, ownedIn, startHeartbeat } from './owner.ts';

/** `.gantry-`, the session that made it, and a number. */
const form = /^\.gantry-([0-9a-f]{16})-[0-9a-z]+$/;

/**
 * Random names for the temporary files of a command in the user's folders. A record in the state folder tells later commands
 * which files are temporary: they are not copied, deployed or synced, and those of a killed process are removed.
 */
export class TemporaryNames {
  readonly #session = randomBytes(8).toString('hex');
  readonly #folders = new Set<string>();
  #count = 0;
  readonly #kept: string[] = [];
  #record: string | undefined;
  #stopHeartbeat = () => {};
  #isOff = false;

  /** Without a writable `state` folder there is no record. */
  constructor(private readonly state: string | undefined) {}

  nameIn(folder: string): string {
    if (!this.#folders.has(folder)) {
      this.#folders.add(folder);
      this.#write({ folder });
    }
    return `.gantry-${this.#session}-${(this.#count++).toString(36)}`;
  }

  /** Records that a file is kept for a later attempt, as long as this journal names it. */
  keep(path: string, journal: string): void {
    this.#kept.push(path);
    this.#write({ keep: path, journal });
  }

  /** Removes the record unless a kept file exists. Call it after the other files are removed. */
  close(): void {
    this.#stopHeartbeat();
    if (this.#record && !this.#kept.some((file) => existsSync(file))) rmSync(this.#record, { force: true });
  }

  #write(line: RecordLine): void {
    if (this.state === undefined || this.#isOff) return;
    try {
      if (!this.#record) {
        makePrivateFolder(recordsIn(this.state));
        this.#record = join(recordsIn(this.state), `${this.#session}.${newOwnerName()}`);
        this.#stopHeartbeat = startHeartbeat(this.#record, '{');
      }
      appendToFileSync(this.#record, `${JSON.stringify(line)}\n`);
    } catch {
      // Without a record, only the files of a killed process would be left over.
      this.#isOff = true;
    }
  }
}

type RecordLine = { folder: string } | { keep: string; journal: string };

/**
 * Whether a name has the form of a temporary file. Without a record it may belong to a process with another state folder or
 * to the user, so it is treated as the user's.
 */
export function isNamedTemporary(name: string): boolean {
  return form.test(name);
}

/** Returns a function that detects recorded temporary files of any process. Calls `state` only when needed. */
export function temporaryFilter(state: () => string): (name: string) => boolean {
  const sessions = once(() => new Set(records(state()).map((record) => record.session)));
  return (name) => {
    const [, session] = form.exec(name) ?? [];
    return session !== undefined && sessions().has(session);
  };
}

/** Removes temporary files and folders of killed processes, except files that a journal can resume. Best effort. */
export function removeOrphanedFiles(state: string): void {
  removeOrphanedFolders();
  for (const { path, session, owner } of records(state)) {
    // Another process may remove it, and the state folder may not be writable.
    attempt(() => isOrphaned(path, owner) && removeRecorded(path, session));
  }
}

function removeRecorded(record: string, session: string): void {
  const lines = readRecord(record);
  const kept = new Set(lines.flatMap((line) => ('keep' in line && isResumable(line) ? [line.keep] : [])));
  for (const line of lines) if ('folder' in line) removeIn(line.folder, session, kept);
  if (kept.size === 0) rmSync(record, { force: true });
}

function isResumable({ keep, journal }: { keep: string; journal: string }): boolean {
  return attempt(() => existsSync(keep) && readFileSync(journal, 'utf8').includes(basename(keep))) ?? false;
}

function removeIn(folder: string, session: string, kept: ReadonlySet<string>): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    // The folder may not be writable.
    if (form.exec(name)?.[1] === session && !kept.has(path)) attempt(() => rmSync(path, { force: true }));
  }
}

function recordsIn(state: string): string {
  return join(state, 'temporary');
}

function records(state: string) {
  return ownedIn(recordsIn(state), /^[^.]*\./).map((record) => ({
    ...record,
    session: record.name.split('.')[0] ?? '',
  }));
}

function readRecord(path: string): RecordLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((row): RecordLine[] => {
      const { folder, keep, journal } = Object(tryParseJson(row)) as Record<string, unknown>;
      if (typeof folder === 'string') return [{ folder }];
      return typeof keep === 'string' && typeof journal === 'string' ? [{ keep, journal }] : [];
    });
}

/** A private folder in the system's folder for temporary files. Its name tells whose it is, so that others can clean up. */
export class TemporaryFolder {
  private constructor(
    readonly path: string,
    private readonly stopHeartbeat: () => void,
  ) {}

  /** `purpose` becomes part of the name. Removes the folders of killed processes first. Throws system errors. */
  static create(purpose: string): TemporaryFolder {
    removeOrphanedFolders();
    const path = join(tmpdir(), `gantry-${purpose}-${newOwnerName()}`);
    mkdirSync(path, { mode: 0o700 });
    removedOnExit.add(path);
    return new TemporaryFolder(path, startHeartbeat(path));
  }

  async remove(): Promise<void> {
    this.stopHeartbeat();
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
    removedOnExit.delete(this.path);
  }
}

function removeOrphanedFolders(): void {
  for (const { name, path, owner } of ownedIn(tmpdir(), /^gantry-[a-z]+-/)) {
    // Another process may remove it.
    if (name.startsWith('gantry-') && isOrphaned(path, owner)) attempt(() => removeOwn(path));
  }
}

function removeOwn(path: string): void {
  const stats = lstatSync(path);
  if (process.getuid && stats.uid !== process.getuid()) return;
  if (stats.isDirectory()) rmSync(path, { recursive: true, force: true });
}

/** Files and folders to remove when the process exits, also on a second Ctrl-C, which skips the usual cleanup. */
export const removedOnExit = new Set<string>();

process.once('exit', () => {
  for (const path of removedOnExit) rmSync(path, { recursive: true, force: true });
});
