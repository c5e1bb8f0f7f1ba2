import type { Context } from '../../context.ts';
import { getDownloadLink } from '../../contract/volumes.ts';
import { UsageError } from '../../errors.ts';
import { readContent } from '../../transfer/read.ts';
import { RemoteContent } from '../../transfer/remote-content.ts';
import { printRemotePath } from '../../transfer/remote-path.ts';
import { withEngine } from '../../transfer/resources.ts';
import { findEntry, type VolumePath } from './walk-volume.ts';

type Reading = Pick<
  Context,
  'api' | 'project' | 'settings' | 'signal' | 'now' | 'elapsed' | 'delay' | 'onRetry' | 'silenceMs'
>;

/** A file that is there, and its size in bytes. */
export interface Found {
  at: VolumePath;
  bytes: number;
}

/** Looks for all files before anything is read. Throws NotFoundError, or UsageError when one is a folder. */
export async function findFiles(context: Reading, paths: VolumePath[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const at of paths) {
    const { isFolder, size } = await findEntry(context, at);
    if (isFolder) {
      throw new UsageError(`${printRemotePath(at)} is a folder`, { why: 'only the content of files can be printed' });
    }
    found.push({ at, bytes: size ?? 0 });
  }
  return found;
}

/** Hands the contents of files on, one after another, byte for byte, no faster than they are taken. */
export async function pourFiles(
  { api, project, settings, signal, now, elapsed, delay, onRetry, silenceMs }: Reading,
  files: Found[],
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const options = {
    ...{ proxy: settings.proxy, silenceMs, signal, now, elapsed, delay, onRetry, onBytes: () => {} },
    ...{ concurrency: 1, limitRate: undefined, check: false },
  };
  await withEngine(options, async (engine) => {
    for (const { at, bytes } of files) {
      const { volume, region, path } = at;
      const link = async () =>
        (await api(getDownloadLink, { project, volume, query: { region, file_path: path } })).url;
      for await (const piece of readContent(new RemoteContent(bytes, link, engine), engine)) await take(piece);
    }
  });
}
