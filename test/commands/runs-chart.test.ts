import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering } from '../support/answering.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting, wideTerminal } from '../support/gantry.ts';
import { deployWeb, recordMany } from '../support/runs.ts';
import { temporaryFiles } from '../support/traces.ts';
import { widthOf } from '../support/width.ts';

const hour = 3_600_000;
/** The end of every range. */
const end = Math.floor(Date.now() / hour) * hour;
const at = (ms: number) => new Date(ms).toISOString();
const range = (ms: number) => ['--since', at(end - ms), '--until', at(end)];

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await deployWeb(emulator);
  recordMany(emulator, { name: 'good', number: 40, from: end - 5 * hour, to: end - 1, runtimeMs: 250 });
  recordMany(emulator, { name: 'bad', number: 10, from: end - 2 * hour, to: end - hour - 1, statusCode: 500 });
});

beforeEach(() => {
  emulator.calls.length = 0;
});

const chart = (flags: string[] = [], { env, ...setting }: Setting = {}) =>
  gantry(['runs', 'chart', 'web', ...flags], {
    emulator,
    ...wideTerminal,
    ...setting,
    env: { ...wideTerminal.env, ...env },
  });
const asked = () => emulator.calls.map(({ query }) => query);

test('passes the reply through', async () => {
  const { code, json } = await chart([...range(6 * hour), '--json']);
  expect(code).toBe(0);
  expect(json()).toMatchObject({ groupBy: 'hour', total: 50, aggregatedData: { length: 6 } });
});

test('shows charts and a table, newest bucket first', async () => {
  const { stdout } = await chart([...range(6 * hour)], { columns: 120 });
  expect(stdout).toMatch(/^50 runs, 10 failed\n\S+ \S+ to \S+ \S+, UTC\n\n/);
  expect(stdout).toMatch(/^runs per hour, max \d+$/m);
  expect(stdout).toMatch(/█ runs 50 {3}▒ failed 10/);
  expect(stdout).toMatch(/^runtime$/m);
  expect(stdout).toMatch(/● p50: last 250 ms, max 250 ms/);
  expect(stdout).toMatch(
    /^TIME +RUNS +FAILED +SUCCESS RATE +RUN P50 +RUN P90 +RUN P99 +RESP P50 +RESP P90 +RESP P99$/m,
  );
  const times = [...stdout.slice(stdout.indexOf('\nTIME')).matchAll(/^\d{4}-\d\d-\d\d \d\d:\d\d(?= )/gm)].map(
    ([time]) => time,
  );
  expect(times).toHaveLength(6);
  expect(times).toEqual(times.toSorted().toReversed());
  expect((await chart(range(6 * hour), { columns: 100 })).stdout).toMatch(/RUN P50 +RUN P99/);
});

test('prints one line of numbers per bucket in a pipe', async () => {
  const { stdout } = await gantry(['runs', 'chart', 'web', ...range(6 * hour)], { emulator });
  const rows = stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));
  expect(rows).toHaveLength(6);
  for (const [time = '', ...values] of rows) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    expect(values.join(' ')).toMatch(/^[\d. ]*$/);
    expect(values).toHaveLength(9);
  }
  expect(rows.map(([, requests]) => Number(requests)).reduce((sum, requests) => sum + requests)).toBe(50);
  expect(rows[0]?.[4]).toBe('250');
});

describe('the success rate', () => {
  const bucket = { startTime: '2026-11-20T10:00:00Z', totalRequests: 10, successfulRequests: 7, failedRequests: 2 };
  const told = async (more: object) => {
    const reply = { aggregatedData: [{ ...bucket, ...more }], groupBy: 'hour', total: 12 };
    const { stdout } = await chart([], { env: { GANTRY_API_URL: await answering(reply) } });
    return stdout;
  };

  test('is the platform’s number', async () => {
    const stdout = await told({ successRate: 70 });
    expect(stdout).toMatch(/^TIME +RUNS +FAILED +SUCCESS RATE\n.* 10 +2 +70$/m);
    expect(stdout).not.toContain('77.8');
    expect(stdout).toMatch(/^12 runs/);
  });

  test('is computed if the platform returns none', async () => {
    expect(await told({ successRate: null })).toMatch(/^TIME +RUNS +FAILED +OK %\n.* 10 +2 +77\.8$/m);
  });
});

test('is ASCII without Unicode, and never wider than the terminal', async () => {
  for (const columns of [20, 40, 80, 200]) {
    const { stdout } = await chart(range(6 * hour), { columns, env: { LANG: 'C', NO_COLOR: '1' } });
    const picture = stdout.slice(0, stdout.indexOf('\nTIME'));
    expect(picture.slice(picture.indexOf('\n'))).toMatch(/^[\n -~]+$/);
    expect(Math.max(...picture.split('\n').slice(2).map(widthOf))).toBeLessThanOrEqual(columns);
  }
});

describe('the request', () => {
  test.each([
    ['2h', 'minute'],
    ['3h', 'minute'],
    ['182m', 'hour'],
    ['24h', 'hour'],
    ['7d', 'hour'],
    ['10082m', 'day'],
    ['90d', 'day'],
  ])('for the last %s has buckets of one %s', async (since, by) => {
    await chart(['--since', since]);
    expect(asked()).toMatchObject([{ aggregate: 'true', groupBy: by }]);
  });

  test('covers the last 24 hours by default, in whole minutes', async () => {
    await chart();
    const [{ startTime = '', endTime = '' } = {}] = asked() as { startTime?: string; endTime?: string }[];
    expect(startTime).toMatch(/:00\.000Z$/);
    expect(Date.parse(endTime) - Date.parse(startTime)).toBeGreaterThanOrEqual(24 * hour);
    expect(Date.parse(endTime)).toBeGreaterThanOrEqual(Date.now() - 60_000);
  });

  test('uses the local time zone', async () => {
    await chart();
    expect(asked()).toMatchObject([{ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }]);
  });

  test('accepts the filters of runs list', async () => {
    await chart(['--status', 'failure', '--status-code', '500', '--response', '1s..', '--startup', '..2m']);
    expect(asked()).toMatchObject([
      { status: 'failure', statusCode: '500', minResponseTime: '1000', maxStartupTime: '120000' },
    ]);
  });
});

test.each([
  [['--since', '1h', '--until', '2h'], 'invalid range: --until is before --since'],
  [['--since', '30d', '--by', 'minute'], 'the range is too long: 43,200 minutes'],
  [['--by', 'week'], 'expected one of minute, hour, day'],
  [['--html', '-'], 'invalid --html "-": expected a file name such as chart.html'],
])('rejects %j before any request', async (flags, message) => {
  expect(await chart(flags)).toExit(2, message);
  expect(emulator.calls).toEqual([]);
});

test('rejects too many buckets and suggests a size', async () => {
  expect((await chart(['--since', '30d', '--by', 'minute'])).stderr).toContain('fix --by hour');
  expect((await chart(['--since', '2000d', '--by', 'hour'])).stderr).toContain('fix --by day');
  expect((await chart(['--since', '2000d', '--by', 'minute'])).stderr).toContain('fix --by day');
  expect((await chart(['--since', '11000d', '--by', 'day'])).stderr).not.toContain('--by ');
});

test('prints a note if there are no runs', async () => {
  const { code, stdout, stderr } = await chart(['--since', '30d', '--until', '20d']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^0 runs\n.* to .*, UTC\n$/);
  expect(stderr).toBe('no runs match; those of the last seconds may be missing, and --since goes further back\n');
});

describe('a platform with other replies', () => {
  const elsewhere = async (reply: object) => ({ env: { GANTRY_API_URL: await answering(reply), NO_COLOR: '1' } });
  const bucket = (from: number, requests: number) => ({
    startTime: at(from),
    endTime: at(from + hour),
    totalRequests: requests,
    successfulRequests: requests,
    p50RuntimeMs: 0,
    p90RuntimeMs: 0,
    p99RuntimeMs: 0,
  });

  test('that omits empty buckets: they are drawn as gaps', async () => {
    const reply = { aggregatedData: [bucket(end - 6 * hour, 8), bucket(end - hour, 8)], groupBy: 'hour' };
    const { stdout } = await chart([...range(6 * hour)], await elsewhere(reply));
    expect(stdout).toMatch(/^ +8 ┤█{7} {33}█{7}$/m);
  });

  test('that returns 0 as durations of empty buckets: they are not drawn', async () => {
    const reply = { aggregatedData: [bucket(end - hour, 0), bucket(end - 2 * hour, 1)], groupBy: 'hour' };
    const { stdout } = await chart(range(2 * hour), await elsewhere(reply));
    expect(stdout.match(/●─/g)).toHaveLength(1);
    expect(stdout).toMatch(/:00 +1 .* 0 ms +0 ms +0 ms$/m);
  });

  test('that says another step: it is drawn in its steps, if they are known', async () => {
    for (const [groupBy, step] of Object.entries({ day: 'day', week: 'hour' })) {
      const reply = { aggregatedData: [bucket(end - hour, 1)], groupBy };
      expect((await chart([...range(2 * hour), '--by', 'hour'], await elsewhere(reply))).stdout).toMatch(
        new RegExp(`^runs per ${step}`, 'm'),
      );
    }
  });

  test('that returns single runs: warns with a fix', async () => {
    const outcome = await chart([], await elsewhere({ items: [{ id: 'r-1' }], total: 1 }));
    expect(outcome).toExit(0, 'the platform returned single runs', '--since 25h');
  });

  test('that returns no buckets', async () => {
    const { code, stdout } = await chart([], await elsewhere({ aggregatedData: null }));
    expect([code, stdout.slice(0, 7)]).toEqual([0, '0 runs\n']);
  });

  test('that sends control characters: they are removed', async () => {
    const reply = { aggregatedData: [{ timeGroup: '\u001b]0;title\u0007now', totalRequests: 1 }] };
    const { stdout } = await chart([], await elsewhere(reply));
    expect(stdout).toContain('now');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('--html', () => {
  test('writes a self-contained page', async () => {
    const folder = newFolder({ 'runs.html': '<!doctype html>an older one' });
    const { code, stdout, stderr, opened } = await chart([...range(6 * hour), '--html', 'runs.html'], {
      cwd: folder,
    });
    expect([code, stderr, opened]).toEqual([0, 'wrote the charts to runs.html\n', []]);
    expect(stdout).toMatch(/^50 runs/);
    const page = await readFile(join(folder, 'runs.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('Runs of web');
    expect(page).not.toMatch(/<(link|img|iframe)|<script src|@import|url\(/);
    expect(temporaryFiles()).toEqual([]);
  });

  test('does not change the output of --json', async () => {
    const { json } = await chart([...range(6 * hour), '--html', 'runs.html', '--json'], { cwd: newFolder() });
    expect(json()).toMatchObject({ total: 50 });
  });

  test('without a file opens the page, and says where it is if there is no browser', async () => {
    const flags = [...range(hour), '--html'];
    expect((await chart(flags)).opened).toEqual([expect.stringMatching(/^file:.*charts\.html$/)]);
    const { code, stderr } = await chart(flags, { io: { openBrowser: async () => false } });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/no browser found; the charts are in .*charts\.html/)]);
  });
});
