import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { DamagedDataError, parseJsonLine } from '../../model/state/data-folder.ts';
import { Time } from '../../model/state/records.ts';

const Bytes = v.pipe(v.number(), v.integer(), v.minValue(0));
// The id is a file name on disk, so it must not contain slashes.
const StoredPart = v.object({ id: v.pipe(v.string(), v.uuid()), size: Bytes });
export type StoredPart = v.InferOutput<typeof StoredPart>;

/** A file of a volume. `parts` are the uploaded parts of its content, in order. */
const FileRecord = v.object({
  size: Bytes,
  modified: Time,
  /** Without quotes: the MD5 of the parts' MD5s, and the number of parts. */
  etag: v.string(),
  parts: v.array(StoredPart),
});
export type FileRecord = v.InferOutput<typeof FileRecord>;

/** Each project has a volume `default` in every region. */
const VolumeLocation = v.object({ project: v.string(), volume: v.string(), region: v.string() });
export type VolumeLocation = v.InferOutput<typeof VolumeLocation>;

const names = v.pipe(v.array(v.string()), v.readonly());
/** An upload in progress. Its file is not in the volume before it is completed. */
const Upload = v.object({ id: v.string(), names, partCount: v.number(), ...VolumeLocation.entries });
/** With its MD5 in hex. */
const UploadedPart = v.object({ ...StoredPart.entries, md5: v.string() });
export type UploadSession = v.InferOutput<typeof Upload> & {
  /** By part number. */
  parts: Map<number, v.InferOutput<typeof UploadedPart>>;
};

/** An entry of the volumes' journal. Replaying all of them restores the volumes. */
const VolumeChange = v.variant('is', [
  v.object({ is: v.literal('file'), names, file: FileRecord, ...VolumeLocation.entries }),
  v.object({ is: v.literal('folder'), names, ...VolumeLocation.entries }),
  v.object({ is: v.literal('removed'), names, ...VolumeLocation.entries }),
  v.object({ is: v.literal('resized'), size: Bytes, ...VolumeLocation.entries }),
  v.object({ is: v.literal('begun'), ...Upload.entries }),
  v.object({ is: v.literal('part'), upload: v.string(), number: v.number(), part: UploadedPart }),
  v.object({ is: v.literal('ended'), upload: v.string() }),
]);
export type VolumeChange = v.InferOutput<typeof VolumeChange>;

/**
 * The changes of a journal. A last line that a crash truncated is dropped. Any other invalid line is a `DamagedDataError`,
 * because the content that it refers to would be deleted.
 */
export function readJournal(file: string): VolumeChange[] {
  const lines = linesOf(file);
  return lines.flatMap((line, index) => {
    const change = line === '' ? undefined : parseJsonLine(VolumeChange, line);
    if (!change && line !== '' && index < lines.length - 1) {
      throw new DamagedDataError(file, `line ${index + 1} is not a valid volume change`);
    }
    return change ?? [];
  });
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new DamagedDataError(file, message, error);
  }
}
