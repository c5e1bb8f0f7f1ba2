import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { answering } from '../support/answering.ts';
import { smallApp } from '../support/app.ts';
import { type Emulator, emulatorForEach, startEmulator } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, jsonLines, keys } from '../support/gantry.ts';
import { logPlatform } from '../support/log-platform.ts';
import { expectErrorDocument } from '../support/traces.ts';

const emulator = emulatorForEach({ real: false });

test('lists builds newest first, with the reason of failures', async () => {
  emulator.fail('build', 'init_failure');
  const first = await deploy();
  const second = await deploy();
  expect((await gantry('builds list web --json=id,status', { emulator })).json()).toEqual([
    { id: second, status: 'succeeded' },
    { id: first, status: 'init_failure' },
  ]);
  expect((await gantry('builds list web', { emulator })).stdout).toContain('torchh is not installed');
  const shown = (await gantry('builds list web --color never', { emulator, stdin: keys(), columns: 80 })).stdout.split(
    '\n',
  );
  expect(shown[0]).toMatch(/^BUILD +STATUS +CREATED +HEALTH +REASON$/);
  expect(shown[2]).toMatch(/^[\da-f]{8} +init_failure .* the Python module torchh /);
  // Another machine knows what the platform keeps.
  const elsewhere = { emulator, env: { GANTRY_CONFIG_DIR: newFolder() } };
  const { json: listed } = await gantry('builds list web --json=reason', elsewhere);
  expect(listed()).toEqual([{ reason: null }, { reason: expect.stringMatching(/ModuleNotFoundError: No module/) }]);
});

test('an app without builds has no latest one', async () => {
  await deploy();
  emulator.store.builds.clear();
  const get = await gantry('builds get web', { emulator });
  expect(get).toExit(6, /^error: web has no builds yet\n {2}fix gantry deploy\n$/);
});

test('prints the log, with times if requested', async () => {
  await deploy();
  const plain = await gantry('logs web --build', { emulator });
  const timed = await gantry('logs web --build --timestamps', { emulator });
  expect(plain.stdout).toMatch(/App is ready\n$/);
  expect(timed.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} .*App is ready\n$/m);
});

test('prints a note if the log is empty', async () => {
  emulator.fail('build', 'slow');
  const build = emulator.store.builds.get(await deploy(['--detach']));
  if (!build) throw new Error('there is no build');
  build.script.scenes = [];
  const { code, stdout, stderr } = await gantry('logs web --build', { emulator });
  const note = 'no log lines yet: they take some seconds to arrive; -f waits for them\n';
  expect([code, stdout, stderr]).toEqual([0, '', note]);
});

describe('the files of a build', () => {
  const files = (more = {}) => gantry('builds get web b-1 --files', { emulator, columns: 80, ...more });

  test.each([
    ['a list of paths', ['a/x', '/a/y', './b'], 'FILE\na/x\n/a/y\n./b\n'],
    ['folders in one another', { a: { x: { size: 1 } } }, 'FILE  SIZE\na/x    1 B\n'],
    ['folders as lists', { src: ['a', 'b'], empty: [], 'c.py': {} }, 'FILE\nsrc/a\nsrc/b\nempty/\nc.py\n'],
    ['objects without a name', [{ key: 'main.py', bytes: '12' }], 'FILE  SIZE  MORE\n0     12 B  key=main.py\n'],
  ])('accepts any shape of the reply: %s', async (_, shape, text) => {
    const env = { NO_COLOR: '1', GANTRY_API_URL: await answering({ id: 'b-1', zipFiles: shape }) };
    expect((await files({ env })).stdout).toBe(text);
  });

  test.each([[null], [{}], [[]]])('prints a note if there are no files: %j', async (shape) => {
    const env = { NO_COLOR: '1', GANTRY_API_URL: await answering({ id: 'b-1', zipFiles: shape }) };
    const { code, stdout, stderr } = await files({ env });
    expect([code, stdout, stderr]).toEqual([0, '', 'no files in the archive of build b-1\n']);
  });
});

describe('following a build', () => {
  test.each([
    ['success', undefined, 0],
    ['build_failure', 'build_failure', 11],
    ['init_failure', 'init_failure', 12],
    ['init_timeout', 'init_timeout', 12],
  ] as const)('exits like deploy if the build ends with %s', async (status, fault, exit) => {
    if (fault) emulator.fail('build', fault);
    const build = await deploy(['--detach']);
    const outcome = await gantry(['logs', 'web', '--build', build, '-f', '--json'], { emulator });
    expect(outcome.code).toBe(exit);
    const events = jsonLines(outcome.stdout);
    expect(events.filter(({ log }) => log).length).toBeGreaterThan(0);
    const error = {
      code: exit === 11 ? 'build-failed' : expect.any(String),
      exitCode: exit,
      details: { build, status },
    };
    expect(events.at(-1)).toMatchObject(exit === 0 ? { type: 'result' } : { type: 'error', error });
  });

  test('exits with 8 at --timeout without canceling the build', async () => {
    emulator.fail('build', 'slow');
    const build = await deploy(['--detach']);
    const outcome = await gantry('logs web --build -f --timeout 10m', { emulator });
    expect(outcome).toExit(8, `build ${build.slice(0, 8)} of web is still in progress after 10m`);
    expect(emulator.store.builds.get(build)?.cancelledAt).toBeUndefined();
  });

  test('exits with 130 on Ctrl-C without canceling the build', async () => {
    emulator.fail('build', 'slow');
    const build = await deploy(['--detach']);
    const outcome = await gantry('logs web --build -f', { emulator, stop: /\n/ });
    expect(outcome).toExit(130, `build ${build} continues; to follow it: gantry logs web --build ${build} -f`);
    expect(emulator.calls.some(({ endpoint }) => endpoint === 'cancelBuild')).toBe(false);
  });

  test('does not show a duration if the build has already ended', async () => {
    await deploy();
    const { stderr } = await gantry('logs web --build -f', { emulator });
    expect(stderr).toContain('web is already built\n');
    expect(stderr).not.toContain('Built in');
  });

  test.each(['soon', '10', '-5m', '1h30'])('rejects the duration %s with exit 2', async (text) => {
    const outcome = await gantry(['logs', 'web', '--build', '-f', `--timeout=${text}`], { emulator });
    expect(outcome).toExit(2, '30s, 5m, 1h30m or 7d');
  });
});

describe('canceling a build', () => {
  let build: string;

  beforeEach(async () => {
    emulator.fail('build', 'slow');
    build = await deploy(['--detach']);
  });

  const cancelled = () => emulator.store.builds.get(build)?.cancelledAt !== undefined;

  test.each([
    ['Ctrl-C', '\u0003', 'interrupted'],
    ['Ctrl-D', '\u0004', 'canceled; nothing changed'],
    ['Esc', '\u001b', 'canceled; nothing changed'],
  ])('exits with 130 on %s at the question and cancels nothing', async (_, typed, said) => {
    const setting = { emulator, columns: 80, stdin: keys(typed) };
    expect(await gantry(['builds', 'cancel', 'web', build], setting)).toExit(130, said);
    expect(cancelled()).toBe(false);
  });

  test('cancels with --yes, and exits with 0 without asking if the build is already canceled', async () => {
    const canceled = await gantry(['builds', 'cancel', 'web', build, '-y'], { emulator });
    expect(canceled).toPrint(`canceled build ${build.slice(0, 8)}\n`);
    expect(cancelled()).toBe(true);
    const { code, stdout } = await gantry(['builds', 'cancel', 'web', build], { emulator });
    expect([code, stdout]).toEqual([0, `nothing to change: build ${build.slice(0, 8)} is already canceled\n`]);
    const { json } = await gantry(['builds', 'cancel', 'web', build, '--json=changed'], { emulator });
    expect(json()).toEqual({ changed: false });
  });

  test('is followed to its end once, and then shown another way', async () => {
    await gantry(['builds', 'cancel', 'web', build, '-y'], { emulator });
    const { code, stdout } = await gantry(['logs', 'web', '--build', build, '-f', '--json'], { emulator });
    const { error } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect([code, error.next]).toEqual([11, ['gantry', 'builds', 'get', 'web', build.slice(0, 8), '--json']]);
    expect(error.details).not.toHaveProperty('log');
  });

  test('exits with 7 without asking if the build has ended', async () => {
    const done = await deploy();
    const outcome = await gantry(['builds', 'cancel', 'web', done, '--json'], { emulator });
    expect(outcome).toExit(7, `build ${done} of web has already ended: succeeded\n  fix gantry builds get web ${done}`);
    expectErrorDocument(outcome);
    expect(emulator.calls.some(({ endpoint }) => endpoint === 'cancelBuild')).toBe(false);
  });

  test('exits with 7 if the build ends before the cancellation arrives', async () => {
    const meanwhile = () => {
      const record = emulator.store.builds.get(build);
      if (record) record.cancelledAt = Date.now();
    };
    emulator.fail('cancelBuild', 503);
    const { code, stdout } = await gantry(['builds', 'cancel', 'web', build, '-y'], { emulator, meanwhile });
    expect([code, stdout]).toEqual([0, `nothing to change: build ${build.slice(0, 8)} is already canceled\n`]);
  });
});

/** Deploys the small app and returns the id of its latest build. */
async function deploy(flags: string[] = []): Promise<string> {
  await gantry(['deploy', ...flags], { emulator, cwd: newFolder(smallApp()) });
  return emulator.store.getAppBuilds(`${emulator.project}-web`)[0]?.id ?? '';
}

describe('the log of a build', () => {
  test('follows the log until the build ends, with or without the live log, each line once', async () => {
    await deploy();
    const whole = (await gantry('logs web --build', { emulator })).stdout;
    for (const fault of [undefined, 'cut-after-two*', 'repeating*', 'refused*'] as const) {
      if (fault) emulator.fail('log-socket', fault);
      const slow = await startEmulator({ real: false, pace: 60 });
      try {
        if (fault) slow.fail('log-socket', fault);
        await gantry('deploy --detach', { emulator: slow, cwd: newFolder(smallApp()) });
        const followed = await gantry('logs web --build -f', { emulator: slow });
        expect(followed).toPrint(whole);
        expect(followed.stderr).not.toContain('may be missing');
      } finally {
        await slow.close();
      }
    }
  });

  test.each([undefined, 'refused*', 'silent*'] as const)(
    'is shown by a deploy from the same source, every line once (the socket: %s)',
    async (fault) => {
      await deploy();
      const whole = (await gantry('logs web --build', { emulator })).stdout;
      await using slow = await slowEmulator();
      if (fault) slow.fail('log-socket', fault);
      expect(await shownBy(slow, ['deploy', '--events'])).toMatchObject({ code: 0, shown: whole });
      expect(slow.calls.some(({ endpoint }) => endpoint === 'log-socket')).toBe(true);
    },
  );

  test.each(['403*', '503*', 'malformed*'])(
    'deploy shows the live log and warns once if the history is not available (%s)',
    async (fault) => {
      await using slow = await slowEmulator(300);
      slow.fail('getBuildLogs', fault);
      const { code, shown, stderr } = await shownBy(slow, ['deploy', '--events']);
      expect([code, shown]).toEqual([0, expect.stringMatching(/^FROM debian/)]);
      expect(stderr.match(/cannot read the build log/g)).toHaveLength(1);
      expect(stderr).not.toMatch(/may be missing|polling every/);
    },
  );

  test('does not delay the result if the live log cannot be reached', async () => {
    const { GANTRY_API_URL } = await logPlatform({ page: () => ({ status: 404 }), deaf: true });
    await using slow = await slowEmulator();
    const env = { GANTRY_LOGS_URL: String(GANTRY_API_URL) };
    const outcome = await gantry('deploy', {
      emulator: slow,
      cwd: newFolder(smallApp()),
      env,
      io: { silenceMs: 60_000 },
    });
    expect(outcome).toExit(0, 'App is ready', expect.not.stringContaining('cannot read'));
  });

  test('reads the log without following it if the build ended long ago', async () => {
    const build = emulator.store.builds.get(await deploy());
    if (build?.startedAt !== undefined) build.startedAt -= 60_000;
    emulator.calls.length = 0;
    await gantry('logs web --build -f', { emulator });
    expect(emulator.calls.some(({ endpoint }) => endpoint === 'log-socket')).toBe(false);
  });

  test('requests the log with -q only if the build failed', async () => {
    await deploy(['-q']);
    const asked = () => emulator.calls.filter(({ endpoint }) => /getBuildLogs|log-socket/.test(endpoint ?? ''));
    expect(asked()).toEqual([]);
    emulator.fail('build', 'build_failure');
    await deploy(['-q']);
    expect(asked().map(({ endpoint }) => endpoint)).toContain('getBuildLogs');
  });

  test('logs --build shows the given build, or says that there is none', async () => {
    const first = await deploy();
    const { stdout } = await gantry(['logs', 'web', '--build', first, '--tail', '1', '--json=log'], { emulator });
    expect(stdout).toBe('{"log":"App is ready"}\n{"type":"result"}\n');
    expect((await gantry('logs web --build b-none', { emulator })).code).toBe(6);
  });

  test('can be filtered', async () => {
    await deploy();
    const { stdout } = await gantry('logs web --build --search Load --since 1h', { emulator });
    expect(stdout).toBe('Loading main.py\n');
    expect((await gantry('logs web --build --tail 1', { emulator })).stdout).toBe('App is ready\n');
    expect((await gantry('logs web --build --until 1h', { emulator })).stderr).toBe('no log lines match\n');
  });
});

/** A platform whose builds take a while. */
async function slowEmulator(pace = 60): Promise<Emulator & AsyncDisposable> {
  const slow = await startEmulator({ real: false, pace });
  return Object.assign(slow, { [Symbol.asyncDispose]: () => slow.close() });
}

/** The lines of the build log in the events of a command. */
async function shownBy(slow: Emulator, words: string[]): Promise<{ code: number; shown: string; stderr: string }> {
  const setting = { emulator: slow, cwd: newFolder(smallApp()), meanwhile: () => setTimeout(10) };
  const { code, stdout, stderr } = await gantry(words, setting);
  const events = jsonLines(stdout);
  const lines = events.filter(({ type }) => type === 'log').map(({ line }) => `${line}\n`);
  return { code, shown: lines.join(''), stderr };
}
