import { createHash } from 'node:crypto';
import { compareLines, type LogLine } from './log-line.ts';
import type { LogPage, LogPageQuery, LogSource } from './log-source.ts';
import type { OnGap, SeenLines } from './seen-lines.ts';

/** A range of times, in ms since 1970. */
export interface LogRange {
  since?: number | undefined;
  until?: number | undefined;
}

const pageSize = 1_000;
/** Pages may overlap and be out of order: how many lines to hold back for sorting. */
const maxHeldLines = 5_000;
/** A server that returns more empty pages in a row has lost its position. */
const maxEmptyPages = 100;

/** Yields the new lines of a range in batches, oldest first. Returns whether the log is over, and whether it had lines that were seen before. */
export async function* readForward(source: LogSource, { since, until }: LogRange, seenLines: SeenLines, onGap: OnGap) {
  let held: LogLine[] = [];
  let ended = false;
  let overlaps = false;
  const query: LogPageQuery = { direction: 'forward', after: since, before: until, size: pageSize };
  try {
    for await (const page of readPages(source, query)) {
      const fresh = page.lines.filter((line) => seenLines.isNew(line, 'history', page));
      overlaps ||= fresh.length < page.lines.length;
      ended = page.hasEnded ?? false;
      held = [...held, ...fresh].sort(compareLines);
      if (page.isTruncated) onGap(held.at(-1) ?? seenLines.last, undefined);
      if (held.length > maxHeldLines) yield held.splice(0, held.length - maxHeldLines);
    }
  } catch (error) {
    // These lines count as seen and would not be returned again.
    if (held.length > 0) yield held;
    throw error;
  }
  if (held.length > 0) yield held;
  return { ended, overlaps };
}

/** Returns the last lines of a range in order, reading backward from its end. */
export async function readLastLines(
  source: LogSource,
  { since, until }: LogRange,
  limit: number,
  seenLines: SeenLines,
  onGap: OnGap,
): Promise<LogLine[]> {
  let lines: LogLine[] = [];
  const query: LogPageQuery = { direction: 'backward', after: since, before: until, size: Math.min(pageSize, limit) };
  for await (const page of readPages(source, query)) {
    lines = [...page.lines.filter((line) => seenLines.isNew(line, 'history', page)), ...lines];
    if (lines.length >= limit) break;
    if (page.isTruncated) onGap(undefined, lines.sort(compareLines)[0]);
  }
  return lines.sort(compareLines).slice(-limit);
}

/** Reads pages to the end. Stops at a repeated page: the platform would return the same ones forever. */
async function* readPages(source: LogSource, query: LogPageQuery): AsyncGenerator<LogPage> {
  const hashes = new Set<string>();
  let next: string | undefined;
  let empty = 0;
  do {
    const page = await source.readPage({ ...query, next });
    empty = page.lines.length > 0 ? 0 : empty + 1;
    const isLost =
      page.next !== undefined && (page.next === next || empty >= maxEmptyPages || isRepeated(page, hashes));
    yield isLost ? { ...page, isTruncated: true } : page;
    next = isLost ? undefined : page.next;
  } while (next !== undefined);
}

function isRepeated({ lines }: LogPage, hashes: Set<string>): boolean {
  if (lines.length === 0) return false;
  const hash = createHash('sha1');
  for (const { id, timestamp, container, text } of lines) hash.update(`${id ?? text} ${timestamp} ${container}\n`);
  const { size } = hashes;
  return hashes.add(hash.digest('base64')).size === size;
}
