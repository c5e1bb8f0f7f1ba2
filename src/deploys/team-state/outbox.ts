import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { linkOrCopy, makePrivateFolder, replaceFile, writeFileAtomic } from '../../kernel/disk/index.ts';
import { dayMs } from '../../kernel/durations.ts';
import type { FoundFile } from '../../storage/copy/index.ts';

/** How long a document waits for a command that can send it, and a file: it takes more room. */
const keptMs = { document: 90 * dayMs, file: dayMs };

/** What is to be sent to the volume, under its path there. It outlives a killed process: a later command sends it. */
export class Outbox {
  /** What this command has added is not old, whatever the clocks of the machine and of its disk say. */
  readonly #added = new Set<string>();

  constructor(private readonly folder: string) {}

  /** Writes a document down. Throws an error of the disk. */
  async add(path: string, text: string): Promise<void> {
    this.#added.add(path);
    makePrivateFolder(dirname(this.#at(path)));
    await writeFileAtomic(this.#at(path), text, { mode: 0o600 });
  }

  async addFile(path: string, from: string): Promise<void> {
    this.#added.add(path);
    makePrivateFolder(dirname(this.#at(path)));
    await linkOrCopy(from, this.#at(path));
  }

  /** What is too old by now is removed. `now`: ms since 1970. */
  async list(now: number): Promise<(FoundFile & { bytes: number })[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files: (FoundFile & { bytes: number })[] = [];
    for (const { name, parentPath } of entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))) {
      const from = join(parentPath, name);
      const path = from.slice(this.folder.length + 1).replaceAll('\\', '/');
      const stats = await stat(from).catch(() => undefined);
      if (!stats) continue;
      const isLate = now - stats.ctimeMs > (isDocument(path) ? keptMs.document : keptMs.file);
      if (isLate && !this.#added.has(path)) await rm(from, { force: true });
      else files.push({ path, from, bytes: stats.size, modified: stats.mtimeMs });
    }
    return files;
  }

  /** What was sent: a document goes to the copies of what the volume has. */
  async sent(path: string, copies: string): Promise<void> {
    if (!isDocument(path)) return this.drop(path);
    makePrivateFolder(dirname(join(copies, path)));
    // Another process may have sent it as well.
    await replaceFile(this.#at(path), join(copies, path)).catch(() => this.drop(path));
  }

  drop(path: string): Promise<void> {
    return rm(this.#at(path), { force: true });
  }

  #at(path: string): string {
    return join(this.folder, path);
  }
}

export function isDocument(path: string): boolean {
  return path.endsWith('.json');
}

/** `20261123T140201123Z-1f2e….json`: names sort by time, and two that write at once never have the same one. */
export function documentName(at: string, text: string): string {
  return `${at.replace(/[-:.]/g, '')}-${createHash('sha256').update(text).digest('hex')}.json`;
}

/** The time of a document in ms since 1970; NaN if the name is not one of ours. */
export function documentTime(name: string): number {
  return Date.parse(name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-.*$/, '$1-$2-$3T$4:$5:$6.$7Z'));
}
