import type { Context } from '../../context.ts';
import { getDownloadLink } from '../../contract/volumes.ts';
import { FailedError } from '../../errors.ts';
import { readRemoteFileInfo } from '../../transfer/remote-file-info.ts';
import type { TransferResources } from '../../transfer/resources.ts';
import type { VolumePath } from './walk-volume.ts';

type Calls = Pick<Context, 'api' | 'project'>;

/** Asks for a new link to read a file. */
export function urlRequester({ volume, region, path }: VolumePath, { api, project }: Calls): () => Promise<string> {
  return async () => (await api(getDownloadLink, { project, volume, query: { region, file_path: path } })).url;
}

/** The size of a file on a volume as the storage tells it. Throws a FailedError when it does not. */
export async function sizeFromStorage(at: VolumePath, calls: Calls, resources: TransferResources): Promise<number> {
  const { bytes } = await readRemoteFileInfo(urlRequester(at, calls), resources);
  if (bytes !== undefined) return bytes;
  throw new FailedError('its size is not known: neither the listing nor the storage tells it');
}
