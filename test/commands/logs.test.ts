import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach } from '../support/emulators.ts';
import {
  deployWeb,
  expectNoTrace,
  gantry,
  newFolder,
  print as printOn,
  record,
  type Setting,
  smallApp,
} from '../support/index.ts';

/** The clock of the platform, which tests advance. */
const noon = Date.UTC(2026, 10, 20, 12);

const clock = { now: noon };
beforeEach(() => {
  clock.now = noon;
});
const emulator = emulatorForEach({ now: () => clock.now, real: false });
beforeEach(() => deployWeb(emulator));

const print = (text: string, more?: Parameters<typeof printOn>[2]) => printOn(emulator, text, more);

/** Prints lines `name-1` to `name-n`, a second apart. */
function printMany(name: string, number: number): string[] {
  const texts = Array.from({ length: number }, (_, index) => `${name}-${index + 1}`);
  for (const text of texts) {
    print(text);
    clock.now += 1_000;
  }
  return texts;
}

const logs = (flags: string[] = [], setting: Setting = {}) =>
  gantry(['logs', 'web', ...flags], { emulator, clock, ...setting });

const linesOf = (stdout: string) => stdout.split('\n').slice(0, -1);

const queries = () => emulator.calls.filter(({ endpoint }) => endpoint === 'getAppLogs').map(({ query }) => query);

describe('the log of an app', () => {
  test('shows the last 100 lines, sanitized, on a terminal and in a pipe', async () => {
    const all = printMany('line', 250);
    const piped = await logs();
    expect([piped.code, linesOf(piped.stdout)]).toEqual([0, all.slice(-100)]);
    expect((await logs([], { columns: 80 })).stdout).toBe(piped.stdout);
  });

  test.each([
    ['--tail 3', ['line-18', 'line-19', 'line-20']],
    ['--tail 0', []],
    ['--tail all', Array.from({ length: 20 }, (_, index) => `line-${index + 1}`)],
    ['--since 2026-11-20T12:00:17Z', ['line-18', 'line-19', 'line-20']],
    ['--since 2026-11-20T12:00:17Z --tail 1', ['line-20']],
    ['--until 2026-11-20T12:00:02Z', ['line-1', 'line-2']],
    ['--until 2026-11-20T12:00:02Z --tail 1', ['line-2']],
    ['--since 2026-11-20T12:00:03Z --until 2026-11-20T12:00:05Z', ['line-4', 'line-5']],
    ['--since 2s', ['line-19', 'line-20']],
    ['--search line-1 --tail 2', ['line-18', 'line-19']],
  ])('can be filtered: %s', async (flags, lines) => {
    printMany('line', 20);
    const { code, stdout } = await logs(flags.split(' '));
    expect([code, linesOf(stdout)]).toEqual([0, lines]);
  });

  test('filters by run, container and stream', async () => {
    print('a', { run: 'r-1' });
    print('b', { run: 'r-2', container: 'web-2' });
    print('c', { run: 'r-1', stream: 'stderr' });
    expect((await logs(['--run', 'r-1'])).stdout).toBe('a\nc\n');
    expect((await logs(['--container', 'web-2'])).stdout).toBe('b\n');
    expect((await logs(['--container-id', 'web-2', '--no-follow'])).stdout).toBe('b\n');
    expect((await logs(['--source', 'stderr'])).stdout).toBe('c\n');
    expect((await logs(['--run', 'r-1', '--source', 'stdout', '--search', 'a'])).stdout).toBe('a\n');
  });

  test('takes a part of the name of a container, and names those that it fits if they are several', async () => {
    for (const container of ['web-x1', 'web-y1', 'web-y2']) {
      record(emulator, { id: container, createdAt: clock.now - 1_000, container, runtimeMs: 1e9 });
      print(`of ${container}`, { container });
    }
    const { code, stderr } = await logs(['--container', 'y']);
    expect([code, stderr]).toEqual([
      2,
      'error: "y" names 2 containers\n  why these match: web-y1, web-y2; type more of the name\n',
    ]);
    expect((await logs(['--container', 'x1'])).stdout).toBe('of web-x1\n');
  });

  const traceback = [
    'Traceback (most recent call last):',
    '  File "/app/main.py", line 7, in run',
    '    return walk(node)',
    '  File "/app/main.py", line 3, in walk',
    '    return walk(node)',
    "KeyError: 'bad77'",
  ];

  test.each([
    ['--search Traceback', traceback],
    ['--search bad77', traceback],
    ['--search walk(node) --source stderr --since 1h', traceback],
    ['--search Traceback --tail 2', traceback.slice(-2)],
    ['--search Loading', ['Loading']],
    ['--search KeyError --source stdout', ['KeyError: none']],
  ])('a traceback is whole if one of its lines is found: %s', async (flags, lines) => {
    printMany('line', 5);
    print('KeyError: none');
    clock.now += 5_000;
    for (const text of traceback) {
      print(text, { stream: 'stderr' });
      print('between', { container: 'web-2' });
    }
    print('Loading');
    clock.now += 5_000;
    const { code, stdout } = await logs(flags.split(/ (?=--)/).flatMap((flag) => flag.split(/ (.*)/).filter(Boolean)));
    expect([code, linesOf(stdout)]).toEqual([0, lines]);
  });

  test('reads all pages and keeps the order if they overlap', async () => {
    const all = printMany('line', 2_500);
    for (const flags of [
      ['--tail', 'all'],
      ['--tail', '2400'],
      ['--since', '2026-11-20'],
    ]) {
      for (const fault of ['overlapping*', 'shuffled*']) {
        emulator.fail('getAppLogs', fault);
        const expected = flags[1] === '2400' ? all.slice(-2_400) : all;
        expect(linesOf((await logs(flags)).stdout)).toEqual(expected);
      }
    }
    expect(queries().some(({ nextToken }) => nextToken)).toBe(true);
  });

  test('prints a note if no line matches', async () => {
    print('x');
    expect((await logs(['--search', 'y'])).stderr).toBe('no log lines match\n');
    expect((await logs(['--search', 'y', '--json'])).json()).toEqual({ type: 'result' });
  });

  test('waits for the lines of the call that was just made, which come after its status', async () => {
    print('before', { run: 'r-1' });
    record(emulator, { id: 'r-2', createdAt: clock.now });
    const meanwhile = () => emulator.calls.length > 6 && print('after', { run: 'r-2' });
    const shown = await logs([], { meanwhile });
    expect(shown).toMatchObject({ code: 0, stdout: 'before\nafter\n', stderr: '' });
  });

  test.each([
    ['ended', 100, ''],
    ['in progress', 60_000, ' --follow'],
  ])('says which lines have not arrived, of the newest call only: %s', async (_, runtimeMs, flag) => {
    print('before', { run: 'r-1' });
    record(emulator, { id: 'r-1', createdAt: clock.now - 9_000 });
    record(emulator, { id: 'r-2', createdAt: clock.now - 1_000, runtimeMs });
    const { stdout, stderr } = await logs();
    expect(stdout).toBe('before\n');
    expect(stderr).toBe(
      `no lines of run r-2, the newest, have arrived; to wait for them: gantry logs web --run r-2${flag}\n`,
    );
    for (const flags of [
      ['--until', '1s'],
      ['--search', 'before'],
      ['--tail', '0'],
    ])
      expect((await logs(flags)).stderr).toBe('');
    clock.now += 30_000;
    expect((await logs()).stderr).toBe('');
    printMany('line', 150);
    expect((await logs()).stderr).toBe('');
  });

  test.each([
    ['the call before has printed nothing', [0, 20_000], 0],
    ['the call ended as long ago as they are waited for', [4_000], 1],
    ['the call has just ended', [0], 7],
  ])('waits for lines of the newest call only as long as they may come: %s', async (_, ages, looks) => {
    for (const age of ages) record(emulator, { id: `r-${age}`, createdAt: clock.now - age - 100 });
    emulator.calls.length = 0;
    expect((await logs()).code).toBe(0);
    expect(queries().filter(({ runId }) => runId)).toHaveLength(looks);
  });

  test('waits for no lines of a call of a server, which are of no run', async () => {
    const app = newFolder(smallApp('[cerebrium.runtime.custom]\nentrypoint = "serve"\nport = 8000'));
    await gantry(['deploy'], { emulator, cwd: app, clock });
    print('POST /predict 200');
    record(emulator, { id: 'r-1', createdAt: clock.now - 100 });
    const { stdout, stderr, waits } = await logs();
    expect([stdout, stderr, waits]).toEqual([expect.stringContaining('POST /predict 200\n'), '', []]);
  });

  test.each([
    [['--tail', '-1'], 'from 0 up, or all'],
    [['--since', 'tomorrow'], 'expected a time'],
    [['--source', 'stdin'], 'expected one of stdout, stderr'],
    [['--since', '1h', '--until', '2h'], 'invalid range: --until is before --since\n  fix name the earlier time'],
  ])('rejects %j with exit 2', async (flags, said) => {
    expect(await logs(flags)).toExit(2, said);
  });
});

describe('a line', () => {
  test('shows its time and its container if requested', async () => {
    print('one');
    clock.now += 5;
    print('two', { stream: 'stderr', container: 'web-2' });
    const { stdout } = await logs(['--timestamps', '--prefix'], { env: { TZ: 'UTC' } });
    expect(linesOf(stdout)).toEqual([
      expect.stringMatching(/^2026-11-20 \d\d:00:00\.000 \[web-1\] one$/),
      expect.stringMatching(/^2026-11-20 \d\d:00:00\.005 \[web-2\] two$/),
    ]);
  });

  test('of stderr is colored', async () => {
    print('fine');
    print('bad', { stream: 'stderr' });
    expect((await logs([], { columns: 80 })).stdout).toBe('fine\n\u001b[33mbad\u001b[39m\n');
    expect((await logs([], { columns: 80, env: { NO_COLOR: '1' } })).stdout).toBe('fine\nbad\n');
  });

  test('may be empty, have several lines in it, or be a progress bar', async () => {
    print('');
    print('a\nb');
    print('10 %\r50 %\r100 %');
    expect((await logs()).stdout).toBe('\na\nb\n100 %\n');
    expect((await logs(['--prefix'])).stdout).toBe('[web-1] \n[web-1] a\n[web-1] b\n[web-1] 100 %\n');
  });

  test('cannot control the terminal or a workflow runner, except with --raw', async () => {
    const hostile = '\u001b]0;title\u0007\u001b[2J\u001b[31mred\u001b[0m::error::x\u009b1A';
    print(hostile);
    print('::error file=x::boo');
    expect((await logs([], { columns: 80 })).stdout).toBe('\u001b[31mred\u001b[0m::error::x\n::error file=x::boo\n');
    const onRunner = await logs([], { env: { GITHUB_ACTIONS: 'true' } });
    expect(onRunner.stdout).not.toMatch(/^::/m);
    expect((await logs(['--raw', '--prefix'])).stdout).toBe(`${hostile}\n::error file=x::boo\n`);
  });

  test('is the platform’s object with --json, or the selected fields', async () => {
    print('a\u001b[2J', { run: 'r-1' });
    print('b');
    const [first, second] = linesOf((await logs(['--json'])).stdout).map((line) => JSON.parse(line));
    expect(first).toEqual({
      appId: `${emulator.project}-web`,
      projectId: emulator.project,
      runId: 'r-1',
      containerId: 'web-1',
      containerName: 'web-1',
      logId: 'web-1-1',
      lineNumber: 1,
      logLine: 'a\u001b[2J',
      stream: 'stdout',
      timestamp: '2026-11-20T12:00:00.000000000Z',
    });
    expect(second).toMatchObject({ logLine: 'b', timestamp: '2026-11-20T12:00:00.000000001Z' });
    expect((await logs(['--json=logLine,stream'])).stdout).toBe(
      '{"logLine":"a\\u001b[2J","stream":"stdout"}\n{"logLine":"b","stream":"stdout"}\n{"type":"result"}\n',
    );
  });
});

describe('following', () => {
  /** Prints lines one after the other, starting at the first request for the log. */
  const answering = (texts: string[], flags: string[] = [], setting: Setting = {}) => {
    const last = texts.at(-1);
    const waiting = [...texts];
    const timer = setInterval(() => {
      if (!emulator.calls.some(({ endpoint }) => endpoint === 'getAppLogs')) return;
      const text = waiting.shift();
      if (text === undefined) return clearInterval(timer);
      clock.now += 1;
      print(text);
    }, 20);
    return logs(['-f', ...flags], { stop: new RegExp(`${last}"?[,\n]`), ...setting }).finally(() =>
      clearInterval(timer),
    );
  };
  const many = (number: number) => Array.from({ length: number }, (_, index) => `new-${index + 1}.`);

  test('shows the last lines and then new ones until Ctrl-C', async () => {
    const old = printMany('old', 3);
    const outcome = await answering(many(10));
    expect(linesOf(outcome.stdout)).toEqual([...old, ...many(10)]);
    expect([outcome.code, outcome.stderr]).toEqual([130, '\n']);
    expectNoTrace(outcome, emulator);
  });

  test("uses the platform's clock: the local one may be hours ahead", async () => {
    printMany('old', 2);
    const { stdout } = await answering(many(3), ['--since', '1m'], {
      clock: { now: clock.now + 5 * 3_600_000 },
    });
    expect(linesOf(stdout)).toEqual(many(3));
  });

  test('prints a note if the log is empty', async () => {
    const { stdout, stderr } = await answering(many(3));
    expect(linesOf(stdout)).toEqual(many(3));
    expect(stderr).toBe('no log lines yet\n\n');
  });

  test('loses and repeats nothing if the socket breaks after every second line', async () => {
    emulator.fail('log-socket', 'cut-after-two*');
    printMany('old', 2);
    const { stdout, stderr } = await answering(many(30), ['--tail', '1']);
    expect(linesOf(stdout)).toEqual(['old-2', ...many(30)]);
    expect(stderr).toBe('\n');
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'log-socket').length).toBeGreaterThan(5);
  });

  test('repeats nothing if the socket does', async () => {
    emulator.fail('log-socket', 'repeating*');
    const { stdout } = await answering(many(10));
    expect(linesOf(stdout)).toEqual(many(10));
  });

  test('polls if there is no live log, says so once, and retries failed polls', async () => {
    emulator.fail('log-socket', 'refused*');
    printMany('old', 1);
    const failing = setInterval(() => emulator.fail('getAppLogs', 503), 60);
    const outcome = await answering(many(20), []).finally(() => clearInterval(failing));
    expect(linesOf(outcome.stdout)).toEqual(['old-1', ...many(20)]);
    expect(outcome.stderr).not.toContain('may be missing');
    expect(outcome.stderr.match(/cannot open the live log of [^;]*; polling every few seconds instead/g)).toHaveLength(
      1,
    );
    expectNoTrace(outcome, emulator);
  });

  test('notices a silent socket', async () => {
    emulator.fail('log-socket', 'silent*');
    const { stdout } = await answering(many(5), [], { io: { silenceMs: 500 } });
    expect(linesOf(stdout)).toEqual(many(5));
  });

  test('returns to the live log without losing or repeating a line', async () => {
    emulator.fail('log-socket', 'refused', 'refused', 'refused', 'refused');
    const { stdout, stderr } = await answering(many(25), []);
    expect(linesOf(stdout)).toEqual(many(25));
    expect(stderr).toContain('the live log is back');
    expect(stderr).not.toContain('may be missing');
  });

  test.each([
    ['--source', 'stderr'],
    ['--search', 'new'],
  ])('polls with %s %s, which the live log does not support', async (...flags) => {
    print('old');
    emulator.calls.length = 0;
    const texts = many(5);
    const timer = setInterval(() => {
      const text = texts.shift();
      if (text) print(text, { stream: 'stderr' });
    }, 20);
    const { stdout } = await logs(['-f', ...flags], { stop: /new-5/ });
    clearInterval(timer);
    expect(linesOf(stdout)).toEqual(many(5));
    expect(emulator.calls.some(({ endpoint }) => endpoint === 'log-socket')).toBe(false);
  });

  test('prints the same JSON for history and live log', async () => {
    print('old');
    const { stdout } = await answering(many(2), ['--json']);
    const [old, fresh] = linesOf(stdout).map((line) => JSON.parse(line));
    expect(old).toMatchObject({ logLine: 'old', containerName: 'web-1' });
    expect(fresh).toMatchObject({ logLine: 'new-1.', containerName: 'web-1', timestamp: expect.any(String) });
    expect(Object.keys(old)).toEqual(expect.arrayContaining(Object.keys(fresh)));
  });

  test('looks the same in the history and in the live log, which does not tell the streams apart', async () => {
    print('old', { stream: 'stderr' });
    const { stdout } = await answering(many(2), ['--prefix'], { columns: 80 });
    expect(stdout).not.toContain('\u001b[33m');
    expect(linesOf(stripVTControlCharacters(stdout))).toEqual(['[web-1] old', '[web-1] new-1.', '[web-1] new-2.']);
  });

  test('ends at --until', async () => {
    emulator.fail('log-socket', 'refused*');
    printMany('old', 2);
    const { code, stdout } = await logs(['-f', '--until', '2026-11-20T12:00:20Z'], { meanwhile: () => print('more') });
    expect(code).toBe(0);
    expect(linesOf(stdout).slice(0, 3)).toEqual(['old-1', 'old-2', 'more']);
    expect((await logs(['-f', '--until', '10s'])).code).toBe(0);
  });

  test('exits with 6 when the app is deleted', async () => {
    emulator.fail('log-socket', 'refused*');
    print('old');
    const outcome = await logs(['-f', '--json'], { meanwhile: () => emulator.store.apps.clear() });
    expect(outcome.code).toBe(6);
    const [line, error] = linesOf(outcome.stdout).map((text) => JSON.parse(text));
    expect(line).toMatchObject({ logLine: 'old' });
    expect(error).toMatchObject({ error: { code: 'not-found', exitCode: 6 } });
  });

  test('sends the token only to the log host, and never prints it', async () => {
    print('old');
    for (const fault of ['refused*', 'cut-after-two*']) {
      emulator.reset();
      await deployWeb(emulator);
      emulator.fail('log-socket', fault);
      expectNoTrace(await answering(many(6), ['--debug']), emulator);
    }
    const elsewhere = await logs(['-f'], { env: { GANTRY_LOGS_URL: 'http://logs.example.com' } });
    expect(elsewhere).toExit(2, 'refusing to send the token to http://logs.example.com');
  });
});

test('a field of the log of an app is unknown in the log of a build, and the other way round', async () => {
  print('hello');
  expect(await logs(['--build', '--json=logLine'])).toExit(2, 'available fields: id, createdAt, log');
  expect((await logs(['--json=log'])).code).toBe(2);
  expect((await logs(['--build', '--json=log'])).code).toBe(0);
});
