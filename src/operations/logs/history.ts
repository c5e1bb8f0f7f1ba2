import { createHash } from 'node:crypto';
import { compareLines, type LogLine } from './log-line.ts';
import type { LogPage, LogPageQuery, LogSource } from './log-source.ts';
import type { SeenLines } from './seen-lines.ts';

/** A stretch of time, milliseconds since 1970. */
export interface TimeRange {
  since?: number | undefined;
  until?: number | undefined;
}

/** Lines may be missing between two others; without `to`, after the first. */
export type OnGap = (from: LogLine | undefined, to: LogLine | undefined) => void;

const pageSize = 1_000;
/** Pages may overlap, and be out of order: so many lines are held back to be put in order. */
const heldLines = 5_000;
/** A server that gives empty pages for ever has lost its place. */
const maxEmptyPages = 100;

/** All lines of a stretch from its beginning, those that are new, in order, some at a time. Returns whether the log is over. */
export async function* readForward(
  source: LogSource,
  { since, until }: TimeRange,
  seen: SeenLines,
  onGap: OnGap,
): AsyncGenerator<LogLine[], { ended: boolean; met: boolean }> {
  let held: LogLine[] = [];
  let ended = false;
  let met = false;
  const query: LogPageQuery = { direction: 'forward', after: since, before: until, size: pageSize };
  try {
    for await (const page of pages(source, query)) {
      const fresh = page.lines.filter((line) => seen.isNew(line, 'history', page));
      met ||= fresh.length < page.lines.length;
      ended = page.hasEnded ?? false;
      held = [...held, ...fresh].sort(compareLines);
      if (page.isTruncated) onGap(held.at(-1) ?? seen.last, undefined);
      if (held.length > heldLines) yield held.splice(0, held.length - heldLines);
    }
  } catch (error) {
    // They count as seen: nobody would get them again.
    if (held.length > 0) yield held;
    throw error;
  }
  if (held.length > 0) yield held;
  return { ended, met };
}

/** The last lines of a stretch, in order. They are looked for from its end. */
export async function readLastLines(
  source: LogSource,
  { since, until }: TimeRange,
  number: number,
  seen: SeenLines,
  onGap: OnGap,
): Promise<{ lines: LogLine[]; ended: boolean }> {
  let lines: LogLine[] = [];
  let ended = false;
  const query: LogPageQuery = { direction: 'backward', after: since, before: until, size: Math.min(pageSize, number) };
  for await (const page of pages(source, query)) {
    lines = [...upwards(page.lines).filter((line) => seen.isNew(line, 'history', page)), ...lines];
    ended ||= page.hasEnded ?? false;
    if (lines.length >= number) break;
    if (page.isTruncated) onGap(undefined, lines.sort(compareLines)[0]);
  }
  return { lines: lines.sort(compareLines).slice(-number), ended };
}

/** A page that was read backwards begins with the latest line, unless it can be seen that it does not. */
function upwards(lines: LogLine[]): LogLine[] {
  const [first, last] = [lines[0]?.at ?? 0, lines.at(-1)?.at ?? 0];
  return first < last ? lines : lines.toReversed();
}

/** Reads pages to the end. Stops at a page that was there before: the platform would give the same ones for ever. */
async function* pages(source: LogSource, query: LogPageQuery): AsyncGenerator<LogPage> {
  const known = new Set<string>();
  let next: string | undefined;
  let empty = 0;
  do {
    const page = await source.readPage({ ...query, next });
    empty = page.lines.length > 0 ? 0 : empty + 1;
    const lost = page.next !== undefined && (page.next === next || empty >= maxEmptyPages || isKnown(page, known));
    yield lost ? { ...page, isTruncated: true } : page;
    next = lost ? undefined : page.next;
  } while (next !== undefined);
}

function isKnown({ lines }: LogPage, known: Set<string>): boolean {
  if (lines.length === 0) return false;
  const hash = createHash('sha1');
  for (const { id, timestamp, container, text } of lines) hash.update(`${id ?? text} ${timestamp} ${container}\n`);
  const { size } = known;
  return known.add(hash.digest('base64')).size === size;
}
