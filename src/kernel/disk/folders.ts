import { isUtf8 } from 'node:buffer';
import { type Dirent, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attempt } from '../errors.ts';

export function makePrivateFolder(folder: string): void {
  makeFolder(folder, 0o700);
}

/** Creates a folder and its parents. Node's `recursive` never ends where no folder can be created (`/proc`). */
export function makeFolder(folder: string, mode = 0o777): void {
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!attempt(() => statSync(folder).isDirectory())) throw error;
  }
}

/** The names in a folder. None if it cannot be read. */
export function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

/** The entries, with what each of them is. */
export function entriesIn(folder: string): Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

export async function sizesBelow(folder: string): Promise<number[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
}

/** An entry of a folder. `bytes` shows a name that is not valid UTF-8, as in `caf\\xe9`: what `name` has is then another name. */
export type NamedEntry = Dirent & { bytes?: string };

/** Whether a name, as Node decodes it, may be another: it puts U+FFFD in place of what is not valid UTF-8. */
export function mayBeOtherBytes(name: string): boolean {
  return name.includes('\ufffd');
}

/** The entries of a folder, each known by the bytes of its name. For a folder with a name that may be another. */
export function entriesByBytes(folder: string): NamedEntry[] {
  return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).map((entry) =>
    Object.assign(entry as unknown as NamedEntry, namedByBytes(entry.name)),
  );
}

/** A name or path as it is decoded, and its bytes if these are not valid UTF-8. */
export function namedByBytes(name: Buffer): Pick<NamedEntry, 'name' | 'bytes'> {
  const whatIsThere = () =>
    name.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${Buffer.from(byte, 'latin1').toString('hex')}`);
  return { name: String(name), ...(!isUtf8(name) && { bytes: whatIsThere() }) };
}

/** The first path that other users own or can write: it must not be deployed, executed or believed. None on Windows. */
export function findWritableByOthers(...paths: readonly string[]): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  return paths.find((path) => {
    // What cannot be reached cannot be used either.
    const stats = attempt(() => statSync(path));
    return stats !== undefined && (stats.uid !== uid || (stats.mode & 0o022) !== 0);
  });
}

export function checkWritableByUserOnly(...paths: readonly string[]): void {
  const path = findWritableByOthers(...paths);
  if (path !== undefined) throw new Error(`other users can write ${path}`);
}
