import { createHash } from 'node:crypto';
import { inOrder, type LogLine } from './line.ts';
import type { Seen } from './seen.ts';
import type { LogPage, LogSource, PageQuery } from './source.ts';

/** A stretch of time, milliseconds since 1970. */
export interface Range {
  since?: number | undefined;
  until?: number | undefined;
}

/** Lines may be missing between two others; without `to`, after the first. */
export type OnGap = (from: LogLine | undefined, to: LogLine | undefined) => void;

const pageSize = 1_000;
/** Pages may overlap, and be out of order: so many lines are held back to be put in order. */
const heldLines = 5_000;
/** A server that gives empty pages for ever has lost its place. */
const mostEmptyPages = 100;

/** All lines of a stretch from its beginning, those that are new, in order, some at a time. Returns whether the log is over. */
export async function* forwards(
  source: LogSource,
  { since, until }: Range,
  seen: Seen,
  onGap: OnGap,
): AsyncGenerator<LogLine[], { ended: boolean; met: boolean }> {
  let held: LogLine[] = [];
  let ended = false;
  let met = false;
  const query: PageQuery = { direction: 'forward', after: since, before: until, size: pageSize };
  try {
    for await (const page of pages(source, query)) {
      const fresh = page.lines.filter((line) => seen.isNew(line, 'history', page));
      met ||= fresh.length < page.lines.length;
      ended = page.ended ?? false;
      held = [...held, ...fresh].sort(inOrder);
      if (page.broken) onGap(held.at(-1) ?? seen.last, undefined);
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
export async function lastLines(
  source: LogSource,
  { since, until }: Range,
  number: number,
  seen: Seen,
  onGap: OnGap,
): Promise<{ lines: LogLine[]; ended: boolean }> {
  let lines: LogLine[] = [];
  let ended = false;
  const query: PageQuery = { direction: 'backward', after: since, before: until, size: Math.min(pageSize, number) };
  for await (const page of pages(source, query)) {
    lines = [...upwards(page.lines).filter((line) => seen.isNew(line, 'history', page)), ...lines];
    ended ||= page.ended ?? false;
    if (lines.length >= number) break;
    if (page.broken) onGap(undefined, lines.sort(inOrder)[0]);
  }
  return { lines: lines.sort(inOrder).slice(-number), ended };
}

/** A page that was read backwards begins with the latest line, unless it can be seen that it does not. */
function upwards(lines: LogLine[]): LogLine[] {
  const [first, last] = [lines[0]?.at ?? 0, lines.at(-1)?.at ?? 0];
  return first < last ? lines : lines.toReversed();
}

/** Reads pages to the end. Stops at a page that was there before: the platform would give the same ones for ever. */
async function* pages(source: LogSource, query: PageQuery): AsyncGenerator<LogPage> {
  const known = new Set<string>();
  let next: string | undefined;
  let empty = 0;
  do {
    const page = await source.page({ ...query, next });
    empty = page.lines.length > 0 ? 0 : empty + 1;
    const lost = page.next !== undefined && (page.next === next || empty >= mostEmptyPages || isKnown(page, known));
    yield lost ? { ...page, broken: true } : page;
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
