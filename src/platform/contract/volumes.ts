import * as v from 'valibot';
import { isRecord } from '../../kernel/json-text.ts';
import { assumed, endpoint } from './endpoint.ts';
import { longListOf, objectOf, replyObject } from './lists.ts';
import { booleanOrFalse, maybe, numberOrNaN, textOrEmpty } from './scalars.ts';

const entryFields = {
  /** The name of a folder may end with a slash. */
  name: textOrEmpty,
  is_folder: booleanOrFalse,
  size_bytes: maybe.number,
  last_modified: maybe.time,
};

/**
 * A file or folder of a volume, as listed by its folder (docs/platform.md#volumes). One whose name leads out of the folder,
 * or is not Unicode, cannot be read: nothing may be deleted or copied by such a name.
 */
export const VolumeEntry = Object.assign(
  v.pipe(
    v.unknown(),
    v.check(isInFolder, 'has a name that leads out of its folder, or is not Unicode'),
    objectOf(entryFields),
  ),
  { entries: entryFields },
) as unknown as v.GenericSchema<v.InferInput<EntryObject>, v.InferOutput<EntryObject>>;
export type VolumeEntry = v.InferOutput<typeof VolumeEntry>;
type EntryObject = ReturnType<typeof objectOf<typeof entryFields>>;

function isInFolder(entry: unknown): boolean {
  if (!isRecord(entry) || typeof entry.name !== 'string') return true;
  const name = entry.name.replace(/\/$/, '');
  // A folder may list itself.
  if (name === '' || name === '.') return Boolean(entry.is_folder) || name !== entry.name;
  // A name that is not Unicode would be sent, and stored, as another.
  return name !== '..' && !name.includes('/') && name.isWellFormed();
}

const region = v.optional(v.string());

/**
 * List the volumes of a project (docs/platform.md#volumes). The shape of the reply is not documented, so any is
 * accepted.
 */
export const listVolumes = endpoint('GET /v2/projects/{project}/volumes', {
  reply: assumed(v.unknown()),
});

/** Start to upload a file in `part_count` parts, numbered from 1 (spec 4.10). Each part gets its own presigned URL. */
export const initializeUpload = endpoint('POST /v2/projects/{project}/volumes/{volume}/cp/initialize', {
  query: v.object({ region }),
  body: v.object({
    file_path: v.string(),
    part_count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)),
    region,
  }),
  reply: replyObject(
    {
      upload_id: textOrEmpty,
      parts: v.array(replyObject({ part_number: numberOrNaN, url: textOrEmpty }, 'part_number', 'url')),
    },
    'upload_id',
  ),
  // A retry may leave an unused upload behind, which is never visible.
  retryable: true,
});

/** Assemble the file from its parts (docs/platform.md#volumes). The file is not visible before this call. */
export const completeUpload = endpoint('POST /v2/projects/{project}/volumes/{volume}/cp/complete', {
  query: v.object({ region }),
  body: v.object({
    upload_id: v.string(),
    file_path: v.string(),
    parts: v.array(v.object({ part_number: v.number(), etag: v.string() })),
    region,
  }),
  reply: 'nothing',
  // Of an upload that is complete, a retry gets a 404: the listing tells.
  retryable: true,
});

/**
 * List one folder of a volume, `/` by default, without subfolders (docs/platform.md#volumes). Null is an empty folder. An
 * empty body is not: a lost answer would look the same, and `sync --delete` would delete everything.
 */
export const listFolder = endpoint('GET /v2/projects/{project}/volumes/{volume}/ls', {
  query: v.object({ region, dir: v.optional(v.string()) }),
  reply: longListOf(VolumeEntry, 'name'),
});

/** Get a presigned URL to read one file (docs/platform.md#volumes). */
export const getDownloadLink = endpoint('GET /v2/projects/{project}/volumes/{volume}/download', {
  query: v.object({ region, file_path: v.string() }),
  reply: replyObject({ url: textOrEmpty }, 'url'),
});

/** Deletes a file, or a folder (path with a trailing slash) with its contents. The reply is plain text (spec 4.11). */
export const deletePath = endpoint('DELETE /v2/projects/{project}/volumes/{volume}/rm', {
  query: v.object({ region, file_path: v.string() }),
  reply: 'text',
});

/** Grow a volume, in GB (docs/platform.md#volumes). This path names the volume `default-<region>`. Safe to repeat. */
export const resizeVolume = endpoint('PATCH /v2/projects/{project}/volumes/{volume}/resize', {
  body: v.object({ newSizeGb: v.pipe(v.number(), v.integer(), v.minValue(50), v.maxValue(1000)) }),
  reply: 'nothing',
  retryable: true,
});
