import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { tryParseJson } from '../../../kernel/json-text.ts';
import { DamagedDataError } from '../../model/state/damaged.ts';

/** Written last: a folder without it is no snapshot. */
export const manifestFile = 'snapshot.json';

const Manifest = v.looseObject({
  version: v.pipe(v.number(), v.maxValue(1, 'was written by a newer version of gantry')),
  /** How far the clock was ahead. */
  advancedMs: v.pipe(v.number(), v.minValue(0)),
});

export type SnapshotManifest = v.InferOutput<typeof Manifest>;

/** Throws a `DamagedDataError` for a folder that is no snapshot. */
export function readManifest(snapshot: string): SnapshotManifest {
  const file = join(snapshot, manifestFile);
  try {
    const parsed = v.safeParse(Manifest, tryParseJson(readFileSync(file, 'utf8')));
    if (parsed.success) return parsed.output;
    throw new DamagedDataError(file, parsed.issues[0].message);
  } catch (error) {
    if (error instanceof DamagedDataError) throw error;
    throw new DamagedDataError(file, (error as Error).message, error);
  }
}
