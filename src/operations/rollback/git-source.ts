import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { readRegular } from '../../disk/index.ts';
import { loadAppConfig } from '../../project/config.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import { type LocalApp, readLocalApp } from '../deploy/index.ts';
import type { Revision } from '../git/index.ts';

/** The app of a revision. It has the name of the deployed app, even if the config file has another one. */
export async function readRevision(
  context: Context,
  { folder }: Revision,
  { app, configFile }: { app: string; configFile: string },
): Promise<LocalApp> {
  const there: Context = Object.create(context, { cwd: { value: folder } });
  const inFile = await loadAppConfig(resolve(folder, configFile), { root: folder }).catch(() => undefined);
  const name = inFile?.project.name === app ? undefined : app;
  const local = await readLocalApp(there, { configFile, name });
  const pointers = await findPointers(local.entries);
  if (pointers.length > 0) {
    context.progress.warn({
      severity: 'warning',
      message: `files of git LFS are missing: ${pointers.slice(0, maxShown).join(', ')}`,
      why: 'the revision has only pointers to them',
      fix: 'git lfs install && git lfs fetch',
    });
  }
  return local;
}

const maxShown = 5;
const pointerStart = 'version https://git-lfs.github.com/spec/';
/** A pointer is three short lines. In bytes. */
const maxPointer = 200;

async function findPointers(entries: readonly FileEntry[]): Promise<string[]> {
  const found: string[] = [];
  for (const { path, size, source } of entries) {
    if (size < pointerStart.length || size > maxPointer || !('file' in source)) continue;
    if (String(await readRegular(source.file)).startsWith(pointerStart)) found.push(path);
  }
  return found;
}
