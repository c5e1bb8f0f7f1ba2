import { randomUUID } from 'node:crypto';
import { closeSync, createWriteStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ArchiveLimits, iterateArchive } from '../builds/archive.ts';
import { ArchiveNames } from '../builds/archive-names.ts';
import { readTar } from './tar.ts';

/** Writes the files of a zip to a folder, which is replaced. On failure nothing is left, and the error says why. */
export async function unpackZip(path: string, folder: string, limits: ArchiveLimits): Promise<void> {
  await replaceFolder(folder, async (write) => {
    for await (const { path: name, executable, read } of iterateArchive(path, limits)) {
      await write(name, executable, read());
    }
  });
}

/** The same for a tar, which is in memory. Gives the paths of its files. */
export async function unpackTar(bytes: Uint8Array, folder: string): Promise<string[]> {
  const names = new ArchiveNames();
  const files = readTar(bytes).map((file) => ({ ...file, path: names.addFile(file.path) }));
  await replaceFolder(folder, async (write) => {
    for (const { path, executable, content } of files) await write(path, executable, [Buffer.from(content)]);
  });
  return files.map(({ path }) => path);
}

type Content = AsyncIterable<Buffer> | Iterable<Buffer>;
type Write = (path: string, executable: boolean, content: Content) => Promise<void>;

async function replaceFolder(folder: string, fill: (write: Write) => Promise<void>): Promise<void> {
  const partial = `${folder}.${randomUUID()}.partial`;
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const folders = new Set<string>();
  try {
    await fill(async (path, executable, content) => {
      const target = join(partial, path);
      const parent = dirname(target);
      if (!folders.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
      folders.add(parent);
      // Links are written as files that hold their target, so none leads out of the folder.
      await writeFile(target, executable ? 0o700 : 0o600, content);
    });
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Creates a file; never through a link, and never over another one. */
async function writeFile(target: string, mode: number, content: Content): Promise<void> {
  if (!Array.isArray(content)) return pipeline(content, createWriteStream(target, { flags: 'wx', mode }));
  const file = openSync(target, 'wx', mode);
  try {
    for (const chunk of content) {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
    }
  } finally {
    closeSync(file);
  }
}
