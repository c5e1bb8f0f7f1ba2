import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { agree, answering, keys, secretsIn, someone } from '../support/index.ts';

describe('gantry login', () => {
  test('shows a link and a code, waits for approval, and stores the tokens privately', async () => {
    const { logIn, run, emulator, tokens, settings, rights, folder } = await someone();
    const outcome = await logIn();
    expect(outcome.stderr).toMatch(
      new RegExp(`^log in at ${emulator.url}/activate\\?user_code=(.{9})\napprove if the code matches: \\1\n`),
    );
    expect(outcome.stderr).toContain('Logged in as ada.okafor@example.com');
    expect(outcome.stdout.replace(/ {2,}/g, '\t')).toBe(
      [
        'user\tada.okafor@example.com',
        `project\t${emulator.project}`,
        'profile\tdefault',
        'renewed\tautomatically',
        `stored in\t${folder}/credentials.json\n`,
      ].join('\n'),
    );
    expect([outcome.code, secretsIn(outcome)]).toEqual([0, []]);
    expect(tokens()).toEqual({
      token: expect.stringMatching(/^eyJ/),
      refreshToken: [...emulator.store.sessions.keys()][0],
    });
    expect(settings()).toEqual({ project: emulator.project });
    expect(rights()).toEqual({ '.': '700', 'credentials.json': '600', 'config.json': '600' });
    expect(await run('apps list --json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  test('prints one JSON document, without a token', async () => {
    const { logIn, emulator, folder } = await someone();
    const outcome = await logIn('login --json');
    expect(outcome.json()).toEqual({
      next: expect.any(Array),
      profile: 'default',
      project: emulator.project,
      user: 'ada.okafor@example.com',
      expiresAt: '2026-11-20T13:30:05.000Z',
      renewable: true,
      storedIn: join(folder, 'credentials.json'),
    });
    expect(secretsIn(outcome)).toEqual([]);
  });

  test('shows the link even with --quiet', async () => {
    const { logIn, emulator } = await someone();
    expect(await logIn('login --device --quiet --no-input')).toExit(0, `log in at ${emulator.url}/activate?user_code=`);
  });

  test.each<[string, boolean, string, number | undefined, Record<string, string>]>([
    ['on a terminal with a screen', true, 'login', 80, { DISPLAY: ':0' }],
    ['on a terminal with a Wayland screen', true, 'login', 80, { WAYLAND_DISPLAY: 'wayland-0' }],
    ['over SSH', false, 'login', 80, { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    ['over SSH, its terminal known', false, 'login', 80, { DISPLAY: ':0', SSH_TTY: '/dev/pts/1' }],
    ['without a terminal', false, 'login --device', undefined, { DISPLAY: ':0' }],
    ['with --device', false, 'login --device', 80, { DISPLAY: ':0' }],
  ])('%s opens a browser: %s', async (_, opens, line, columns, env) => {
    const { logIn, emulator } = await someone();
    const { opened, code } = await logIn(line, { ...(columns && { columns }), env: { ...env, TERM: 'dumb' } });
    expect(code).toBe(0);
    expect(opened).toEqual(opens ? [expect.stringMatching(`^${emulator.url}/activate\\?user_code=`)] : []);
  });

  test.each([
    ['without a terminal', 'login', { stdin: undefined }],
    ['with nothing on stdin', 'login', { stdin: '' }],
    ['with --no-input', 'login --no-input', {}],
    ['in a pipeline', 'login --json', { stdin: undefined, env: { CI: 'true' } }],
  ])('%s exits with 9 at once, and names the flags that work there', async (_, line, setting) => {
    const { run, emulator } = await someone();
    const { code, stderr, waits } = await run(line, setting);
    expect([code, waits, emulator.calls]).toEqual([9, [], []]);
    expect(stderr).toMatch(/gantry login --token < FILE.*gantry login --device/);
  });

  test('--device waits for approval on another machine while the code is valid', async () => {
    const { run, logIn, emulator } = await someone();
    const late = await run('login --device', { stdin: undefined });
    expect(late.stderr).toContain(`log in at ${emulator.url}/activate`);
    expect([late.code, late.waits.reduce((sum, wait) => sum + wait)]).toEqual([4, 600_000]);
    expect((await logIn('login --device', { stdin: '' })).code).toBe(0);
  });

  test("ends within an hour, even if the server's code is valid longer", async () => {
    const { run } = await someone();
    const url = await answering({
      deviceAuthResponsePayload: {
        device_code: 'd',
        user_code: 'AB-CD',
        verification_uri: 'https://example.com/activate',
        expires_in: 1e9,
        interval: 1e9,
      },
    });
    const { code, waits } = await run('login', { env: { GANTRY_API_URL: url } });
    expect([code, waits]).toEqual([4, [3_600_000]]);
  });

  test("polls at the server's interval until the code expires", async () => {
    const { run, emulator, tokens } = await someone();
    const { code, stderr, waits } = await run('login');
    expect(new Set(waits)).toEqual(new Set([5_000]));
    expect(waits.reduce((sum, wait) => sum + wait)).toBe(600_000);
    expect(stderr).toContain('error: login not approved in time: the code has expired\n  fix gantry login');
    expect([code, tokens()]).toEqual([4, undefined]);
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'requestToken')).toHaveLength(119);
  });

  test('polls more slowly after the server asks for it', async () => {
    const { run, emulator } = await someone();
    emulator.fail('requestToken', 'slow_down');
    let waited = 0;
    const meanwhile = () => {
      waited += 1;
      for (const device of emulator.store.devices.values()) {
        if (waited === 4) device.state = 'approved';
      }
    };
    const { code, waits } = await run('login', { meanwhile });
    expect([code, waits]).toEqual([0, [5_000, 10_000, 10_000, 10_000]]);
  });

  test('continues polling after failures, with one warning', async () => {
    const { run, emulator } = await someone();
    emulator.fail('requestToken', 'reset-before', 503, '429:60', 'html');
    let waited = 0;
    const meanwhile = () => ++waited === 6 && agree(emulator);
    const { code, waits, stderr } = await run('login', { meanwhile });
    expect([code, waits]).toEqual([0, [5_000, 10_000, 15_000, 60_000, 25_000, 25_000]]);
    expect(stderr.match(/retrying until the code expires/g)).toHaveLength(1);
  });

  test('exits with 4 and stores nothing if it is denied', async () => {
    const { run, emulator, tokens } = await someone();
    const { code, stderr } = await run('login', { meanwhile: () => agree(emulator, 'denied') });
    expect(stderr).toContain('error: the login was denied in the browser');
    expect([code, tokens()]).toEqual([4, undefined]);
  });

  test('exits with 4 and stores nothing if the new token has already expired', async () => {
    const { run, emulator, tokens } = await someone();
    const url = await answering({
      deviceAuthResponsePayload: { device_code: 'd', user_code: 'u', verification_uri: 'http://x', expires_in: 60 },
      accessToken: emulator.issueToken({ exp: 1_700_000_000 }),
      refreshToken: 'r',
    });
    const { code, stderr } = await run('login', { env: { GANTRY_API_URL: url } });
    expect(stderr).toContain('nothing was stored\n  why the token that the platform sent has expired already');
    expect([code, tokens()]).toEqual([4, undefined]);
  });

  test('exits with 130 on Ctrl-C and says that nothing was stored', async () => {
    const { run, tokens } = await someone();
    const { code, stderr } = await run('login', { stop: /approve if/ });
    expect(stderr).toContain('login canceled: nothing was stored');
    expect([code, tokens()]).toEqual([130, undefined]);
  });

  test('replaces the tokens of this profile only', async () => {
    const { logIn, folder, tokens, run } = await someone();
    const others = { work: { token: 'of-work', more: 1 } };
    mkdirSync(folder, { mode: 0o700 });
    const stored = { profiles: { default: { token: 'old-service-token' }, ...others }, note: 'mine' };
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(stored), { mode: 0o600 });
    await logIn();
    expect(tokens().token).toMatch(/^eyJ/);
    expect(JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'))).toMatchObject({
      profiles: others,
      note: 'mine',
    });
    expect((await run('whoami --json=kind')).json()).toEqual({ kind: 'login' });
  });

  test('--profile stores in that profile', async () => {
    const { logIn, tokens, settings, emulator } = await someone();
    await logIn('login --profile work');
    expect([tokens(), tokens('work').token]).toEqual([undefined, expect.stringMatching(/^eyJ/)]);
    expect(settings('work')).toEqual({ project: emulator.project });
  });

  test('fails before any question if the login cannot be stored', async () => {
    const { run, place, emulator } = await someone();
    writeFileSync(join(place, 'file'), '');
    const outcome = await run('login', { env: { GANTRY_CONFIG_DIR: join(place, 'file', 'config') } });
    expect(outcome.stderr).toMatch(/cannot write \S+credentials\.json/);
    expect(outcome.stderr).toContain('fix set GANTRY_TOKEN in the environment instead');
    expect([outcome.code, emulator.calls]).toEqual([1, []]);
  });

  test('warns that a token in the environment takes precedence', async () => {
    const { logIn, emulator } = await someone();
    const { stderr, code } = await logIn('login', { env: { GANTRY_TOKEN: emulator.token } });
    expect(stderr).toContain('the token from the environment (GANTRY_TOKEN) takes precedence while it is set');
    const bearers = emulator.calls.map(({ endpoint, hasAuthorization }) => [endpoint, hasAuthorization]);
    expect(bearers).toEqual([
      ['authorizeDevice', false],
      ['requestToken', false],
      ['listProjects', true],
    ]);
    expect(code).toBe(0);
  });
});

describe('the project of a login', () => {
  test('is asked for if there are several', async () => {
    const { logIn, settings } = await someone(['p-second01']);
    const down = '\u001b[B\r';
    const { code, stderr } = await logIn('login', { stdin: keys(down), columns: 100, env: { TERM: 'dumb' } });
    expect(stderr).toContain('Which project?');
    expect([code, settings()]).toEqual([0, { project: 'p-second01' }]);
  });

  test('is not chosen without a terminal, and the output says how to choose it', async () => {
    const { logIn, settings, run } = await someone(['p-second01']);
    const { code, stderr, json } = await logIn('login --device --json', { stdin: undefined });
    expect(stderr).toContain('no project selected (2 projects available): run gantry projects use p-…');
    expect([code, json()]).toMatchObject([0, { project: null }]);
    expect(settings()?.project).toBeUndefined();
    expect(await run('apps list')).toMatchObject({ code: 2, stderr: expect.stringContaining('no project selected') });
  });

  test('is that of --project, if the login has access', async () => {
    const { logIn, settings } = await someone(['p-second01']);
    expect((await logIn('login --project p-second01')).code).toBe(0);
    expect(settings()).toEqual({ project: 'p-second01' });
    const { code, stderr } = await logIn('login --project p-nowhere');
    expect(stderr).toContain('this login has no access to project p-nowhere');
    expect([code, settings()]).toEqual([6, { project: 'p-second01' }]);
  });

  test('stays the current project', async () => {
    const { logIn, settings } = await someone(['p-second01', 'p-third0001']);
    await logIn('login --project p-third0001');
    const { stderr } = await logIn();
    expect(stderr).not.toContain('no project selected');
    expect(settings()).toEqual({ project: 'p-third0001' });
  });

  test('is removed if the new login has no access', async () => {
    const { logIn, settings, emulator } = await someone(['p-second01', 'p-third0001']);
    await logIn('login --project p-third0001');
    emulator.store.projects.pop();
    await logIn('login --device', { stdin: undefined });
    expect(settings()).toEqual({});
  });
});

describe('gantry login --token', () => {
  test('reads a token from stdin, checks it with the server, and stores it with its project', async () => {
    const { run, emulator, tokens, settings, rights } = await someone(['p-second01']);
    const outcome = await run('login --token --json', { stdin: `  ${emulator.token}\n` });
    expect(outcome.json()).toMatchObject({ project: emulator.project, user: 'emulator', profile: 'default' });
    expect(tokens()).toEqual({ token: emulator.token });
    expect(settings()).toEqual({ project: emulator.project });
    expect(rights()).toMatchObject({ '.': '700', 'credentials.json': '600' });
    expect(emulator.calls.map(({ endpoint }) => endpoint)).toEqual(['listProjects']);
    expect(secretsIn(outcome)).toEqual([]);
  });

  test('prompts for a token on a terminal, and shows stars', async () => {
    const { run, emulator, tokens } = await someone();
    const outcome = await run('login --token', {
      stdin: keys(`${emulator.token}\r`),
      columns: 200,
      env: { TERM: 'dumb' },
    });
    expect(stripVTControlCharacters(outcome.stderr)).toMatch(/\? Token: \*+/);
    expect([outcome.code, tokens(), secretsIn(outcome)]).toEqual([0, { token: emulator.token }, []]);
  });

  test('reads a token from a pipe on a terminal with -', async () => {
    const { run, emulator, tokens } = await someone();
    await run('login --token -', { stdin: `Bearer ${emulator.token}` });
    expect(tokens()).toEqual({ token: emulator.token });
  });

  test('with --no-input on a terminal exits with 9', async () => {
    const { run } = await someone();
    expect((await run('login --token --no-input', { stdin: keys('x') })).code).toBe(9);
  });

  test.each(['login --token TOKEN', 'login --token=TOKEN'])(
    'refuses %s: the token would be in the shell history',
    async (line) => {
      const { run, emulator, tokens } = await someone();
      const outcome = await run(line.replace('TOKEN', 'opaque-secret'));
      expect(outcome.stderr).toContain(
        'pass the token on stdin, not as an argument: nothing was stored\n  why arguments are visible',
      );
      expect(outcome.stderr).not.toContain('opaque-secret');
      expect([outcome.code, tokens(), emulator.calls]).toEqual([2, undefined, []]);
    },
  );

  test.each([
    ['nothing', '', 2, 'no token on stdin'],
    ['two lines', 'one\ntwo', 2, 'invalid token'],
    ['other letters', 'tøken', 2, 'invalid token'],
    ['a file', 'x'.repeat(12_001), 2, 'it is longer than 12000 characters'],
  ])('refuses %s before any request', async (_, stdin, exit, message) => {
    const { run, emulator, tokens } = await someone();
    const { code, stderr } = await run('login --token', { stdin });
    expect(stderr).toContain(message);
    expect([code, tokens(), emulator.calls]).toEqual([exit, undefined, []]);
  });

  test('refuses an expired token before any request', async () => {
    const { run, emulator, tokens } = await someone();
    const { code, stderr } = await run('login --token', { stdin: emulator.issueToken({ exp: 1_700_000_000 }) });
    expect(stderr).toContain('the token expired on 2023-11-14T22:13:20.000Z: nothing was stored');
    expect([code, tokens(), emulator.calls]).toEqual([4, undefined, []]);
  });

  test('keeps the stored token if the server rejects the new one', async () => {
    const { logIn, run, tokens } = await someone();
    await logIn();
    const before = tokens();
    expect((await run('login --token', { stdin: 'made-up' })).code).toBe(4);
    expect(tokens()).toEqual(before);
  });

  test('drops the refresh token of an earlier login', async () => {
    const { logIn, run, emulator, tokens } = await someone();
    await logIn();
    await run('login --token', { stdin: emulator.token });
    expect(tokens()).toEqual({ token: emulator.token });
  });

  test('stores a token that may not list projects, for the project of its claims', async () => {
    const { run, emulator, tokens, settings } = await someone();
    emulator.fail('listProjects', 403);
    expect((await run('login --token', { stdin: emulator.token })).code).toBe(0);
    expect([tokens(), settings()]).toEqual([{ token: emulator.token }, { project: emulator.project }]);
  });
});

describe('a project in the environment', () => {
  const warning = 'takes precedence while it is set';
  const logIn = async (GANTRY_PROJECT?: string) => {
    const { run, emulator } = await someone(['p-second01']);
    const env = { GANTRY_PROJECT: GANTRY_PROJECT ?? emulator.project };
    return run('login --token', { stdin: emulator.token, env });
  };

  test('that differs from the project of the login causes a warning', async () => {
    expect(await logIn('p-second01')).toExit(0, `p-second01 from the environment`, warning);
  });

  test('that is the project of the login causes none', async () => {
    const { code, stderr } = await logIn();
    expect([code, stderr]).toEqual([0, expect.not.stringContaining(warning)]);
  });
});

describe('gantry login --import', () => {
  const theirs = (token: string, more = '') => `project: p-12345678\nserviceaccounttoken: ${token}\n${more}`;

  test('imports token, project and region of the official client, and keeps its file', async () => {
    const { run, emulator, tokens, settings, place } = await someone();
    const home = join(place, 'home');
    const text = theirs(emulator.token, 'defaultregion: eu-north-1\ntelemetry: true\ndev-accesstoken: x\n');
    mkdirSync(join(home, '.cerebrium'), { recursive: true });
    const file = join(home, '.cerebrium', 'config.yaml');
    writeFileSync(file, text, { mode: 0o600 });
    const outcome = await run('login --import --json', { env: { HOME: home } });
    expect(outcome.json()).toMatchObject({
      from: file,
      project: 'p-12345678',
      region: 'eu-north-1',
      imported: ['serviceaccounttoken', 'project', 'defaultregion'],
      skipped: ['telemetry', 'dev-accesstoken'],
    });
    expect(outcome.stderr).toContain('skipped: telemetry, dev-accesstoken');
    expect(tokens()).toEqual({ token: emulator.token });
    expect(settings()).toEqual({ project: 'p-12345678', region: 'eu-north-1' });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect([emulator.calls, secretsIn(outcome)]).toEqual([[], []]);
  });

  test('imports the access and refresh token of a login, which is then renewed', async () => {
    const { run, logIn, tokens, place, clock } = await someone();
    await logIn();
    const { token, refreshToken } = tokens();
    const file = join(place, 'config.yaml');
    writeFileSync(file, `project: p-12345678\naccesstoken: ${token}\nrefreshtoken: ${refreshToken}\n`);
    clock.now += 5 * 3_600_000;
    expect((await run(`login --import ${file} --profile old`)).code).toBe(0);
    expect(tokens('old')).toEqual({ token, refreshToken });
    expect((await run('apps list --profile old')).code).toBe(0);
  });

  test('imports the login if the service account token has expired', async () => {
    const { run, emulator, tokens, place } = await someone();
    const file = join(place, 'config.yaml');
    const expired = emulator.issueToken({ exp: 1_700_000_000 });
    writeFileSync(file, theirs(expired, `accesstoken: ${emulator.token}\nrefreshtoken: r\n`));
    expect((await run(`login --import ${file} --json=skipped`)).json()).toEqual({ skipped: ['serviceaccounttoken'] });
    expect(tokens()).toEqual({ token: emulator.token, refreshToken: 'r' });
  });

  test.each([
    ['no file', undefined, 6, 'not found'],
    ['broken YAML', 'project: [', 2, 'is not valid YAML'],
    ['no token', 'project: p-12345678\n', 4, 'the file has no token'],
    ['an empty file', '', 4, 'the file has no token'],
    ['a list', '- a\n- b\n', 4, 'the file has no token'],
    ['an expired token', 'EXPIRED', 4, 'the token in it has expired'],
  ])('reports %s and stores nothing', async (_, text, exit, message) => {
    const { run, emulator, tokens, place } = await someone();
    const file = join(place, 'config.yaml');
    const written = text === 'EXPIRED' ? theirs(emulator.issueToken({ exp: 1_700_000_000 })) : text;
    if (written !== undefined) writeFileSync(file, written, { mode: 0o600 });
    const { code, stderr } = await run(`login --import ${file}`);
    expect(stderr).toContain(message);
    expect([code, tokens()]).toEqual([exit, undefined]);
  });
});

test('never stores values of the environment', async () => {
  const { logIn, run, emulator, folder } = await someone(['p-second01', 'p-third0001']);
  const env = { GANTRY_TOKEN: emulator.token, GANTRY_PROJECT: 'p-third0001', GANTRY_REGION: 'us-central1' };
  await logIn('login', { env });
  for (const line of ['projects use p-second01', 'config set region eu-north-1', 'projects list', 'whoami', 'logout']) {
    expect([line, (await run(line, { env })).code]).toEqual([line, 0]);
  }
  const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.join('\n')).not.toMatch(new RegExp(`${emulator.token}|p-third0001|us-central1`));
});
