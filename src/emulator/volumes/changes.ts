import * as v from 'valibot';
import type { FileRecord, StoredPart } from './tree.ts';

/** What changes volumes. They are made of nothing else, so that a list of these is all that has to be kept. */
export type VolumeChange =
  | ({ is: 'file'; names: readonly string[]; file: FileRecord } & VolumeLocation)
  | ({ is: 'folder'; names: readonly string[] } & VolumeLocation)
  | ({ is: 'removed'; names: readonly string[] } & VolumeLocation)
  | ({ is: 'resized'; size: number } & VolumeLocation)
  | ({ is: 'begun' } & Omit<UploadSession, 'parts'>)
  | { is: 'part'; upload: string; number: number; part: StoredPart & { md5: string } }
  | { is: 'ended'; upload: string };

/** A change from its line of JSON; undefined when it is none. */
export function parseVolumeChange(line: string): VolumeChange | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(line));
    return result.success ? (result.output as VolumeChange) : undefined;
  } catch {
    return undefined;
  }
}

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0));
// An id is the name of a file on disk.
const piece = { id: v.pipe(v.string(), v.uuid()), size: bytes };
const names = v.array(v.string());
const place = { project: v.string(), volume: v.string(), region: v.string() };
const file = v.object({
  size: bytes,
  modified: v.pipe(v.number(), v.minValue(0), v.maxValue(8e15)),
  etag: v.string(),
  pieces: v.array(v.object(piece)),
});

const schema = v.variant('is', [
  v.object({ is: v.literal('file'), names, file, ...place }),
  v.object({ is: v.literal('folder'), names, ...place }),
  v.object({ is: v.literal('removed'), names, ...place }),
  v.object({ is: v.literal('resized'), size: bytes, ...place }),
  v.object({ is: v.literal('begun'), id: v.string(), names, partCount: v.number(), ...place }),
  v.object({
    is: v.literal('part'),
    upload: v.string(),
    number: v.number(),
    part: v.object({ ...piece, md5: v.string() }),
  }),
  v.object({ is: v.literal('ended'), upload: v.string() }),
]);

/** Where a volume is. Each project has the volume `default` in every region. */
export interface VolumeLocation {
  project: string;
  volume: string;
  region: string;
}

/** A file on its way: it is not in its volume before it is complete. */
export interface UploadSession extends VolumeLocation {
  id: string;
  names: string[];
  partCount: number;
  /** The MD5 of each in hex. */
  parts: Map<number, StoredPart & { md5: string }>;
}
