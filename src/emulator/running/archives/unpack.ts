import { randomUUID } from 'node:crypto';
import { closeSync, createWriteStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { iterateArchive } from './archive.ts';
import { ArchiveNames } from './archive-names.ts';
import type { ArchiveLimits } from './limits.ts';
import { readTar } from './tar.ts';

/** Replaces a folder by the files of a zip. Leaves nothing behind on failure. */
export async function unpackZip(path: string, folder: string, limits: ArchiveLimits): Promise<void> {
  await replaceFolder(folder, async (write) => {
    for await (const { path: name, executable, read } of iterateArchive(path, limits)) {
      await write(name, executable, read());
    }
  });
}

/** Replaces a folder by the files of a tar, and returns their paths. */
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
  const createdFolders = new Set<string>();
  try {
    await fill(async (path, executable, content) => {
      const target = join(partial, path);
      const parent = dirname(target);
      if (!createdFolders.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
      createdFolders.add(parent);
      // Links are written as files that contain their target, so none points outside of the folder.
      await writeFile(target, executable ? 0o700 : 0o600, content);
    });
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Never follows a link or overwrites a file. */
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
