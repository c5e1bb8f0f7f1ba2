import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { AppLogs } from '../../src/emulator/running/logs/app-logs.ts';
import { newFolder, platform, speaking } from './support/platform.ts';
import { python, running } from './support/running.ts';

type Page = { logs: { logLine: string }[]; nextPageToken: string | null; hasMore: boolean };

/** An app that printed these numbers, one per second, every third to stderr, from two replicas. */
async function printed(number: number) {
  const { emulator, clock, ask } = await platform();
  await ask('POST', '/apps', { name: 'web' });
  const app = `${emulator.project}-web`;
  for (let line = 1; line <= number; line += 1) {
    clock.now += 1_000;
    const stream = line % 3 === 0 ? 'stderr' : 'stdout';
    emulator.logs.add(app, { container: `web-${line % 2}`, stream, text: `line ${line}`, run: `run-${line % 4}` });
  }
  const page = async (query: object = {}) =>
    (await ask('GET', `/apps/${app}/logs?${new URLSearchParams({ direction: 'forward', ...(query as object) })}`))
      .json as Page;
  const all = async (query: object = {}) => {
    const pages: string[][] = [];
    for (let token: string | null = ''; token !== null; ) {
      const { logs, nextPageToken }: Page = await page({ ...query, ...(token && { nextToken: token }) });
      pages.push(logs.map(({ logLine }) => logLine));
      token = nextPageToken;
    }
    return pages;
  };
  return { emulator, clock, app, ask, page, all };
}

const past = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 9, 30) + seconds * 1_000).toISOString();

describe('the log of an app', () => {
  test('that printed nothing is 204', async () => {
    const { ask, app } = await printed(0);
    expect(await ask('GET', `/apps/${app}/logs`)).toMatchObject({ status: 204, text: '' });
    expect((await ask('GET', '/apps/nothing/logs')).status).toBe(404);
  });

  test.each([
    [{}, [['line 1', 'line 2', 'line 3', 'line 4', 'line 5']]],
    [{ pageSize: 2 }, [['line 1', 'line 2'], ['line 3', 'line 4'], ['line 5']]],
    [{ pageSize: 2, direction: 'backward' }, [['line 5', 'line 4'], ['line 3', 'line 2'], ['line 1']]],
    [{ pageSize: 5 }, [['line 1', 'line 2', 'line 3', 'line 4', 'line 5']]],
    [{ stream: 'stderr' }, [['line 3']]],
    [{ container: 'web-0' }, [['line 2', 'line 4']]],
    [{ runId: 'run-1', pageSize: 1 }, [['line 1'], ['line 5']]],
    [{ search: 'ne 4' }, [['line 4']]],
    [{ search: '' }, [['line 1', 'line 2', 'line 3', 'line 4', 'line 5']]],
    [{ afterDate: past(4) }, [['line 4', 'line 5']]],
    [{ beforeDate: past(2) }, [['line 1']]],
    [{ afterDate: past(2), beforeDate: past(5), stream: 'stdout' }, [['line 2', 'line 4']]],
    [{ search: 'nothing' }, [[]]],
  ])('with the query %j has these pages', async (query, pages) => {
    const { all } = await printed(5);
    expect(await all(query)).toEqual(pages);
  });

  test('comes newest first without a direction', async () => {
    const { ask, app } = await printed(3);
    const { logs } = (await ask('GET', `/apps/${app}/logs?pageSize=2`)).json as Page;
    expect(logs.map(({ logLine }) => logLine)).toEqual(['line 3', 'line 2']);
  });

  test('keeps pages stable while lines are added, and has unique timestamps', async () => {
    const { page, emulator, app } = await printed(4);
    const first = await page({ pageSize: 2, direction: 'backward' });
    for (let line = 0; line < 3; line += 1)
      emulator.logs.add(app, { container: 'web-9', stream: 'stdout', text: 'same' });
    const second = await page({ pageSize: 2, direction: 'backward', nextToken: first.nextPageToken });
    expect(second.logs.map(({ logLine }) => logLine)).toEqual(['line 2', 'line 1']);
    const { logs } = (await page({ container: 'web-9' })) as unknown as {
      logs: { logId: string; timestamp: string }[];
    };
    expect(new Set(logs.map(({ logId }) => logId)).size).toBe(3);
    expect(logs.map(({ timestamp }) => timestamp)).toEqual([
      '2026-11-20T09:30:04.000000001Z',
      '2026-11-20T09:30:04.000000002Z',
      '2026-11-20T09:30:04.000000003Z',
    ]);
  });

  test.each([[{ afterDate: 'yesterday' }], [{ nextToken: 'x' }], [{ direction: 'up' }], [{ pageSize: 0 }]])(
    'refuses %j',
    async (query) => {
      const { ask, app } = await printed(1);
      expect((await ask('GET', `/apps/${app}/logs?${new URLSearchParams(query as never)}`)).status).toBe(400);
    },
  );

  test('can have faults: overlapping and reversed pages', async () => {
    const { all, page, emulator } = await printed(6);
    emulator.fail('getAppLogs', 'overlapping');
    expect(await all({ pageSize: 4 })).toEqual([
      ['line 1', 'line 2', 'line 3', 'line 4'],
      ['line 3', 'line 4', 'line 5', 'line 6'],
    ]);
    emulator.fail('getAppLogs', 'shuffled');
    expect((await page({ pageSize: 2 })).logs.map(({ logLine }) => logLine)).toEqual(['line 2', 'line 1']);
  });

  test('survives a restart with a data folder', async () => {
    const data = newFolder();
    const first = await startEmulator({ data });
    await speaking(first).ask('POST', '/apps', { name: 'web' });
    const app = `${first.project}-web`;
    const add = ({ logs }: Pick<typeof first, 'logs'>, text: string) =>
      logs.add(app, { container: 'c', stream: 'stdout', text });
    add(first, 'before');
    await first.close();
    const { emulator, ask } = await platform({ data, now: Date.now });
    add(emulator, 'after');
    const { logs } = (await ask('GET', `/apps/${app}/logs?direction=forward`)).json;
    expect(logs).toMatchObject([
      { logLine: 'before', lineNumber: 1, logId: 'c-1' },
      { logLine: 'after', lineNumber: 2, logId: 'c-2' },
    ]);
  });
});

describe.skipIf(!python)('what an app prints (needs python3)', () => {
  test('is labeled with run, replica and stream', async () => {
    const { call, logs, id } = await running();
    const run = (await call('run')).json.run_id;
    expect((await logs()).logs).toMatchObject([
      { logLine: 'loading', runId: '', stream: 'stdout', appId: id, lineNumber: 1 },
      { logLine: 'hello world', runId: run, stream: 'stdout', lineNumber: 2 },
      { logLine: 'this goes to stderr', runId: run, stream: 'stderr', lineNumber: 3 },
    ]);
  });

  test('is labeled correctly when two runs print concurrently', async () => {
    const { call, printed } = await running();
    const [one, other] = await Promise.all([call('chats', { lines: 200 }), call('chats', { lines: 100 })]);
    expect(await printed({ runId: one.json.run_id, pageSize: 1000 })).toHaveLength(200);
    expect(await printed({ runId: other.json.run_id, pageSize: 1000 })).toHaveLength(100);
  });

  test('has the traceback of an exception without frames of the emulator', async () => {
    const { call, printed } = await running();
    const run = (await call('fails')).json.run_id;
    const text = (await printed({ runId: run, stream: 'stderr' })).join('\n');
    expect(text).toMatch(/^Traceback[\s\S]*main.py", line \d+, in fails[\s\S]*ValueError: it went badly$/);
    expect(text).not.toContain('cortex.py');
  });

  test('is stored line by line, however long', async () => {
    const { call, emulator, id } = await running();
    await call('chats', { lines: 20_000 });
    const lines = emulator.logs.getLines(id);
    expect([lines.length, lines.at(-1)?.text]).toEqual([20_001, 'line 19999']);
  });
});

test('drops the oldest lines of a long log, and keeps line numbers', () => {
  const logs = new AppLogs(Date.now);
  const add = (text: string) => logs.add('app', { container: 'c', stream: 'stdout', text });
  for (let line = 1; line <= 250_000; line += 1) add(String(line));
  const kept = logs.getLines('app');
  expect(kept.length).toBeLessThanOrEqual(240_000);
  expect(kept.at(-1)).toMatchObject({ text: '250000', lineNumber: 250_000 });
  const large = 'x'.repeat(1024 * 1024);
  for (let line = 0; line < 100; line += 1) add(large);
  expect(logs.getLines('app').length).toBeLessThan(100);
});

test('lines that come at once are written to the file at once', async () => {
  const folder = newFolder();
  const logs = new AppLogs(Date.now, folder);
  const written = () =>
    readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean).length);
  for (let line = 0; line < 1_000; line += 1) logs.add('web', { container: 'c', stream: 'stdout', text: `${line}` });
  expect(written()).toEqual([]);
  await Promise.resolve();
  expect(written()).toEqual([1_000]);
});
