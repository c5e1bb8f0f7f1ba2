import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

interface PythonEnvironment {
  path: string;
  files: number;
  bytes: number;
  /** RFC 3339, UTC. */
  usedAt: string;
  remove: () => Promise<void>;
}

/** Where the emulator keeps Python environments, one for each list of requirements. `cache`: gantry's folder for caches. */
export function pythonFolder(cache: string): string {
  return join(cache, 'python');
}

export async function listPythonEnvironments(cache: string): Promise<PythonEnvironment[]> {
  const entries = await entriesOf(pythonFolder(cache));
  return Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => describe(join(pythonFolder(cache), name))),
  );
}

async function describe(path: string): Promise<PythonEnvironment> {
  // The emulator writes this file each time it uses the environment.
  const used = (await stat(join(path, 'complete')).catch(() => undefined)) ?? (await stat(path));
  const sizes = await sizesBelow(path);
  return {
    path,
    files: sizes.length,
    bytes: sizes.reduce((sum, each) => sum + each, 0),
    usedAt: used.mtime.toISOString(),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Of each file, without following links: an environment has links to the interpreter. */
async function sizesBelow(folder: string): Promise<number[]> {
  const sizes = (await entriesOf(folder)).map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sizesBelow(path);
    return entry.isFile() ? [(await stat(path)).size] : [];
  });
  return (await Promise.all(sizes)).flat();
}

function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
}
