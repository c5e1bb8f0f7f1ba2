import { FailedError } from '../../kernel/errors.ts';
import { getDownloadLink } from '../../platform/contract/volumes.ts';
import { readRemoteFileInfo } from '../transfer/remote-file-info.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { VolumeContext, VolumePath } from './walk-volume.ts';

/** Returns a function that requests a new signed URL to read a file. */
export function urlRequester(
  { volume, region, path }: VolumePath,
  { api, project }: VolumeContext,
): () => Promise<string> {
  return async () => (await api(getDownloadLink, { project, volume, query: { region, file_path: path } })).url;
}

/** Asks the storage for a file's size. Throws a FailedError if it does not report one. */
export async function sizeFromStorage(
  at: VolumePath,
  context: VolumeContext,
  resources: TransferContext,
): Promise<number> {
  const { bytes } = await readRemoteFileInfo(urlRequester(at, context), resources);
  if (bytes !== undefined) return bytes;
  throw new FailedError('unknown file size: neither the listing nor the storage reports it');
}
