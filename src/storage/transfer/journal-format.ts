import * as v from 'valibot';
import { tryParseJson } from '../../kernel/json-text.ts';
import { maxParts } from './parts.ts';

const partNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxParts));
const byteCount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.string();
/** What hash-wasm saves: it begins with the version of its SHA-256, and only that version loads it. */
const sha256State = /^8ed695a3[0-9a-f]{224}$/;
const SentPart = v.strictObject({
  number: partNumber,
  etag: v.pipe(text, v.nonEmpty()),
  // Of another version of gantry it may be useless: the file is then read from its start.
  sha256State: v.fallback(v.optional(v.pipe(text, v.regex(sha256State))), undefined),
});
const OpenUpload = v.strictObject({
  id: text,
  urls: v.pipe(v.array(text), v.minLength(1), v.maxLength(maxParts)),
  urlsExpireAt: v.optional(v.number()),
});
/** A file name, so that it cannot lead to another folder. */
const fileName = v.pipe(text, v.regex(/^\.gantry-[0-9a-f]{16}-[0-9a-z]+$/));

/** One line of a journal. `file` is the path within the copy, `mark` changes when the file changes. */
const JournalLine = v.variant('is', [
  v.strictObject({ is: v.literal('begun'), file: text, mark: text, partBytes: byteCount, upload: OpenUpload }),
  v.strictObject({ is: v.literal('part'), file: text, part: SentPart }),
  /** `temporary` is the name of the temporary file in the folder of its target. */
  v.strictObject({
    is: v.literal('receiving'),
    file: text,
    mark: text,
    partBytes: byteCount,
    version: v.pipe(text, v.nonEmpty()),
    temporary: fileName,
  }),
  v.strictObject({ is: v.literal('range'), file: text, number: partNumber }),
  /**
   * A completed upload, which is done only once the volume lists the file. `since`: start of the upload by the storage's
   * clock; `at`: its end by this machine's clock. Both in ms since 1970.
   */
  v.strictObject({ is: v.literal('sent'), file: text, mark: text, since: v.number(), at: v.number() }),
  /** `at`: in ms since 1970 by this machine's clock. */
  v.strictObject({ is: v.literal('done'), file: text, mark: text, at: v.number() }),
]);
export type JournalLine = v.InferOutput<typeof JournalLine>;

/** The state of a file from a previous attempt. */
export interface JournalEntry {
  mark: string;
  /** In ms since 1970; undefined if not done. */
  doneAt?: number;
  /** Start and end of a completed upload. */
  sent?: { since: number; at: number };
  partBytes?: number;
  upload?: Extract<JournalLine, { is: 'begun' }>['upload'];
  parts: Extract<JournalLine, { is: 'part' }>['part'][];
  version?: string;
  temporary?: string;
  ranges: number[];
}

/**
 * Returns undefined if the journal is damaged. Ignores lines that a crash truncated. A file that is started again replaces
 * its earlier entry.
 */
export function parseJournal(content: string): Map<string, JournalEntry> | undefined {
  const saved = new Map<string, JournalEntry>();
  for (const row of content.split('\n')) {
    const value = row === '' ? undefined : tryParseJson(row);
    if (value === undefined) continue;
    const line = v.safeParse(JournalLine, value);
    if (!line.success || !apply(line.output, saved)) return undefined;
  }
  return saved;
}

/** Returns false if the line contradicts earlier ones. */
function apply(line: JournalLine, saved: Map<string, JournalEntry>): boolean {
  const entry = saved.get(line.file);
  switch (line.is) {
    case 'part':
      if (!entry?.upload || line.part.number > entry.upload.urls.length) return false;
      entry.parts = [...entry.parts.filter(({ number }) => number !== line.part.number), line.part];
      return true;
    case 'range':
      if (entry?.version === undefined) return false;
      if (!entry.ranges.includes(line.number)) entry.ranges.push(line.number);
      return true;
    case 'sent': {
      const { mark, since, at } = line;
      saved.set(line.file, { mark, sent: { since, at }, parts: [], ranges: [] });
      return true;
    }
    case 'done':
      saved.set(line.file, { mark: line.mark, doneAt: line.at, parts: [], ranges: [] });
      return true;
    default: {
      const { is: _, file, ...begun } = line;
      saved.set(file, { ...begun, parts: [], ranges: [] });
      return true;
    }
  }
}
