import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Emulator, startEmulator } from '../support/emulators.ts';
import { newFolder, withoutProgress } from '../support/files.ts';
import { gantry, wideTerminal } from '../support/gantry.ts';
import { deployWeb, record, recordMany, runOf } from '../support/runs.ts';
import { expectErrorDocument } from '../support/traces.ts';
import { widthOf } from '../support/width.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The end of every range: an hour ago, at a full minute. */
const end = Math.floor(Date.now() / minute) * minute - hour;
const at = (ms: number) => new Date(ms).toISOString();
const range = (ms: number) => ['--since', at(end - ms), '--until', at(end)];

let emulator: Emulator;
/** Called for each request before the reply. */
let onRequest = () => {};

beforeAll(async () => {
  emulator = await startEmulator({
    real: false,
    now: () => {
      onRequest();
      return Date.now();
    },
  });
  await deployWeb(emulator);
});

beforeEach(() => {
  onRequest = () => {};
  emulator.store.runs.clear();
  emulator.calls.length = 0;
});

afterAll(() => emulator.close());

test.each([
  ['a function that main.py has', '', 'gantry invoke web summarize text=text times:=1'],
  ['no function of a server', '[cerebrium.runtime.custom]\nentrypoint = ["python", "main.py"]\n', 'gantry invoke web'],
])('the latest run of an app without runs: the fix calls %s', async (_, more, fix) => {
  const app = newFolder({
    'cerebrium.toml': `[cerebrium.deployment]\nname = "web"\n${more}`,
    'main.py': 'def summarize(text: str, times: int, run_id):\n    return text\n',
  });
  const { code, stderr } = await gantry(['runs', 'get', 'web', 'latest'], { emulator, cwd: app });
  expect([code, stderr]).toEqual([6, expect.stringMatching(`web has no runs yet\\n {2}fix ${fix}\\n`)]);
});

const list = (...flags: string[]) => gantry(['runs', 'list', 'web', ...flags], { emulator });
const idsOf = async (...flags: string[]) => ((await list(...flags, '--json')).json() as Run[]).map(({ id }) => id);
const asked = () => emulator.calls.filter(({ endpoint }) => endpoint === 'getRunsChart').map(({ query }) => query);

interface Run {
  id: string;
}

test.each([
  ['failed (attempt 3): ECONNREFUSED', 'failed (attempt 3): ECONNREFUSED'],
  [undefined, 'not known: the platform does not tell it'],
])('says of a webhook what became of it: %s', async (webhookDelivery, shown) => {
  const more = { webhookEndpoint: 'http://127.0.0.1:1/', ...(webhookDelivery && { webhookDelivery }) };
  record(emulator, { id: 'r-hook', createdAt: end, statusCode: 200, runtimeMs: 5, async: true, ...more });
  const { stdout } = await gantry(['runs', 'get', 'web', 'latest'], { emulator });
  expect(stdout).toMatch(new RegExp(`^delivery\\s+${shown.replace(/[()]/g, '.')}$`, 'm'));
  expect(stdout).not.toContain('sent to the webhook');
});

test.each(['runs get web', 'runs get web latest', 'logs web --run latest', 'logs web --run latest -f'])(
  '%s says which run it took for the latest: the list is late',
  async (line) => {
    record(emulator, { id: 'r-latest', createdAt: end, statusCode: 200, runtimeMs: 5 });
    const { stderr } = await gantry(line.split(' '), { emulator });
    expect(stderr).toMatch(/^run r-latest of web, created \S.* ago; runs of the last seconds may not be listed yet$/m);
  },
);

describe('a range over 24 hours', () => {
  test('is read completely in windows of 24 hours, and sorted', async () => {
    const ids = recordMany(emulator, { name: 'r', number: 6_900, from: end - 3 * day, to: end });
    expect(await idsOf(...range(3 * day), '--all')).toEqual(ids);
    const windows = new Set(asked().map(({ startTime, endTime }) => `${startTime} ${endTime}`));
    expect([...windows]).toEqual([
      `${at(end - day)} ${at(end)}`,
      `${at(end - 2 * day)} ${at(end - day)}`,
      `${at(end - 3 * day)} ${at(end - 2 * day)}`,
    ]);
    expect(asked()).toHaveLength(9);
    expect(asked().every(({ limit }) => limit === '1000')).toBe(true);
  });

  test.each([
    [day, 1],
    [day + 1, 2],
    [36 * hour, 2],
    [2 * day, 2],
    [5 * day, 5],
    [0, 1],
  ])('of %i ms takes %i requests', async (ms, calls) => {
    await list(...range(ms), '--all');
    expect(asked()).toHaveLength(calls);
    for (const { startTime, endTime } of asked()) {
      expect(Date.parse(endTime ?? '') - Date.parse(startTime ?? '')).toBeLessThanOrEqual(day);
    }
  });

  test('has no duplicate and no missing run at the boundaries of windows', async () => {
    const edges = [0, 1, day - 1, day, day + 1, 2 * day, 3 * day].map((ms) => end - ms);
    for (const [index, createdAt] of edges.entries()) record(emulator, { id: `r-${index}`, createdAt });
    record(emulator, { id: 'too-late', createdAt: end + 1 });
    record(emulator, { id: 'too-early', createdAt: end - 3 * day - 1 });
    expect(await idsOf(...range(3 * day))).toEqual(edges.map((_, index) => `r-${index}`));
  });

  test('is read four windows at a time with --all', async () => {
    let most = 0;
    let asked = 0;
    const waiting: (() => void)[] = [];
    const url = await answering((done: () => void) => {
      asked += 1;
      waiting.push(done);
      most = Math.max(most, waiting.length);
      // Requests that are sent one after the other would hang here. After the twelve windows, it looks for a reason.
      if (waiting.length === 4 || asked > 12) for (const answer of waiting.splice(0)) answer();
      return { items: [], total: 0 };
    });
    const words = ['runs', 'list', 'web', ...range(12 * day), '--all'];
    expect((await gantry(words, { emulator, env: { GANTRY_API_URL: url } })).code).toBe(0);
    expect(most).toBe(4);
  });

  test('is sorted, whichever window replies first', async () => {
    const ids = recordMany(emulator, { name: 'r', number: 90, from: end - 9 * day, to: end });
    emulator.fail('getRunsChart', 503);
    const { json, stderr } = await list(...range(9 * day), '--all', '--json');
    expect((json() as Run[]).map(({ id }) => id)).toEqual(ids);
    expect(stderr).toContain('retrying in');
  });

  test('fails if one window cannot be read', async () => {
    recordMany(emulator, { name: 'r', number: 90, from: end - 9 * day, to: end });
    emulator.fail('getRunsChart', 403);
    const outcome = await list(...range(9 * day), '--all', '--json');
    expect(outcome.code).toBe(5);
    expectErrorDocument(outcome);
  });
});

describe('the number of runs', () => {
  test('is limited by --limit, without needless requests', async () => {
    const ids = recordMany(emulator, { name: 'r', number: 500, from: end - 5 * day, to: end });
    expect(await idsOf(...range(5 * day), '--limit', '50')).toEqual(ids.slice(0, 50));
    expect(asked()).toHaveLength(1);
    emulator.calls.length = 0;
    expect(await idsOf(...range(5 * day), '--limit', '150')).toEqual(ids.slice(0, 150));
    expect(asked().map(({ startTime }) => startTime)).toEqual([at(end - day), at(end - 2 * day)]);
  });

  test('per page follows from the limit: 100 to 1,000', async () => {
    for (const limit of ['1', '100', '250', '1000', '2500']) await list('--limit', limit);
    expect(asked().map(({ limit }) => limit)).toEqual(['100', '100', '250', '1000', '1000']);
  });

  test('of a quiet app is read from four windows at a time', async () => {
    record(emulator, { id: 'old', createdAt: end - 8.5 * day });
    expect(await idsOf(...range(30 * day), '--limit', '1')).toEqual(['old']);
    expect(asked()).toHaveLength(9);
  });

  test.each([
    [['--limit', '100'], 'showing 100 of 2,314 runs; pass --all to show the rest\n'],
    [['--limit', '2313'], 'showing 2,313 of 2,314 runs; pass --all to show the rest\n'],
    [['--limit', '2314'], ''],
    [['--all'], ''],
    [['--limit', '1', '--quiet'], ''],
    [['--limit', '1', '--json'], 'showing 1 of 2,314 runs; pass --all to show the rest\n'],
  ])('is shown if some are omitted (%j)', async (flags, told) => {
    recordMany(emulator, { name: 'r', number: 2_314, from: end - day, to: end });
    expect(withoutProgress((await list(...range(day), ...flags)).stderr)).toBe(told);
  });

  test('counts a run at the boundary of two windows once', async () => {
    recordMany(emulator, { name: 'new', number: 100, from: end - day, to: end });
    recordMany(emulator, { name: 'old', number: 99, from: end - 2 * day, to: end - day - 1 });
    expect((await list(...range(2 * day), '--limit', '150')).stderr).toBe(
      'showing 150 of 199 runs; pass --all to show the rest\n',
    );
  });

  test('is shown as far as it is known', async () => {
    recordMany(emulator, { name: 'new', number: 340, from: end - day + 1, to: end });
    expect((await list(...range(9 * day))).stderr).toBe(
      'showing 100 of at least 340 runs; pass --all to show the rest\n',
    );
    expect((await list(...range(9 * day), '--limit=340')).stderr).toBe(
      'showing the newest 340 runs; pass --all to show older ones\n',
    );
  });

  test('fields after a space, as gh has them', async () => {
    const { code, json } = await list('--json', 'id,status');
    expect([code, Object.keys((json() as object[])[0] ?? { id: 1, status: 1 })]).toEqual([0, ['id', 'status']]);
    const { stderr } = await list('--json', 'id');
    expect(stderr).toContain('fix gantry runs list web --json=id\n');
  });
});

describe('while the pages of a window are read', () => {
  test('new runs are neither shown twice nor hide others', async () => {
    const ids = recordMany(emulator, { name: 'r', number: 3_000, from: end - day, to: end - hour });
    onRequest = () => {
      const { length } = emulator.calls;
      for (const [name, createdAt] of Object.entries({ late: end - minute, new: Date.now() })) {
        const id = `${name}-${length}`;
        emulator.store.runs.set(id, runOf(emulator, { id, createdAt }));
      }
    };
    const found = await idsOf(...range(day), '--all');
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((id) => id.startsWith('r-'))).toEqual(ids);
    expect(found.filter((id) => id.startsWith('new-'))).toEqual([]);
  });
});

describe('the selection', () => {
  test('is the last 24 hours by default, newest first', async () => {
    const now = Date.now();
    record(emulator, { id: 'yesterday', createdAt: now - 25 * hour });
    record(emulator, { id: 'early', createdAt: now - 23 * hour });
    record(emulator, { id: 'late', createdAt: now - minute });
    expect(await idsOf()).toEqual(['late', 'early']);
    expect(asked()).toHaveLength(1);
    expect(await idsOf('--since', '2d')).toEqual(['late', 'early', 'yesterday']);
    expect(await idsOf('--until', '24h')).toEqual(['yesterday']);
  });

  test('is sent under the platform’s names', async () => {
    const words = '--status failure --status-code 503 --startup 1s..1m --response 250ms..1h30m';
    await list(...range(hour), ...words.split(' '), '--limit', '200');
    expect(asked()).toEqual([
      {
        startTime: at(end - hour),
        endTime: at(end),
        limit: '200',
        status: 'failure',
        statusCode: '503',
        minStartupTime: '1000',
        maxStartupTime: '60000',
        minResponseTime: '250',
        maxResponseTime: '5400000',
      },
    ]);
  });

  test.each([
    [['--status', 'failure'], ['broken']],
    [['--status', 'failed'], ['broken']],
    ...['cancelled', 'canceled'].map((word): [string[], string[]] => [
      ['--status', word],
      ['stopped', 'gone'],
    ]),
    [['--status-code', '503'], ['broken']],
    [['--status-code', '0'], ['stopped']],
    [['--status-code', '-1'], ['gone']],
    [['--startup', '2s..'], ['cold']],
    [['--response', '..150ms', '--status', 'success'], ['quick']],
    [['--response', '1s..10s'], ['cold']],
  ])('%j gives %j', async (flags, ids) => {
    record(emulator, { id: 'quick', createdAt: end - 1 });
    record(emulator, { id: 'broken', createdAt: end - 2, statusCode: 503 });
    record(emulator, { id: 'stopped', createdAt: end - 3, statusCode: 0 });
    record(emulator, { id: 'gone', createdAt: end - 4, statusCode: -1 });
    record(emulator, { id: 'cold', createdAt: end - 5, coldstartMs: 3_000, containerQueueMs: 3_000 });
    expect(await idsOf(...range(hour), ...flags)).toEqual(ids);
  });

  test.each([
    [['--since', '2026-02-30'], 'expected a time such as'],
    [['--until', 'tomorrow'], 'expected a time such as'],
    [['--status', 'broken'], 'expected one of pending'],
    [['--status-code', 'ok'], 'expected an HTTP status such as 500'],
    [['--response', '10..'], 'expected a duration'],
    [['--limit', '0'], 'expected a whole number from 1 up'],
    [['--since', '1h', '--until', '2h'], 'invalid range: --until is before --since'],
  ])('rejects %j with exit 2 before any request', async (flags, why) => {
    const { code, stderr } = await list(...flags);
    expect(stderr).toContain(why);
    expect([code, asked()]).toEqual([2, []]);
  });
});

describe('asynchronous runs', () => {
  const all = () => emulator.calls.filter(({ query }) => query.asyncOnly !== undefined);

  test('are read no further than the range and the limit', async () => {
    const ids = recordMany(emulator, { name: 'a', number: 1_000, from: end - 10 * day, to: end, async: true });
    expect(await idsOf(...range(2 * day), '--async', '--all')).toEqual(ids.slice(0, 200));
    expect(all()).toHaveLength(3);
    emulator.calls.length = 0;
    const { stderr } = await list(...range(9 * day), '--async', '--limit', '60');
    expect(all()).toHaveLength(1);
    expect(stderr).toBe('showing 60 of at least 100 runs; pass --all to show the rest\n');
    const fewer = await list(...range(12 * hour), '--async', '--limit', '40');
    expect(fewer.stderr).toBe('showing 40 of 50 runs; pass --all to show the rest\n');
  });

  test.each([
    [['--status', 'failure'], ['broken']],
    [['--status-code', '503'], ['broken']],
    [['--startup', '2s..'], ['cold']],
    [['--startup', '..2s', '--status', 'success'], ['quick']],
    [['--response', '1s..'], ['cold']],
    [['--status', 'processing'], []],
  ])('accept the same filters: %j', async (flags, ids) => {
    record(emulator, { id: 'quick', createdAt: end - 1, async: true });
    record(emulator, { id: 'broken', createdAt: end - 2, async: true, statusCode: 503 });
    record(emulator, { id: 'cold', createdAt: end - 3, async: true, coldstartMs: 3_000, containerQueueMs: 3_000 });
    expect(await idsOf(...range(hour), '--async', ...flags)).toEqual(ids);
  });
});

describe('the table', () => {
  test('has a line for each run, with readable durations', async () => {
    record(emulator, { id: 'one', createdAt: end, coldstartMs: 2_400, containerQueueMs: 2_500, runtimeMs: 95_000 });
    record(emulator, { id: 'two', createdAt: end - 1, statusCode: 500 });
    const { stdout } = await gantry(['runs', 'list', 'web', ...range(hour)], { emulator, ...wideTerminal });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'RUN  STATUS     CODE  STARTUP  QUEUE  RUNTIME  RESPONSE  CREATED  KIND',
      expect.stringMatching(/^one {2}succeeded {3}200 {4}2\.4 s {2}2\.5 s {3}1m 35s {4}1m 38s {2}1 h ago {2}call$/),
      expect.stringMatching(/^two {2}failed {6}500 {8}- {6}- {3}100 ms {4}100 ms {2}1 h ago {2}call$/),
    ]);
  });

  test('does not truncate ids on a terminal of 80 columns', async () => {
    const id = '3f2a91c0-5b1e-4c7d-9a34-0123456789ab';
    record(emulator, { id, createdAt: end, coldstartMs: 2_400, runtimeMs: 95_000 });
    const { stdout } = await gantry(['runs', 'list', 'web'], { emulator, columns: 80, env: { NO_COLOR: '1' } });
    expect(Math.max(...stdout.split('\n').map(widthOf))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(new RegExp(`^RUN .*KIND\n${id} .*call\n$`));
  });

  test('in JSON passes the reply through', async () => {
    record(emulator, { id: 'one', createdAt: end, async: true, runtimeMs: 1e12 });
    const [run] = (await list(...range(hour), '--async', '--json')).json() as Record<string, unknown>[];
    expect(run).toMatchObject({ id: 'one', createdAt: at(end), coldstartTimeMs: 0, method: 'POST' });
    expect(run).not.toHaveProperty('completedAt');
    expect((await list(...range(hour), '--json')).stdout).not.toContain('0001-01-01');
  });
});

test('derives a missing status from the status code', async () => {
  const codes = [200, 204, 302, 500, 0, -1, undefined];
  const items = codes.map((statusCode, index) => ({ id: `r-${index}`, createdAt: at(end - index), statusCode }));
  const env = { GANTRY_API_URL: await answering({ items }) };
  const { stdout } = await gantry(['runs', 'list', 'web'], { emulator, env });
  const states = stdout.split('\n').map((line) => line.split('\t')[1]);
  expect(states.slice(0, 6)).toEqual(['succeeded', 'succeeded', 'succeeded', 'failed', 'canceled', 'closed']);
});

test('fails if the platform returns counts instead of runs', async () => {
  const url = await answering({ aggregatedData: [{ totalRequests: 5 }], groupBy: 'hour', total: 5 });
  const outcome = await gantry(['runs', 'list', 'web', '--json'], { emulator, env: { GANTRY_API_URL: url } });
  expect(outcome).toExit(70, 'returned counts instead of runs');
  expectErrorDocument(outcome);
});

test.each([
  ['--async', { nextToken: 'again' }],
  ['--all', { total: '250', nextToken: 'again' }],
])('ends with a warning if the pages of a list (%s) never change: %j', async (flag, more) => {
  let calls = 0;
  const items = [{ id: 'r-1', createdAt: at(Date.now()) }];
  const url = await answering((done) => {
    calls++;
    done();
    return { items, ...more };
  });
  const outcome = await gantry(['runs', 'list', 'web', flag, '--json'], { emulator, env: { GANTRY_API_URL: url } });
  const exit = flag === '--all' ? 69 : 0;
  expect([outcome.code, outcome.json()]).toEqual([exit, [expect.objectContaining({ id: 'r-1' })]]);
  expect(outcome.stderr).toContain('warning: some runs may be missing');
  expect(outcome.stderr).not.toContain('--all');
  expect(calls).toBeLessThan(8);
});

const many = (from: number, number: number) =>
  Array.from({ length: number }, (_, index) => ({ id: `r-${from + index}`, createdAt: at(Date.now()) }));

test.each([['--all'], ['--limit=9']])('fails if announced runs are never returned (%s)', async (flag) => {
  const url = await answering({ items: [], nextToken: 'more', total: 5 });
  const env = { GANTRY_API_URL: url };
  const { code, stdout, stderr } = await gantry(['runs', 'list', 'web', flag], { emulator, env });
  expect([code, stdout]).toEqual([69, '']);
  expect(stderr).toContain('the platform announced 5 runs and returned none');
  expect(stderr).not.toContain('no such runs');
});

test.each([[[]], [['-C', '.']]])(
  '--all shows an incomplete list with a warning and exits with 69 (%j)',
  async (place) => {
    let calls = 0;
    const url = await answering((done) => {
      done();
      return { items: ++calls === 1 ? many(0, 30) : [], total: 90 };
    });
    const outcome = await gantry(['runs', 'list', 'web', '--all', '--json', ...place], {
      emulator,
      env: { GANTRY_API_URL: url },
    });
    expect([outcome.code, (outcome.json() as Run[]).length]).toEqual([69, 30]);
    expect(outcome.stderr).toContain('warning: some runs may be missing');
    expect(outcome.stderr).not.toContain('--all');
  },
);

describe('the status of a run', () => {
  const told = { id: 'r-1', createdAt: at(end), statusCode: 500 };
  const shown = async (run: object) => {
    const env = { GANTRY_API_URL: await answering({ items: [run], total: 1, item: run }) };
    const show = (...words: string[]) => gantry(words, { emulator, env });
    const { stdout } = await show('runs', 'list', 'web');
    const listed = (await show('runs', 'list', 'web', '--json=status,outcome')).json();
    const one = (await show('runs', 'get', 'web', 'r-1', '--json=status,outcome,kind')).json();
    return { cell: stdout.split('\t')[1], listed, one };
  };

  test.each([
    [null, 'failure'],
    [undefined, 'failure'],
    ['', 'failure'],
    ['failed', 'failed'],
  ])('%j is gantry’s word in texts, and beside the platform’s in lists and alone', async (status, sent) => {
    const both = { status: sent, outcome: 'failed' };
    expect(await shown({ ...told, status })).toEqual({
      cell: 'failed',
      listed: [both],
      one: { ...both, kind: 'call' },
    });
  });

  test('of a job is one of a job wherever it is shown, with its exit code', async () => {
    const env = { GANTRY_API_URL: await answering({ item: { ...told, method: '', exitCode: 7 } }) };
    const { json } = await gantry(['runs', 'get', 'web', 'r-1', '--json=kind,programExitCode'], { emulator, env });
    expect(json()).toEqual({ kind: 'job', programExitCode: 7 });
  });
});
