import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { getDownloadLink } from '../../platform/contract/volumes.ts';
import { readContent, readVerified } from '../transfer/read-content.ts';
import { RemoteContent } from '../transfer/remote-content.ts';
import { formatRemotePath } from '../transfer/remote-path.ts';
import { CorruptError } from '../transfer/storage-errors.ts';
import { type TransferContext, type TransferOptions, withTransferContext } from '../transfer/transfer-context.ts';
import { findEntry, type VolumeContext, type VolumePath } from './walk-volume.ts';

type ReadContext = Pick<Context, 'api' | 'project'> & ConnectingContext;

export interface RemoteFile {
  at: VolumePath;
  bytes: number;
}

/** Finds files before any is read. Throws NotFoundError, or UsageError for a folder. */
export async function findRemoteFiles(context: ReadContext, paths: VolumePath[]): Promise<RemoteFile[]> {
  const files: RemoteFile[] = [];
  for (const at of paths) {
    const { isFolder, bytes } = await findEntry(context, at);
    if (isFolder) {
      throw new UsageError(`${formatRemotePath(at)} is a folder`, {
        why: 'only files can be printed',
        fix: gantryCommand`ls ${formatRemotePath(at)}`,
      });
    }
    files.push({ at, bytes });
  }
  return files;
}

/** Streams the contents of files to `write`. With `check`, compares them with the storage's checksum. */
export async function streamFiles(
  context: ReadContext,
  files: RemoteFile[],
  write: (bytes: Uint8Array) => Promise<void>,
  { check = true, limitRate }: Partial<Pick<ConnectingOptions, 'check' | 'limitRate'>> = {},
): Promise<void> {
  const work = async (resources: TransferContext) => {
    for (const { at, bytes } of files) {
      const content = new RemoteContent(bytes, urlRequester(at, context), resources);
      const pieces = check ? readVerified(content, resources) : readContent(content, resources);
      try {
        for await (const piece of pieces) await write(piece);
      } catch (error) {
        throw error instanceof CorruptError ? damagedError(at, error) : error;
      }
    }
  };
  await whileConnected(context, work, { concurrency: 1, check: false, limitRate });
}

/** Printed content cannot be taken back, so the user has to retry. */
function damagedError(at: VolumePath, { message }: CorruptError): CorruptError {
  const path = formatRemotePath(at);
  return new CorruptError(`the content printed for ${path} is damaged: ${message}`, {
    why: 'it was corrupted in transit, or the storage reports another kind of checksum, as for encrypted files',
    fix: sentence`run the command again; if it fails again: ${gantryCommand`cp --no-checksum ${path} -`}`,
    retryable: true,
  });
}

export type ConnectingContext = Pick<
  Context,
  'settings' | 'signal' | 'now' | 'elapsed' | 'delay' | 'onRetry' | 'silenceMs' | 'trace'
>;

type ConnectingOptions = Pick<TransferOptions, 'concurrency' | 'check' | 'limitRate' | 'onRetry' | 'onBytes'>;

/** Does work that makes requests to storage or to the web. By default it shows no progress. */
export function whileConnected<T>(
  { settings, signal, now, elapsed, delay, onRetry, silenceMs, trace }: ConnectingContext,
  work: (resources: TransferContext) => Promise<T>,
  changed: Partial<ConnectingOptions> = {},
): Promise<T> {
  const request = { signal, now, elapsed, delay, onRetry, silenceMs, trace, proxy: settings.proxy };
  const usual = { onBytes: () => {}, concurrency: undefined, check: true, limitRate: undefined };
  return withTransferContext({ ...request, ...usual, ...changed }, work);
}

export function urlRequester(
  { volume, region, path }: VolumePath,
  { api, project }: VolumeContext,
): () => Promise<string> {
  return async () => (await api(getDownloadLink, { project, volume, query: { region, file_path: path } })).url;
}
