import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gantry, type Setting } from '../support/gantry.ts';
import { frameOf, type Line, lineAt, logPlatform } from '../support/log-platform.ts';
import { joiningProxy, overHttps } from '../support/proxy.ts';

const logs = (flags: string[], env: Record<string, string>, more: Setting = {}) =>
  gantry(['logs', 'web', ...flags], { env, ...more });
const linesOf = (stdout: string) => stdout.split('\n').slice(0, -1);
const whole = (lines: Line[]) => ({ body: { logs: lines, nextPageToken: null, hasMore: false } });

test('sorts lines of several containers and drops duplicates of overlapping pages', async () => {
  const [a, b] = [{ containerName: 'a' }, { containerName: 'b' }];
  const lines = [
    lineAt(1, 'one', { ...b, logId: '1' }),
    lineAt(2, 'two', { ...a, logId: '2', lineNumber: 1 }),
    lineAt(2, 'three', { ...a, logId: '3', lineNumber: 2 }),
    lineAt(2, 'three', { ...b, logId: '4' }),
    lineAt(3, 'four', { ...a, logId: '5' }),
    lineAt(3, 'four', { ...a, logId: '6' }),
  ];
  const pages = [
    [5, 3, 1],
    [3, 2, 0],
    [0, 4, 5],
  ].map((indexes) => indexes.map((index) => lines[index]));
  const env = await logPlatform({
    page: ({ nextToken = '0' }) => {
      const index = Number(nextToken);
      return { body: { logs: pages[index], nextPageToken: String(index + 1), hasMore: index < 2 } };
    },
  });
  const expected = ['[b] one', '[a] two', '[a] three', '[b] three', '[a] four', '[a] four'];
  expect(linesOf((await logs(['--tail', 'all', '--prefix'], env)).stdout)).toEqual(expected);
  expect(linesOf((await logs(['--tail', '6', '--prefix'], env)).stdout)).toEqual(expected);
});

test.each([
  ['the latest first', (lines: Line[]) => lines.toReversed()],
  ['the earliest first, as forward', (lines: Line[]) => lines],
])('lines of one time stay in their order, whatever a page that is read backward has: %s', async (_, order) => {
  const lines = [1, 1, 1, 2].map((at, index) => lineAt(at, `line ${index}`));
  const env = await logPlatform({
    page: ({ direction }) => whole(direction === 'backward' ? order(lines) : lines),
  });
  expect(linesOf((await logs(['--tail', '4'], env)).stdout)).toEqual(['line 0', 'line 1', 'line 2', 'line 3']);
});

test('keeps equal lines of the same time without ids, in any reply', async () => {
  const lines = [lineAt(1, 'same'), lineAt(1, 'same'), lineAt(2, 'end')];
  const env = await logPlatform({
    page: (_, number) => {
      // The first page is the log so far, the second fills the gap before the live log opens, the third checks its silence.
      if (number === 3) lines.push(lineAt(3, 'new'));
      return whole(lines);
    },
    socket: (send) => lines.map(frameOf).forEach(send),
  });
  const { stdout } = await logs(['-f'], env, { stop: /new/, io: { silenceMs: 500 } });
  expect(linesOf(stdout)).toEqual(['same', 'same', 'end', 'new']);
});

test.each([
  ['with --since, and a clock that is ahead', ['--since', '2026-11-20T05:00:00Z'], ['new']],
  ['with --since', ['--since', '2026-11-20T00:00:05Z'], ['new']],
  ['of an empty log', ['--tail', 'all'], ['new']],
])('does not lose a line between the first requests: %s', async (_, flags, expected) => {
  const lines = flags.includes('all') ? [] : [lineAt(1, 'old', { logId: '1' })];
  const env = await logPlatform({
    page: ({ afterDate = '', direction }, number) => {
      const found = lines.filter(({ timestamp }) => timestamp >= afterDate);
      if (number === 1) lines.push(lineAt(10, 'new', { logId: '2' }));
      return found.length > 0 ? whole(direction === 'backward' ? found.toReversed() : found) : { status: 204 };
    },
  });
  const { stdout } = await logs(['-f', ...flags], env, { stop: /new/ });
  expect(linesOf(stdout)).toEqual(expected);
});

test.each([[[]], [['--tail', 'all']]])(
  'does not lose lines that were read before a page failed: -f %j',
  async (flags) => {
    let failures = 0;
    const env = await logPlatform({
      page: ({ nextToken, afterDate }, number) => {
        if (number === 1 || !afterDate) return whole([lineAt(1, 'old')]);
        if (!nextToken) return { body: { logs: [lineAt(2, 'first')], nextPageToken: '1', hasMore: true } };
        failures += 1;
        return failures > 5 ? whole([lineAt(3, 'second')]) : { status: 503 };
      },
    });
    const { stdout, stderr } = await logs(['-f', ...flags], env, { stop: /second/ });
    expect(linesOf(stdout)).toEqual(['old', 'first', 'second']);
    expect(stderr).not.toContain('may be missing');
  },
);

test('sorts lines of several containers that arrive together', async () => {
  const [a, b] = [{ containerName: 'a' }, { containerName: 'b' }];
  const lines = [lineAt(3, 'end', a), lineAt(1, 'one', b), lineAt(2, 'two', b), lineAt(1, 'one', a)];
  const env = await logPlatform({ page: () => ({ status: 204 }), socket: (send) => lines.map(frameOf).forEach(send) });
  const { stdout } = await logs(['-f', '--prefix'], env, { stop: /end/ });
  expect(linesOf(stdout)).toEqual(['[a] one', '[b] one', '[b] two', '[a] end']);
});

test('sorts a line that is 49 ms late while several containers print', async () => {
  const [a, b] = [{ containerName: 'a' }, { containerName: 'b' }];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const pass = async (ms: number) => {
    // What was sent has arrived by then.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    vi.advanceTimersByTime(ms);
  };
  const env = await logPlatform({
    page: () => whole([lineAt(1, 'one', a), lineAt(2, 'two', b)]),
    socket: async (send) => {
      send(frameOf(lineAt(4, 'four', a)));
      await pass(49);
      send(frameOf(lineAt(3, 'three', b)));
      await pass(1);
      send(frameOf(lineAt(20, 'end', a)));
      await pass(50);
    },
  });
  const { stdout } = await logs(['-f', '--prefix'], env, { stop: /end/ });
  expect(linesOf(stdout)).toEqual(['[a] one', '[b] two', '[b] three', '[a] four', '[a] end']);
});

test('sends the token and the filters in the query of the live log', async () => {
  const asked: object[] = [];
  const env = await logPlatform({
    page: () => whole([lineAt(10, 'old')]),
    socket: (send, _, query) => {
      asked.push(query);
      send(frameOf(lineAt(11, 'new')));
    },
  });
  await logs(['-f', '--run', 'r-1', '--container', 'web-1'], env, { stop: /new/ });
  const { GANTRY_TOKEN: token } = env;
  const query = { projectID: 'p-1', appID: 'p-1-web', containerID: 'web-1', runID: 'r-1', token };
  // Of a run, from its first line on.
  expect(asked).toEqual([query]);
});

test.each([
  ['has more but no way to get it', { hasMore: true, nextPageToken: null }],
  ['leads in a circle', { hasMore: true, nextPageToken: 'again' }],
  ['has the same page under new tokens', { hasMore: true, nextPageToken: 'number' }],
])('reports a gap if the history %s', async (_, end) => {
  const page = (number: number) => ({ ...end, nextPageToken: end.nextPageToken?.replace('number', String(number)) });
  const env = await logPlatform({
    page: (__, number) => ({ body: { logs: [lineAt(1, 'one', { logId: '1' })], ...page(number) } }),
  });
  const outcome = await logs(['--tail', 'all'], env);
  expect([outcome.code, outcome.stdout]).toEqual([0, 'one\n']);
  expect(outcome.stderr).toMatch(/^warning: some log lines may be missing after 2026-11-20 \d\d:00:01\n$/);
  expect((await logs(['--tail', '5'], env)).stderr).toMatch(/may be missing before 2026-11-20 \d\d:00:01\n$/);
  const { stdout } = await logs(['--tail', 'all', '--json'], env);
  expect(JSON.parse(linesOf(stdout)[1] ?? '')).toMatchObject({
    type: 'result',
    warnings: [{ message: expect.stringContaining('some log lines may be missing after') }],
  });
});

test('reports a gap in a range without a line', async () => {
  const env = await logPlatform({ page: () => ({ body: { logs: [], hasMore: true, nextPageToken: null } }) });
  expect((await logs(['--tail', 'all'], env)).stderr).toMatch(/^warning: .* may be missing in this range\n/);
});

test('reports a gap if the platform dropped lines during an interruption', async () => {
  const old = [lineAt(1, 'old', { logId: '1' })];
  const late = [lineAt(900, 'late', { logId: '9' })];
  const platform = await logPlatform({ page: (_, number) => whole(number < 3 ? old : late) });
  const outcome = await logs(['-f'], platform, { stop: /late/ });
  expect(linesOf(outcome.stdout)).toEqual(['old', 'late']);
  expect(outcome.stderr).toMatch(
    /some log lines may be missing between 2026-11-20 \d\d:00:01 and 2026-11-20 \d\d:15:00/,
  );
});

test('reports a gap only if neither the history nor the live log has the lines', async () => {
  const old = lineAt(1, 'old');
  for (const [replayed, gap] of [
    [[old, lineAt(60, 'new')], false],
    [[lineAt(60, 'new')], true],
  ] as const) {
    const env = await logPlatform({
      page: (_, number) => (number === 1 ? whole([old]) : { status: 503 }),
      socket: (send) => replayed.map(frameOf).forEach(send),
    });
    const { stdout, stderr } = await logs(['-f'], env, { stop: /new/ });
    expect(linesOf(stdout)).toEqual(['old', 'new']);
    expect(stderr.includes('some log lines may be missing between')).toBe(gap);
  }
});

test.each([400, 410, 416, 422])(
  'reports a gap if the history refuses the range (HTTP %i), and continues with the live log',
  async (status) => {
    const env = await logPlatform({
      page: (_, number) => (number === 1 ? whole([lineAt(1, 'old')]) : { status }),
      socket: (send) => send(frameOf(lineAt(60, 'new'))),
    });
    const { stdout, stderr } = await logs(['-f'], env, { stop: /new/ });
    expect(linesOf(stdout)).toEqual(['old', 'new']);
    expect(stderr).toContain('may be missing');
  },
);

test.each([
  [403, 5],
  [413, 1],
])('fails if the history refuses for another reason (HTTP %i)', async (status, exit) => {
  const env = await logPlatform({
    page: (_, number) => (number === 1 ? whole([lineAt(1, 'old')]) : { status }),
    socket: () => {},
  });
  expect(await logs(['-f'], env)).toMatchObject({ code: exit, stdout: 'old\n' });
});

test('falls back to polling if the live log never opens', async () => {
  const lines = [lineAt(1, 'old', { logId: '1' })];
  const seen = (_: string, text: string) => {
    if (text.includes('every few seconds') && lines.length === 1) lines.push(lineAt(2, 'new', { logId: '2' }));
  };
  const env = await logPlatform({ page: () => whole(lines), deaf: true });
  const { stdout, stderr } = await logs(['-f'], env, { stop: /new/, io: { silenceMs: 500 }, seen });
  expect(linesOf(stdout)).toEqual(['old', 'new']);
  expect(stderr).toMatch(/cannot open the live log of .*; polling every few seconds instead/);
});

test('warns once about an invalid message of the live log, and continues', async () => {
  const env = await logPlatform({
    page: () => ({ status: 204 }),
    socket: (send) => ['hello', '{"a":1}', '\u0000', frameOf(lineAt(1, 'line'))].forEach(send),
  });
  const { stdout, stderr } = await logs(['-f'], env, { stop: /^line$/m });
  expect(stdout).toBe('line\n');
  expect(stderr.match(/an invalid message/g)).toHaveLength(1);
});

test('tolerates one invalid reply, but not many', async () => {
  const lines = [lineAt(1, 'old', { logId: '1' })];
  const hiccup = await logPlatform({
    page: (_, number) =>
      number === 3 ? { body: { logs: 'none' } } : whole(number > 4 ? [...lines, lineAt(2, 'new')] : lines),
  });
  const outcome = await logs(['-f'], hiccup, { stop: /new/ });
  expect(linesOf(outcome.stdout)).toEqual(['old', 'new']);
  expect(outcome.stderr).toMatch(/cannot read the log: .*; retrying\n[\s\S]*the log is available again/);
  const broken = await logPlatform({ page: (_, number) => (number > 2 ? { body: { logs: 'none' } } : whole(lines)) });
  const { code, stderr } = await logs(['-f'], broken);
  expect([code, stderr.match(/cannot read the log/g)]).toMatchObject([70, { length: 1 }]);
});

// Four times what is remembered or held.
test('streams 40,000 live lines without buffering or losing any', async () => {
  const number = 40_000;
  const lines = Array.from({ length: number }, (_, index) => lineAt(index / 100, `line ${index} ${'x'.repeat(80)}`));
  const env = await logPlatform({
    page: ({ afterDate = '', nextToken = '0', direction }) => {
      if (direction === 'backward') return whole(lines.slice(0, 1));
      const from = Math.max(
        0,
        lines.findIndex(({ timestamp }) => timestamp >= afterDate),
      );
      const start = Math.max(from, Number(nextToken));
      const hasMore = start + 1_000 < number;
      return { body: { logs: lines.slice(start, start + 1_000), hasMore, nextPageToken: String(start + 1_000) } };
    },
    socket: (send, cut, { after = '' }) => {
      const from = lines.findIndex(({ timestamp }) => timestamp >= after);
      for (const line of lines.slice(from, from + 12_000)) send(frameOf(line));
      cut();
    },
  });
  const { stdout, stderr } = await logs(['-f'], env, { stop: /line 39999 / });
  const indexes = linesOf(stdout).map((line) => Number(line.split(' ')[1]));
  expect(indexes.length).toBe(number);
  expect(indexes.every((index, place) => index === place)).toBe(true);
  expect(stderr).toBe('\n');
});

test('loses and repeats no line while polls fail and pages overlap', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => lineAt(index, `line ${index}`, { logId: `l-${index}` }));
  const env = await logPlatform({
    page: ({ afterDate = '', nextToken = '0', direction }, number) => {
      if (direction === 'backward') return whole(lines.slice(0, 1));
      // Requests are retried, so a poll fails only if all of its tries fail.
      if (Math.floor(number / 5) % 3 === 2) return { status: 503 };
      const there = lines.slice(0, number).filter(({ timestamp }) => timestamp >= afterDate);
      const start = Number(nextToken);
      const page = there.slice(start, start + 6).toReversed();
      return { body: { logs: page, hasMore: start + 6 < there.length, nextPageToken: String(start + 4) } };
    },
  });
  const { stdout, stderr } = await logs(['-f', '--tail', '1'], env, { stop: /line 29\n/ });
  expect(stderr).not.toContain('may be missing');
  expect(linesOf(stdout)).toEqual(lines.map(({ logLine }) => logLine));
});

test('uses the proxy without revealing the token', async () => {
  const { asked, heads, url: HTTPS_PROXY } = await joiningProxy();
  const env = await logPlatform({
    page: () => ({ status: 204 }),
    socket: (send) => send(frameOf(lineAt(1, 'line'))),
  });
  const GANTRY_API_URL = await overHttps(String(env.GANTRY_API_URL));
  const { stdout } = await logs(['-f'], { ...env, HTTPS_PROXY, GANTRY_API_URL }, { stop: /^line$/m });
  expect(stdout).toBe('line\n');
  expect(asked.length).toBeGreaterThan(1);
  expect(JSON.stringify([asked, heads])).not.toMatch(/token|authorization/);
});
