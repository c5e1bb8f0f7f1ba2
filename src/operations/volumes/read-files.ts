import { quoteForShell } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { readContent, readVerified } from '../../transfer/read-content.ts';
import { RemoteContent } from '../../transfer/remote-content.ts';
import { formatRemotePath } from '../../transfer/remote-path.ts';
import { withTransferResources } from '../../transfer/resources.ts';
import { CorruptError } from '../../transfer/storage-errors.ts';
import { sizeFromStorage, urlRequester } from './download-url.ts';
import { findEntry, type VolumePath } from './walk-volume.ts';

type Reading = Pick<
  Context,
  'api' | 'project' | 'settings' | 'signal' | 'now' | 'elapsed' | 'delay' | 'onRetry' | 'silenceMs'
>;

/** A file that is there. */
export interface RemoteFile {
  at: VolumePath;
  /** Its size; undefined where the platform does not tell it. */
  bytes: number | undefined;
}

/** Looks for all files before anything is read. Throws NotFoundError, or UsageError when one is a folder. */
export async function findRemoteFiles(context: Reading, paths: VolumePath[]): Promise<RemoteFile[]> {
  const found: RemoteFile[] = [];
  for (const at of paths) {
    const { isFolder, size } = await findEntry(context, at);
    if (isFolder) {
      throw new UsageError(`${formatRemotePath(at)} is a folder`, { why: 'only the content of files can be printed' });
    }
    found.push({ at, bytes: size ?? undefined });
  }
  return found;
}

/**
 * Hands the contents of files on, one after another, byte for byte, no faster than they are taken. With `check`, what
 * was handed on is compared with the checksum of the storage: throws a CorruptError when it is not the file.
 */
export async function streamFiles(
  { api, project, settings, signal, now, elapsed, delay, onRetry, silenceMs }: Reading,
  files: RemoteFile[],
  take: (bytes: Uint8Array) => Promise<void>,
  check = true,
): Promise<void> {
  const options = {
    ...{ proxy: settings.proxy, silenceMs, signal, now, elapsed, delay, onRetry, onBytes: () => {} },
    ...{ concurrency: 1, limitRate: undefined, check: false },
  };
  await withTransferResources(options, async (resources) => {
    for (const { at, bytes } of files) {
      const calls = { api, project };
      const content = new RemoteContent(
        bytes ?? (await sizeFromStorage(at, calls, resources)),
        urlRequester(at, calls),
        resources,
      );
      try {
        for await (const piece of check ? readVerified(content, resources) : readContent(content, resources))
          await take(piece);
      } catch (error) {
        throw error instanceof CorruptError ? damaged(at, error) : error;
      }
    }
  });
}

/** What was printed cannot be taken back, so that a retry is up to the reader. */
function damaged(at: VolumePath, { message }: CorruptError): CorruptError {
  const path = formatRemotePath(at);
  return new CorruptError(`the printed content of ${path} is wrong: ${message}`, {
    why: 'it was damaged on the way, or the storage sends a checksum of something else, as for encrypted files',
    fix: `print it again; if it happens again: gantry cp --no-check ${quoteForShell(path)} -`,
    retryable: true,
  });
}
