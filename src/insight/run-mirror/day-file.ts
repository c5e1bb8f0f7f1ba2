import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { makePrivateFolder, openRegular, waitForLock, writeAtomically } from '../../kernel/disk/index.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import { numberColumns, RunTable, type StoredTable, wordColumns } from './run-table.ts';

export const dayMs = 86_400_000;

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
  /** Of this reading: they are not kept, but read again. */
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
const Header = v.object({
  gantryRuns: v.literal(3),
  project: v.string(),
  app: v.string(),
  day: Time,
  readTo: Time,
  readAt: Time,
  runs: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Lengths in bytes of the last two parts, which are JSON: the lists of words, and the ids. */
  wordBytes: v.number(),
  idBytes: v.number(),
  crc32: v.number(),
});
type Header = v.InferOutput<typeof Header>;

/** Reads a day; undefined if it is not kept, or damaged. */
export async function readDay(folder: string, day: number): Promise<RunDay | undefined> {
  const bytes = await readWhole(dayPath(folder, day)).catch(() => undefined);
  const header = bytes && parseHeader(bytes);
  if (!bytes || header?.day !== day) return undefined;
  const body = bytes.subarray(bytes.indexOf('\n') + 1);
  if (crc32(body) !== header.crc32) return undefined;
  const table = parseBody(body, header);
  return table && { day, runs: new RunTable(table), gaps: [], readTo: header.readTo, readAt: header.readAt };
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
 * Keeps a day, and what another process has kept of it meanwhile. A file is replaced as a whole, so that it is always one
 * of those that were written. Throws an error of the disk.
 */
export async function writeDay(folder: string, owner: MirrorOwner, day: RunDay): Promise<void> {
  makePrivateFolder(folder);
  const path = dayPath(folder, day.day);
  // Without the lock, the last of two writers wins: what the other one has read is read again.
  const lock = await waitForLock(`${path}.lock`, 2_000);
  try {
    const other = await readDay(folder, day.day);
    if (other) {
      day.runs.absorb(other.runs);
      day.readTo = Math.max(day.readTo, other.readTo);
      day.readAt = Math.max(day.readAt, other.readAt);
    }
    const parts = serialize(owner, day);
    await writeAtomically(path, (file) => file.writev(parts), { mode: 0o600 });
  } finally {
    lock?.release();
  }
}

function serialize({ project, app }: MirrorOwner, { day, runs, readTo, readAt }: RunDay): Uint8Array[] {
  const table = runs.sorted();
  const words = Buffer.from(JSON.stringify(wordColumns.map((name) => table.words[name].list)));
  const ids = Buffer.from(JSON.stringify(table.ids()));
  const columns = [
    ...numberColumns.map((name) => table.numbers[name]),
    ...wordColumns.map((name) => table.words[name].numbers),
  ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  const body = [...columns, words, ids];
  const header: Header = {
    gantryRuns: 3,
    project,
    app,
    day,
    readTo,
    readAt,
    runs: table.length,
    wordBytes: words.length,
    idBytes: ids.length,
    crc32: body.reduce((sum, part) => crc32(part, sum), 0),
  };
  return [Buffer.from(`${JSON.stringify(header)}\n`), ...body];
}

const maxHeaderBytes = 4 * 1024;

function parseHeader(bytes: Buffer): Header | undefined {
  const text = bytes.toString('utf8', 0, Math.min(maxHeaderBytes, bytes.indexOf('\n')));
  const parsed = v.safeParse(Header, tryParseJson(text));
  return parsed.success ? parsed.output : undefined;
}

function parseBody(body: Buffer, { runs, wordBytes, idBytes }: Header): StoredTable | undefined {
  const columnBytes = runs * (8 * numberColumns.length + 4 * wordColumns.length);
  if (body.length !== columnBytes + wordBytes + idBytes) return undefined;
  let at = 0;
  // A copy of each: columns must lie at multiples of their width.
  const next = (bytes: number) => {
    at += bytes;
    return body.buffer.slice(body.byteOffset + at - bytes, body.byteOffset + at) as ArrayBuffer;
  };
  const numbers = numberColumns.map((name) => [name, new Float64Array(next(8 * runs))]);
  const numbersOfWords = wordColumns.map(() => new Uint32Array(next(4 * runs)));
  const lists = JSON.parse(body.toString('utf8', at, at + wordBytes)) as string[][];
  const words = wordColumns.map((name, index) => [name, { list: lists[index] ?? [], numbers: numbersOfWords[index] }]);
  const ids = body.subarray(at + wordBytes);
  return {
    length: runs,
    numbers: Object.fromEntries(numbers),
    words: Object.fromEntries(words),
    ids: () => JSON.parse(ids.toString('utf8')) as string[],
  };
}

async function readWhole(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}
