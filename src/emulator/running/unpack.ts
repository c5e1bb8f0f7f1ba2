import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileEntries } from '../archive.ts';
import { readTar } from './tar.ts';

/** Writes the files of a zip below a folder that is empty then. Rejects when it is damaged or leads out of it. */
export async function unpackZip(path: string, folder: string): Promise<void> {
  await empty(folder);
  for await (const { entry, zip } of fileEntries(path)) {
    const target = inside(folder, entry.fileName);
    await mkdir(dirname(target), { recursive: true });
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
    // Unix rights are in the upper half; of a link the text is written, so that none leads anywhere.
    if (((entry.externalFileAttributes >>> 16) & 0o111) !== 0) await chmod(target, 0o755);
  }
}

/** The same for a tar, which is in memory. Gives the paths of its files. */
export async function unpackTar(bytes: Uint8Array, folder: string): Promise<string[]> {
  const files = readTar(bytes);
  await empty(folder);
  for (const { path, content, executable } of files) {
    const target = inside(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode: executable ? 0o755 : 0o644 });
  }
  return files.map(({ path }) => normalize(path));
}

async function empty(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}

function inside(folder: string, path: string): string {
  const target = join(folder, path);
  if (path.startsWith('/') || path.includes('\0') || !target.startsWith(folder + sep)) {
    throw new Error(`the archive leads out of its folder: ${path}`);
  }
  return target;
}
