import { keepFound, partOfTraceback } from './keep-found.ts';
import { compareLines, type LogLine } from './log-line.ts';
import type { LogSource } from './log-source.ts';

/** How far from one of its lines a traceback is looked for, in ms. */
const aroundMs = 1_000;
/** A page of a search may have hits in many places: each is one request. */
const maxPlaces = 20;

/** The log of a search, where a traceback is whole if one of its lines is found. `sourceOf` has all lines of a container. */
export function withWholeTracebacks(matching: LogSource, sourceOf: (container: string) => LogSource): LogSource {
  return {
    ...matching,
    async readPage(query) {
      const page = await matching.readPage(query);
      let added: LogLine[] = [];
      for (const { hits, after, before } of placesOf(page.lines)) {
        const source = sourceOf(hits[0]?.container ?? '');
        const around = await source.readPage({ direction: 'forward', after, before, size: 1_000 });
        const keys = new Set(hits.map(keyOf));
        const isHit = (line: LogLine) => keys.has(keyOf(line));
        added = [...added, ...(await keepFound(around.lines.sort(compareLines), isHit))];
      }
      if (added.length === 0) return page;
      return { ...page, lines: withOthers(page.lines, added) };
    },
  };
}

interface TracebackPlace {
  hits: LogLine[];
  after: number;
  before: number;
}

/** Where the log is to be read for tracebacks: hits of a container that are close to each other share one request. */
function placesOf(lines: readonly LogLine[]): TracebackPlace[] {
  const places: TracebackPlace[] = [];
  const parts = lines.filter(({ at, text }) => at > 0 && partOfTraceback.test(text));
  for (const hit of parts.sort(compareLines)) {
    const place = places.findLast(({ hits: [first] }) => first?.container === hit.container);
    if (place && hit.at - aroundMs <= place.before) {
      place.hits.push(hit);
      place.before = hit.at + aroundMs;
    } else places.push({ hits: [hit], after: hit.at - aroundMs, before: hit.at + aroundMs });
  }
  return places.slice(-maxPlaces);
}

/** Both, in order. A line of both is in it once; equal lines of one are different lines. */
function withOthers(lines: readonly LogLine[], others: readonly LogLine[]): LogLine[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  const added = others.filter((line) => {
    const number = counts.get(keyOf(line)) ?? 0;
    counts.set(keyOf(line), number - 1);
    return number <= 0;
  });
  return [...lines, ...added].sort(compareLines);
}

/** What tells a line from others: an entry of several lines has one id. */
function keyOf({ id, timestamp, container, number, text }: LogLine): string {
  return [id ?? '', timestamp, container, number, text].join('\n');
}
