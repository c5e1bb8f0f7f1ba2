import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makePrivateFolder } from './folders.ts';
import { isAlive, newOwnerName, parseOwnerName } from './owner.ts';

/** `.gantry-`, the session that made it, and a number. */
const form = /^\.gantry-([0-9a-f]{16})-[0-9a-z]+$/;

/**
 * Names for the temporary files of one command, in folders of the user. They are random, so that they are nobody
 * else's, and a record of them in the state folder tells later commands which files are ours: those are never copied,
 * deployed or deleted as the user's, and what a killed process left is removed.
 */
export class TemporaryNames {
  readonly #session = randomBytes(8).toString('hex');
  readonly #folders = new Set<string>();
  #count = 0;
  readonly #kept: string[] = [];
  #record: string | undefined;
  #isOff = false;

  /** `state` is the state folder. Without one, or where it cannot be written, there is no record. */
  constructor(private readonly state: string | undefined) {}

  /** A new name for a file in a folder, which is given by its absolute path. */
  nameIn(folder: string): string {
    if (!this.#folders.has(folder)) {
      this.#folders.add(folder);
      this.#write({ folder });
    }
    return `.gantry-${this.#session}-${(this.#count++).toString(36)}`;
  }

  /** Records that a file is to stay for a later try, as long as this journal is there and names it. */
  keep(path: string, journal: string): void {
    this.#kept.push(path);
    this.#write({ keep: path, journal });
  }

  /** Removes the record, unless a file to keep is left. To be called when all others of these names are gone. */
  close(): void {
    if (this.#record && !this.#kept.some((file) => existsSync(file))) rmSync(this.#record, { force: true });
  }

  #write(line: RecordLine): void {
    if (this.state === undefined || this.#isOff) return;
    try {
      if (!this.#record) {
        makePrivateFolder(recordsIn(this.state));
        this.#record = join(recordsIn(this.state), `${this.#session}.${newOwnerName()}`);
      }
      appendFileSync(this.#record, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // Without a record the files are still safe from mix-ups; only a kill would leave one behind.
      this.#isOff = true;
    }
  }
}

type RecordLine = { folder: string } | { keep: string; journal: string };

/**
 * Whether a file is named like a temporary one. Without a record it may be that of a process with another state folder,
 * or the user's own: it is treated as the user's.
 */
export function isNamedTemporary(name: string): boolean {
  return form.test(name);
}

/** Tells temporary files of ours, of any process, from the user's own. The state folder is asked for when needed. */
export function temporaryFilter(state: () => string): (name: string) => boolean {
  let sessions: Set<string> | undefined;
  return (name) => {
    const [, session] = form.exec(name) ?? [];
    if (session === undefined) return false;
    sessions ??= new Set(records(state()).map((record) => record.session));
    return sessions.has(session);
  };
}

/** Removes what killed processes have left, except what a journal will resume. */
export function removeOrphanedFiles(state: string): void {
  for (const { path, session, alive } of records(state)) {
    if (alive) continue;
    const lines = readRecord(path);
    const kept = new Set(lines.flatMap((line) => ('keep' in line && isWanted(line) ? [line.keep] : [])));
    for (const line of lines) if ('folder' in line) removeIn(line.folder, session, kept);
    if (kept.size === 0) rmSync(path, { force: true });
  }
}

function isWanted({ keep, journal }: { keep: string; journal: string }): boolean {
  try {
    return existsSync(keep) && readFileSync(journal, 'utf8').includes(basename(keep));
  } catch {
    return false;
  }
}

function removeIn(folder: string, session: string, kept: ReadonlySet<string>): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (form.exec(name)?.[1] === session && !kept.has(path)) rmSync(path, { force: true });
    }
  } catch {
    // The folder is gone, or no longer ours to change.
  }
}

function recordsIn(state: string): string {
  return join(state, 'temporary');
}

function records(state: string): { path: string; session: string; alive: boolean }[] {
  const folder = recordsIn(state);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const [session = '', owner = ''] = name.split('.');
    const known = parseOwnerName(owner);
    return known ? [{ path: join(folder, name), session, alive: isAlive(known) !== false }] : [];
  });
}

/** A line that a crash cut short counts for nothing. */
function readRecord(path: string): RecordLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((row): RecordLine[] => {
      try {
        const { folder, keep, journal } = JSON.parse(row) as Record<string, unknown>;
        if (typeof folder === 'string') return [{ folder }];
        return typeof keep === 'string' && typeof journal === 'string' ? [{ keep, journal }] : [];
      } catch {
        return [];
      }
    });
}
