import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { makePrivateFolder, openRegular, readRegular, writeAtomically } from '../../kernel/disk/index.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import { RunTable, type StoredTable } from './run-table.ts';

/** A period in which the platform announced more runs than it returned. Times in ms since 1970. */
export interface Gap {
  from: number;
  to: number;
  /** NaN if the platform did not say how many. */
  missing: number;
}

/** The runs of an app that were created on one day, in UTC. */
export interface RunDay {
  /** Its midnight. */
  day: number;
  runs: RunTable;
  /** Gaps of this reading: they are not kept, but read again. */
  gaps: Gap[];
  /** All runs that were created before are here, and what was known of them then. */
  readTo: number;
  /** When the day was last read up to its end; 0 if it never was. */
  readAt: number;
}

/** Whose runs a file has: it is named by a hash. */
export interface MirrorOwner {
  project: string;
  app: string;
}

export function emptyDay(day: number): RunDay {
  return { day, runs: new RunTable(), gaps: [], readTo: day, readAt: 0 };
}

export function dayPath(folder: string, day: number): string {
  return join(folder, `${new Date(day).toISOString().slice(0, 10)}.runs`);
}

const Time = v.pipe(v.number(), v.integer());
/** The first line of a file. What follows is a table as V8 serializes it. */
const Header = v.object({
  gantryRuns: v.literal(5),
  project: v.string(),
  app: v.string(),
  day: Time,
  readTo: Time,
  readAt: Time,
  crc32: v.number(),
});
type Header = v.InferOutput<typeof Header>;

/** Reads a day; undefined if it is not kept, or damaged. */
export function readDay(folder: string, day: number): Promise<RunDay | undefined> {
  return readKept(folder, day).catch(() => undefined);
}

async function readKept(folder: string, day: number): Promise<RunDay | undefined> {
  const bytes = await readRegular(dayPath(folder, day));
  const header = parseHeader(bytes);
  const body = bytes.subarray(bytes.indexOf('\n') + 1);
  if (header?.day !== day || crc32(body) !== header.crc32) return undefined;
  const runs = new RunTable(deserialize(body) as StoredTable);
  return { day, runs, gaps: [], readTo: header.readTo, readAt: header.readAt };
}

/** Whose runs a file has; undefined if it is none of this format. */
export async function readOwner(path: string): Promise<MirrorOwner | undefined> {
  const file = await openRegular(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0);
    return parseHeader(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/**
 * Keeps a day. A file is replaced as a whole: of two commands the last one wins, and what the other one has read is read
 * again. Throws an error of the disk.
 */
export async function writeDay(folder: string, owner: MirrorOwner, day: RunDay): Promise<void> {
  makePrivateFolder(folder);
  const parts = toBytes(owner, day);
  await writeAtomically(dayPath(folder, day.day), (file) => file.writev(parts), { mode: 0o600 });
}

function toBytes({ project, app }: MirrorOwner, { day, runs, readTo, readAt }: RunDay): Uint8Array[] {
  const body = serialize(runs.sorted());
  const header: Header = { gantryRuns: 5, project, app, day, readTo, readAt, crc32: crc32(body) };
  return [Buffer.from(`${JSON.stringify(header)}\n`), body];
}

const maxHeaderBytes = 4 * 1024;

function parseHeader(bytes: Buffer): Header | undefined {
  const text = bytes.toString('utf8', 0, Math.min(maxHeaderBytes, bytes.indexOf('\n')));
  const parsed = v.safeParse(Header, tryParseJson(text));
  return parsed.success ? parsed.output : undefined;
}
