import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pause } from '../../src/kernel/clock.ts';
import { Draw } from '../chaos/draw.js';
import { drawnCases } from '../support/extent.ts';
import { gantry } from '../support/gantry.ts';
import { type LateEntry, type LateWork, latePlatform } from '../support/late-platform.ts';

/** All timers leap. Connections are real, so a leap waits until nothing is on its way. */
beforeEach(async () => {
  await load();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
});

afterEach(() => vi.useRealTimers());

let isLoaded = false;

/** What commands load when they run takes real time. */
async function load(): Promise<void> {
  if (isLoaded) return;
  isLoaded = true;
  for (const kind of ['run', 'build'] as const) {
    const { env } = await latePlatform(workOf(kind, entriesOf(short, 0, 0), { endsAt: 0 }));
    for (const words of ['follow', 'explain', 'logs'].map((word) => wordsOf(kind, word))) await gantry(words, { env });
  }
}

/** One command line at a platform, `waitMs` after the work began. */
async function read(work: LateWork, words: string[], waitMs = 0, stop?: RegExp) {
  const platform = await latePlatform(work);
  await vi.advanceTimersByTimeAsync(waitMs);
  const io = { now: () => Date.now(), elapsed: () => Date.now(), delay: pause, silenceMs: 60_000 };
  let isDone = false;
  const running = gantry(words, { env: platform.env, io, ...(stop && { stop }) }).finally(() => {
    isDone = true;
  });
  for (;;) {
    await platform.idle();
    if (isDone) break;
    await vi.advanceTimersToNextTimerAsync();
  }
  const outcome = await running;
  const events = outcome.stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const lines = events.flatMap(({ logLine, log }) =>
    [logLine ?? log]
      .filter((text) => text !== undefined)
      .flatMap((text: string) => text.replace(/\n$/, '').split('\n')),
  );
  return { ...outcome, events, lines, now: platform.now(), addedMs: platform.now() - (platform.finalShownAt ?? 0) };
}

const cause = ["ModuleNotFoundError: No module named 'numpy'"];
const linesOf = (entries: LateEntry[]) => entries.flatMap(({ text }) => text.replace(/\n$/, '').split('\n'));

/** Entries of a log that is late as a whole, by up to a second less for some. */
function entriesOf(texts: [at: number, text: string][], liveLate: number | undefined, storedLate: number | undefined) {
  return texts.map(([at, text], index): LateEntry => {
    const stream = index % 3 === 1 ? 'stderr' : 'stdout';
    const [live, stored] = [liveLate, storedLate].map((late) => (late === undefined ? undefined : at + late));
    return { at, text, stream, live, stored };
  });
}

const plain = { splits: true, hasIds: true, maxPageSize: 1_000, hasSocket: true, hasStatusInLog: true };
const workOf = (kind: LateWork['kind'], entries: LateEntry[], more: Partial<LateWork> = {}): LateWork => ({
  kind,
  entries,
  endsAt: 3_000,
  status: kind === 'run' ? 'failure' : 'build_failure',
  ...plain,
  ...more,
});
const short: [number, string][] = [
  [100, 'begins'],
  [2_900, 'Traceback (most recent call last):'],
  [2_950, cause[0] ?? ''],
];

describe('lines that are later than the status', () => {
  test.each<[what: string, work: LateWork, words: string[], startMs?: number]>([
    ['a run: the history', workOf('run', entriesOf(short, undefined, 7_500)), ['logs', 'web', '--run', 'r-1', '-f']],
    [
      'a run: the history has none',
      workOf('run', entriesOf(short, 6_000, undefined)),
      ['logs', 'web', '--run', 'r-1', '-f'],
    ],
    ['a build: both', workOf('build', entriesOf(short, 1_900, 4_000)), ['logs', 'web', '--build', 'b-1', '-f']],
    [
      'a build without a live log',
      workOf('build', entriesOf(short, 0, 4_000), { hasSocket: false }),
      ['logs', 'web', '--build', 'b-1', '-f'],
    ],
  ])('are shown, with the cause: %s', async (_, work, words, startMs) => {
    const { code, lines, stdout } = await read(work, [...words, '--json'], startMs);
    expect(lines).toEqual(linesOf(work.entries));
    expect(stdout).toContain('numpy');
    expect(code).toBe(work.kind === 'run' ? 13 : 11);
  });

  test.each<[work: LateWork, words: string[]]>([
    [workOf('run', entriesOf(short, undefined, 5_000)), ['logs', 'web', '--run', 'r-1']],
    [workOf('run', entriesOf(short, 5_000, undefined)), ['logs', 'web', '--run', 'r-1', '--tail', '3']],
    [workOf('build', entriesOf(short, 1_000, 5_000)), ['logs', 'web', '--build', 'b-1']],
    [workOf('build', entriesOf(short, 1_000, 5_000)), ['logs', 'web', '--build', 'b-1', '-f']],
  ])('are shown right after the end by %#: %j', async (work, words) => {
    const { stdout } = await read(work, words, 3_200);
    expect(stdout).toBe(
      linesOf(work.entries)
        .map((line) => `${line}\n`)
        .join(''),
    );
  });

  test.each<[work: LateWork, id: string]>([
    [workOf('run', entriesOf(short, undefined, 5_000)), 'r-1'],
    [workOf('build', entriesOf(short, 1_000, 5_000)), 'b-1'],
  ])('are explained right after the end', async (work, id) => {
    expect((await read(work, ['explain', 'web', id], 3_200)).stdout).toContain('numpy');
  });

  test.each<[what: string, work: LateWork, waitMs: number]>([
    ['a run', workOf('run', [], { status: 'success' }), 10_000],
    ['a run whose live log is closed', workOf('run', [], { closesAt: 3_000 }), 2_000],
    ['a run whose live log is closed too early', workOf('run', [], { closesAt: 1_000 }), 10_000],
    ['a failed build', workOf('build', []), 2_000],
    ['a failed build without a live log', workOf('build', [], { hasSocket: false }), 10_000],
    ['a canceled build', workOf('build', [], { hasSocket: false, status: 'cancelled' }), 2_000],
  ])('are waited for only as long as there may be any: %s', async (_, work, waitMs) => {
    const { addedMs, stderr } = await read(work, wordsOf(work.kind, 'follow'));
    expect(addedMs).toBeGreaterThanOrEqual(waitMs);
    expect(addedMs).toBeLessThanOrEqual(waitMs + 600);
    expect(stderr).toMatch(/no log lines (yet|match)/);
  });

  test.each<[what: string, texts: string[], splits: boolean, hasIds: boolean]>([
    ['with a line end at one side', ['one\n', 'two\n'], true, false],
    ['of several lines', ['one\ntwo', 'three\n'], true, false],
    ['of several lines, with ids', ['one\ntwo', 'three\n'], true, true],
    ['of several lines, which the live log does not split', ['one\ntwo\n', 'three\n'], false, false],
    ['with ids, and with other times in the live log', ['one', 'two', 'two'], true, true],
  ])('are each shown once: entries %s', async (_, texts, splits, hasIds) => {
    for (const [live, stored] of [
      [0, 1_500],
      [1_500, 0],
    ]) {
      for (const kind of ['run', 'build'] as const) {
        const entries = entriesOf(
          texts.map((text, index) => [1_100 + index * 100, text]),
          live,
          stored,
        );
        const { lines } = await read(workOf(kind, entries, { splits, hasIds }), [...wordsOf(kind, 'follow'), '--json']);
        expect(lines).toEqual(linesOf(entries));
      }
    }
  });

  test('of a build end with its live log, and nothing is waited for after it', async () => {
    for (const startMs of [0, 3_050]) {
      const work = workOf('build', entriesOf(short, 300, 300));
      const { lines, now } = await read(work, [...wordsOf('build', 'follow'), '--json'], startMs);
      expect(lines).toEqual(linesOf(work.entries));
      expect(now - work.endsAt).toBeLessThanOrEqual(450);
    }
  });

  test('do not wait for a live log that never sends any', async () => {
    const work = workOf('run', entriesOf([[20_000, 'new']], undefined, 0), { endsAt: 60_000 });
    const { stdout, now } = await read(work, ['logs', 'web', '-f'], 0, /new/);
    expect(stdout).toBe('new\n');
    expect(now).toBeLessThanOrEqual(26_000);
  });

  test('are followed to the end of a build whose log has no status', async () => {
    const work = workOf('build', entriesOf(short, 0, 0), { hasStatusInLog: false, hasSocket: false });
    expect((await read(work, ['logs', 'web', '--build', 'b-1', '-f'])).stdout.trim().split('\n')).toEqual(
      linesOf(work.entries),
    );
  });

  test('are read from a server that refuses large pages', async () => {
    const work = workOf('run', entriesOf(short, undefined, 0), { maxPageSize: 2 });
    expect((await read(work, ['logs', 'web', '--run', 'r-1'], 20_000)).stdout.trim().split('\n')).toEqual(
      linesOf(work.entries),
    );
  });
});

test.each(Array.from({ length: drawnCases(12, 24) }, (_, seed) => [seed]))(
  'a run and a failing build of the seed %i are read to the end',
  async (seed) => {
    const random = new Draw(seed);
    for (const kind of ['run', 'build'] as const) {
      const work = drawWork(kind, random);
      const [words, startMs] = drawCommand(kind, random, work);
      const { lines, addedMs, stdout, stderr } = await read(work, [...words, '--json'], startMs);
      const about = JSON.stringify({ work, words, startMs, stderr });
      expect(lines, about).toEqual(linesOf(work.entries));
      if (work.status !== 'success') expect(stdout, about).toContain('numpy');
      const isLate =
        work.entries.length === 0 ||
        work.entries.some(({ at, live, stored }) => (live ?? at) !== at || (stored ?? at) !== at);
      if (!isLate && startMs === 0) expect(addedMs, about).toBeLessThanOrEqual(2_100);
    }
  },
);

function drawWork(kind: LateWork['kind'], random: Draw): LateWork {
  const endsAt = Math.round(200 + random.next() ** 2 * 15_000);
  const number = Math.floor(random.next() * 30);
  const status = kind === 'build' ? 'build_failure' : random.pick(['failure', 'success']);
  const times = Array.from({ length: number }, () => Math.floor(random.next() * (endsAt - 30))).sort((a, b) => a - b);
  const texts = times.map((at, index): [number, string] => {
    const text = random.pick([`line ${index}`, 'same', `part ${index}\nrest ${index}`, `ended ${index}\n`]);
    return [at, text];
  });
  if (status !== 'success')
    texts.push([endsAt - 20, 'Traceback (most recent call last):'], [endsAt - 10, cause[0] ?? '']);
  const isPrompt = random.chance(0.25);
  const hasSocket = random.chance(0.8);
  const [live, stored] = [1, 2].map(() => (isPrompt ? 0 : random.next() * 8_000)) as [number, number];
  const hasHistory = !hasSocket || random.chance(0.8);
  const entries = entriesOf(texts, hasSocket ? live : undefined, hasHistory ? stored : undefined);
  if (!isPrompt) for (const channel of ['live', 'stored'] as const) jitter(entries, channel, random);
  return {
    kind,
    entries,
    endsAt,
    status,
    hasSocket,
    hasStatusInLog: true,
    splits: random.chance(0.5),
    hasIds: random.chance(0.5),
    maxPageSize: random.pick([7, 100, 1_000]),
  };
}

/** Some come a second sooner; each channel keeps their order. */
function jitter(entries: LateEntry[], channel: 'live' | 'stored', random: Draw): void {
  let last = 0;
  for (const entry of entries) {
    const at = entry[channel];
    if (at === undefined) continue;
    last = Math.max(last, entry.at, at - random.next() * 1_000);
    entry[channel] = last;
  }
}

function wordsOf(kind: LateWork['kind'], word: string): string[] {
  const id = kind === 'run' ? 'r-1' : 'b-1';
  if (word === 'explain') return ['explain', 'web', id];
  return ['logs', 'web', `--${kind}`, id, ...(word === 'follow' ? ['-f'] : [])];
}

function drawCommand(kind: LateWork['kind'], random: Draw, { endsAt }: LateWork): [words: string[], startMs: number] {
  const startMs = random.chance(0.7) ? 0 : Math.floor(random.next() * (endsAt + 1_500));
  return [wordsOf(kind, 'follow'), startMs];
}
