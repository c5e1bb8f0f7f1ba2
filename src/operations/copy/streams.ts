import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { asFolder, printRemotePath, remoteName, remoteParent } from '../../transfer/remote-path.ts';
import { findFiles as findRemoteFiles, pourFiles } from '../volume/content.ts';
import { type CopySummary, copyFound } from './index.ts';
import type { CopyOptions } from './options.ts';
import type { Words } from './places.ts';

/** How a command hands on bytes to stdout. */
export type Take = (bytes: Uint8Array) => Promise<void>;

/** One file of a volume, byte for byte. Throws a UsageError when it is not one file. */
export async function copyToStdout(context: Context, { sources }: Words): Promise<(take: Take) => Promise<void>> {
  const paths = sources.flatMap((place) => (place.kind === 'remote' ? [place.at] : []));
  if (paths.length !== 1 || sources.length !== 1)
    throw new UsageError('one file of a volume is copied to stdout at a time');
  const found = await findRemoteFiles(context, paths);
  return (take) => pourFiles(context, found, take);
}

/**
 * stdin to a file of a volume. How many parts it makes must be told before the first is sent, so it is kept in a
 * temporary file until it has ended.
 */
export async function copyFromStdin(context: Context, { target }: Words, options: CopyOptions): Promise<CopySummary> {
  if (target.kind !== 'remote') throw new UsageError('stdin is copied to a file on a volume');
  const folder = await mkdtemp(join(tmpdir(), 'gantry-stdin-'));
  try {
    const file = join(folder, 'stdin');
    await spool(context, file);
    const { size } = await stat(file);
    const path = remoteName(target.at.path);
    const at = { ...target.at, path: asFolder(remoteParent(target.at.path)) };
    const found = { path, bytes: size, modified: context.now(), from: file };
    const copying = {
      ...{ from: ['-'], to: printRemotePath(target.at), isAlone: true },
      ...{ find: () => only(found), target: { folder: { kind: 'remote' as const, at }, name: path } },
    };
    return await copyFound(context, copying, { ...options, remember: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Readable by its owner only. */
async function spool({ stdin, signal, progress }: Context, file: string): Promise<void> {
  const step = progress.step('Reading stdin');
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer | string>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      step.update({ bytes });
      yield chunk;
    }
  };
  try {
    await pipeline(stdin, counted, createWriteStream(file, { mode: 0o600, flags: 'wx' }), { signal });
    step.clear();
  } catch (error) {
    step.fail();
    signal.throwIfAborted();
    throw error;
  }
}

async function* only<T>(item: T): AsyncGenerator<T> {
  yield item;
}
