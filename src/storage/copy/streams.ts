import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TemporaryFolder } from '../../kernel/disk/index.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { formatRemotePath, remoteName, remoteParent, withTrailingSlash } from '../transfer/remote-path.ts';
import { findRemoteFiles, type RemoteFile, streamFiles } from '../volumes/index.ts';
import { type CopyRequest, type CopySummary, copyFiles } from './copy.ts';
import { type CopyPaths, checkTargetVolume } from './copy-paths.ts';
import type { CopyOptions } from './ports.ts';

export type WriteChunk = (bytes: Uint8Array) => Promise<void>;

/** Copies one remote file to stdout. Throws a UsageError for a folder or several sources. */
export async function copyToStdout(
  context: Context,
  paths: CopyPaths,
  options: CopyOptions,
): Promise<(take: WriteChunk) => Promise<void>> {
  const file = await onlyFile(context, paths);
  return (take) => streamFiles(context, [file], take, options);
}

async function onlyFile(context: Context, { sources }: CopyPaths): Promise<RemoteFile> {
  const paths = sources.flatMap((source) => (source.kind === 'remote' ? [source.at] : []));
  const [file, ...others] = paths.length === sources.length ? await findRemoteFiles(context, paths) : [];
  if (!file || others.length > 0) throw new UsageError('only one remote file can be copied to stdout');
  return file;
}

/** Saves stdin to a file first: the platform needs the number of parts before the first one. */
export async function copyFromStdin(
  context: Context,
  { target }: CopyPaths,
  options: CopyOptions,
): Promise<CopySummary> {
  if (target.kind !== 'remote') throw new UsageError('stdin can only be copied to a file on a volume');
  await checkTargetVolume(target.at, context);
  const folder = TemporaryFolder.create('stdin');
  try {
    const file = join(folder.path, 'stdin');
    await saveStdin(context, file);
    const { size } = await stat(file);
    const path = remoteName(target.at.path);
    const at = { ...target.at, path: withTrailingSlash(remoteParent(target.at.path)) };
    const sourceFile = { path, bytes: size, modified: context.now(), from: file };
    const request: CopyRequest = {
      from: ['-'],
      to: formatRemotePath(target.at),
      find: async function* () {
        yield sourceFile;
      },
      target: { folder: { kind: 'remote', at }, name: path },
      isSingleFile: true,
    };
    return await copyFiles(context, request, { ...options, keepJournal: false });
  } finally {
    await folder.remove();
  }
}

async function saveStdin({ stdin, signal, progress }: Context, file: string): Promise<void> {
  const step = progress.step('Reading stdin');
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer | string>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      step.update({ bytes });
      yield chunk;
    }
  };
  const written = pipeline(stdin, counted, createWriteStream(file, { mode: 0o600, flags: 'wx' }), { signal });
  await step.show(written).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  step.clear();
}
