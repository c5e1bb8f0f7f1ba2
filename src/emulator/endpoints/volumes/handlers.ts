import { words } from '../../../kernel/words.ts';
import { refuse } from '../../http/reply.ts';
import type { Store } from '../../model/state/store.ts';
import { objectKey, splitPath, type VolumeFile, type VolumeLocation } from '../../running/volumes/volume.ts';
import type { UploadSession } from '../../running/volumes/volume-store.ts';
import type { Handlers } from '../platform.ts';
import { signUrl } from '../storage.ts';

export const volumeHandlers = {
  listVolumes({ project }, { volumes, store }) {
    volumes.volume({ project, region: defaultRegion });
    return volumes.regionsOf(project).map((region) => ({
      id: `default-${region}`,
      name: 'default',
      region,
      sizeGb: sizeOf({ project, region }, store),
      usedBytes: [...volumes.volume({ project, region }).walk()].reduce((sum, { file }) => sum + (file?.size ?? 0), 0),
    }));
  },

  initializeUpload({ query, body, ...params }, platform) {
    const { volumes, store } = platform;
    const location = parseLocation(params, query.region || body.region);
    const { names, isFolderPath } = splitPath(body.file_path);
    if (isFolderPath) refuse(400, `${body.file_path} is a folder: file_path must be the path of a file`);
    volumes.volume(location).checkWritable(names);
    const id = store.newId();
    volumes.uploads.set(id, { ...location, names, partCount: body.part_count, parts: new Map() });
    const key = objectKey(location, names);
    const parts = Array.from({ length: body.part_count }, (_, index) => ({
      part_number: index + 1,
      url: signUrl('PUT', key, platform, { partNumber: String(index + 1), uploadId: id }),
    }));
    return { upload_id: id, parts };
  },

  async completeUpload({ query, body, ...params }, { volumes }) {
    const location = parseLocation(params, query.region || body.region);
    const upload = volumes.uploads.get(body.upload_id);
    const { names } = splitPath(body.file_path);
    if (!upload || objectKey(upload, upload.names) !== objectKey(location, names)) {
      return refuse(404, `upload ${body.upload_id} of ${body.file_path} not found: it may be complete already`);
    }
    checkParts(upload, body.parts);
    volumes.volume(location).checkWritable(names);
    await volumes.complete(body.upload_id, upload);
    return undefined;
  },

  listFolder({ query, ...params }, { volumes }) {
    const dir = query.dir || '/';
    // A folder that does not exist has no entries, as on the platform.
    const entries = volumes.volume(parseLocation(params, query.region)).list(splitPath(dir).names) ?? [];
    return entries.map(([name, entry]) => listingEntry(name, entry)).sort(foldersFirst);
  },

  getDownloadLink({ query, ...params }, platform) {
    const location = parseLocation(params, query.region);
    const path = query.file_path;
    const { names } = splitPath(path);
    const file = platform.volumes.volume(location).find(names);
    if (!file || file === 'folder') return refuse(404, `file ${path} not found`);
    return { url: signUrl('GET', objectKey(location, names), platform) };
  },

  deletePath({ query, ...params }, { volumes }) {
    const location = parseLocation(params, query.region);
    const path = query.file_path || refuse(400, 'file_path is required');
    const { names, isFolderPath } = splitPath(path);
    const volume = volumes.volume(location);
    const entry = volume.find(names);
    if (!entry || (entry === 'folder') !== isFolderPath) return refuse(404, `${path} not found`);
    volume.remove(names);
    return `${path} deleted`;
  },

  // This path names the volume and its region in one segment: `default-us-east-1`.
  resizeVolume({ project, volume, body }, { volumes, store }) {
    const [, region] = /^default-(.+)$/.exec(volume) ?? refuse(404, `volume ${volume} not found`);
    const location = parseLocation({ project, volume: 'default' }, region);
    const size = sizeOf(location, store);
    if (body.newSizeGb < size) refuse(400, `volume ${volume} has ${size} GB and cannot be made smaller`);
    volumes.volume(location);
    store.volumeSizes.set(`${project}/${location.region}`, body.newSizeGb);
    store.save();
    return undefined;
  },
} satisfies Partial<Handlers>;

/** Minimum size of every part except the last. */
const minPartBytes = 5 * 1024 ** 2;

const defaultRegion = 'us-east-1';

/** Regions in which a volume can be (docs/platform.md#regions). */
const regions: readonly string[] = words(
  'us-east-1 us-central1 eu-north-1 eu-north1 global us-west-2 eu-west-2 eu-central-1',
  'ap-south-1 ap-northeast-1 sa-east-1 ca-central-1 me-central-1 eu-west-1',
);

function parseLocation({ project, volume }: { project: string; volume: string }, requested?: string): VolumeLocation {
  const region = requested || defaultRegion;
  if (!regions.includes(region)) refuse(400, `unknown region: ${region}`);
  if (volume !== 'default') refuse(404, `volume ${volume} not found`);
  return { project, region };
}

const initialSizeGb = 50;

function sizeOf({ project, region }: VolumeLocation, { volumeSizes }: Store): number {
  return volumeSizes.get(`${project}/${region}`) ?? initialSizeGb;
}

/** The checks of object storage before it completes an upload. */
function checkParts(upload: UploadSession, parts: { part_number: number; etag: string }[]): void {
  const numbers = parts.map(({ part_number }) => part_number);
  if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0)))
    refuse(400, 'InvalidPartOrder: the list of parts is not in ascending order');
  for (const { part_number, etag } of parts) {
    if (upload.parts.get(part_number)?.md5 !== etag.replaceAll('"', ''))
      refuse(400, `InvalidPart: part ${part_number} was not uploaded, or its ETag does not match`);
  }
  if (parts.length !== upload.partCount)
    refuse(400, `InvalidPart: ${parts.length} of ${upload.partCount} parts were listed`);
  const small = numbers.slice(0, -1).find((number) => (upload.parts.get(number)?.size ?? 0) < minPartBytes);
  if (small !== undefined) refuse(400, `EntityTooSmall: part ${small} is smaller than 5 MiB and not the last`);
}

function listingEntry(name: string, entry: VolumeFile | 'folder') {
  if (entry === 'folder')
    return { name: `${name}/`, is_folder: true, size_bytes: 0, last_modified: '0001-01-01T00:00:00Z' };
  const { size, modified } = entry;
  return { name, is_folder: false, size_bytes: size, last_modified: new Date(modified).toISOString() };
}

type ListingEntry = ReturnType<typeof listingEntry>;

function foldersFirst(a: ListingEntry, b: ListingEntry): number {
  if (a.is_folder !== b.is_folder) return a.is_folder ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
