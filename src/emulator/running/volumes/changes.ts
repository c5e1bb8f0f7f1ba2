import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { DamagedDataError } from '../../model/state/data-folder.ts';
import { parseJsonLine } from '../../model/state/schema.ts';
import type { FileRecord, StoredPart } from './tree.ts';

/** An entry of the volumes' journal. Replaying all of them restores the volumes. */
export type VolumeChange =
  | ({ is: 'file'; names: readonly string[]; file: FileRecord } & VolumeLocation)
  | ({ is: 'folder'; names: readonly string[] } & VolumeLocation)
  | ({ is: 'removed'; names: readonly string[] } & VolumeLocation)
  | ({ is: 'resized'; size: number } & VolumeLocation)
  | ({ is: 'begun' } & Omit<UploadSession, 'parts'>)
  | { is: 'part'; upload: string; number: number; part: StoredPart & { md5: string } }
  | { is: 'ended'; upload: string };

/**
 * The changes of a journal. A last line that a crash truncated is dropped. Any other invalid line is a `DamagedDataError`,
 * because the content that it refers to would be deleted.
 */
export function readJournal(file: string): VolumeChange[] {
  const lines = linesOf(file);
  return lines.flatMap((line, index) => {
    const change = line === '' ? undefined : parseVolumeChange(line);
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

function parseVolumeChange(line: string): VolumeChange | undefined {
  return parseJsonLine(schema, line) as VolumeChange | undefined;
}

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0));
// The id is a file name on disk, so it must not contain slashes.
const storedPart = { id: v.pipe(v.string(), v.uuid()), size: bytes };
const names = v.array(v.string());
const location = { project: v.string(), volume: v.string(), region: v.string() };
const file = v.object({
  size: bytes,
  modified: v.pipe(v.number(), v.minValue(0), v.maxValue(8e15)),
  etag: v.string(),
  parts: v.array(v.object(storedPart)),
});

const schema = v.variant('is', [
  v.object({ is: v.literal('file'), names, file, ...location }),
  v.object({ is: v.literal('folder'), names, ...location }),
  v.object({ is: v.literal('removed'), names, ...location }),
  v.object({ is: v.literal('resized'), size: bytes, ...location }),
  v.object({ is: v.literal('begun'), id: v.string(), names, partCount: v.number(), ...location }),
  v.object({
    is: v.literal('part'),
    upload: v.string(),
    number: v.number(),
    part: v.object({ ...storedPart, md5: v.string() }),
  }),
  v.object({ is: v.literal('ended'), upload: v.string() }),
]);

/** Each project has a volume `default` in every region. */
export interface VolumeLocation {
  project: string;
  volume: string;
  region: string;
}

/** An upload in progress. Its file is not in the volume before it is completed. */
export interface UploadSession extends VolumeLocation {
  id: string;
  names: string[];
  partCount: number;
  /** By part number. MD5 in hex. */
  parts: Map<number, StoredPart & { md5: string }>;
}
