import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Api } from '../../../src/platform/api/client.ts';
import { renewStoredToken as renew } from '../../../src/platform/api/token-renewal.ts';
import { toCredential } from '../../../src/platform/config/credentials.ts';
import { resolveSettings } from '../../../src/platform/config/settings.ts';
import { secretsIn, someone } from '../../support/login.ts';

const hour = 3_600_000;
const expired = `e30.${Buffer.from('{"exp":1}').toString('base64url')}.signature`;

describe('a login whose token expires', () => {
  test.each([
    ['long before its end', 2 * hour, 0],
    ['a bit more than a minute before its end', 4 * hour - 62_000, 0],
    ['within a minute of its end', 4 * hour - 59_000, 1],
    ['after its end', 5 * hour, 1],
  ])('%s: is renewed before the first call', async (_, later, renewals) => {
    const { clock, run, tokens, renewed } = await loggedIn();
    const { token, refreshToken } = tokens();
    clock.now += later;
    const outcome = await run('apps list --json');
    expect([outcome.code, outcome.stdout, secretsIn(outcome)]).toEqual([0, '[]\n', []]);
    expect(renewed()).toBe(renewals);
    expect(tokens().token === token).toBe(renewals === 0);
    expect(tokens().refreshToken).toBe(refreshToken);
  });

  test('is renewed once by ten concurrent commands', async () => {
    const { clock, run, renewed, rights } = await loggedIn();
    clock.now += 5 * hour;
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => run('apps list')));
    expect(outcomes.map(({ code }) => code)).toEqual(Array(10).fill(0));
    expect(renewed()).toBe(1);
    expect(rights()).toEqual({ '.': '700', 'credentials.json': '600', 'config.json': '600' });
  });

  test('keeps a new refresh token that comes with the new one', async () => {
    const { tokens, env } = await loggedIn();
    const fresh = { access_token: 'fresh', refresh_token: 'fresh too' };
    await renew(toCredential(tokens(), 'default'), true, renewing(env, fresh));
    expect(tokens()).toEqual({ token: 'fresh', refreshToken: 'fresh too' });
  });

  test('is renewed in its own profile', async () => {
    const { tokens, env, folder } = await loggedIn();
    const before = tokens();
    const file = join(folder, 'credentials.json');
    writeFileSync(file, JSON.stringify({ profiles: { default: before, work: before } }), { mode: 0o600 });
    const asked = renewing({ ...env, GANTRY_PROFILE: 'work' }, { access_token: 'fresh' });
    await renew(toCredential(before, 'work'), true, asked);
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles).toEqual({
      default: before,
      work: { ...before, token: 'fresh' },
    });
  });

  test.each([undefined, null, ''])('keeps its refresh token if the new one is %j', async (refresh_token) => {
    const { tokens, env } = await loggedIn();
    const { refreshToken } = tokens();
    await renew(toCredential(tokens(), 'default'), true, renewing(env, { access_token: 'fresh', refresh_token }));
    expect(tokens()).toEqual({ token: 'fresh', refreshToken });
  });

  test('exits with 4 and says how to log in if it was revoked', async () => {
    const { clock, emulator, run, tokens } = await loggedIn();
    emulator.store.sessions.clear();
    clock.now += 5 * hour;
    const outcome = await run('apps list --json');
    expect(outcome.stderr).toContain(
      'error: the login has expired\n  why renewing the token failed: Refresh Token has been revoked\n  fix gantry login\n',
    );
    expect(outcome.json()).toMatchObject({ error: { code: 'auth', details: { error: 'invalid_grant' } } });
    expect([outcome.code, tokens().token]).toEqual([4, expect.stringMatching(/^eyJ/)]);
    expect(secretsIn(outcome)).toEqual([]);
  });

  test('is used until it expires if it cannot be renewed', async () => {
    const { clock, emulator, run } = await loggedIn();
    emulator.fail('renewToken', '500*');
    clock.now += 4 * hour - 30_000;
    expect((await run('apps list')).code).toBe(0);
    clock.now += hour;
    expect((await run('apps list')).code).toBe(69);
  });

  test('is renewed for this process only, with a warning, if it cannot be stored', async () => {
    const { tokens, folder } = await loggedIn();
    const before = tokens();
    const nowhere = { GANTRY_CONFIG_DIR: join(folder, 'credentials.json', 'below-a-file') };
    const warnings: string[] = [];
    const asked = renewing(nowhere, { access_token: 'fresh' }, (warning) => warnings.push(warning));
    const { token, refreshToken } = await renew(toCredential(before, 'default'), false, asked);
    expect([token, refreshToken]).toEqual(['fresh', before.refreshToken]);
    expect(warnings).toEqual(['cannot store the renewed token: the next command will renew it again']);
    expect(tokens()).toEqual(before);
  });

  test.each([
    ['with a line break', { access_token: 'fresh\ntoken' }, 'contains spaces, line breaks'],
    ['of 5 MB', { access_token: 'x'.repeat(5_000_000) }, 'is longer than 12000 characters'],
    ['that has expired', { access_token: expired }, 'has expired already; is the clock of this machine right?'],
    ['without the form of one', { access_token: 'fresh', refresh_token: 'a\nb' }, 'contains spaces, line breaks'],
  ])('is kept instead of a new one %s', async (_, reply, why) => {
    const { tokens, env, clock } = await loggedIn();
    const before = tokens();
    const current = toCredential(before, 'default');
    const asked = { ...renewing(env, reply), now: () => clock.now };
    expect(await renew(current, false, asked)).toEqual(current);
    clock.now += 5 * hour;
    const renewed = renew(current, false, asked);
    await expect(renewed).rejects.toMatchObject({ facts: { why: expect.stringContaining(why) } });
    expect(tokens()).toEqual(before);
  });

  test.each([
    ['and has expired', 5 * hour, 69],
    ['but is valid for half a minute', 4 * hour - 30_000, 0],
  ])(
    'is renewed by one request with its retries, however many wait for it: it is not renewed %s',
    async (_, later, exit) => {
      const { clock, emulator, run } = await loggedIn();
      emulator.fail('renewToken', '500*');
      clock.now += later;
      expect((await run('apps list --json')).code).toBe(exit);
      expect(emulator.calls.filter(({ endpoint }) => endpoint === 'renewToken')).toHaveLength(5);
    },
  );

  test('is not restored by a command that was running during a logout', async () => {
    const { clock, run, tokens, emulator } = await loggedIn();
    emulator.fail('listApps', 401);
    clock.now += hour;
    const loggingOut = run('logout');
    expect((await Promise.all([loggingOut, run('apps list')]))[0].code).toBe(0);
    expect(tokens()).toBeUndefined();
  });
});

describe('a token that the platform refuses during a command', () => {
  test('is renewed, and the call is repeated once', async () => {
    const { emulator, run, renewed } = await loggedIn();
    emulator.fail('listApps', 401);
    expect((await run('apps list')).code).toBe(0);
    emulator.fail('inviteUser', 401);
    expect((await run('users invite new@example.com --role member')).code).toBe(0);
    expect(renewed()).toBe(2);
  });

  test('is an error if the new token is refused too', async () => {
    const { emulator, run, renewed } = await loggedIn();
    emulator.fail('listApps', 401, 401);
    const { code, stderr } = await run('apps list');
    expect(stderr).toContain('fix gantry login');
    expect([code, renewed()]).toEqual([4, 1]);
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'listApps')).toHaveLength(2);
  });

  test('is an error at once if it comes from the environment, and nothing is stored', async () => {
    const { emulator, run, renewed, tokens } = await loggedIn();
    const before = tokens();
    emulator.fail('listApps', 401);
    const { code } = await run('apps list', { env: { GANTRY_TOKEN: emulator.token } });
    expect([code, renewed(), tokens()]).toEqual([4, 0, before]);
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'listApps')).toHaveLength(1);
  });

  test('is read from the file if another command renewed it meanwhile', async () => {
    const { emulator, run, clock, renewed } = await loggedIn();
    clock.now += 5 * hour;
    await run('apps list');
    emulator.fail('listApps', 401);
    await Promise.all([run('apps list'), run('users list')]);
    expect(renewed()).toBe(2);
  });
});

describe('a token that cannot be renewed', () => {
  test.each([
    ['in more than a week', 7 * 24 * hour + 60_000, undefined],
    ['in almost a week', 7 * 24 * hour - 60_000, 'create a new one in the dashboard, API Keys page'],
    ['in 3 days and a half', 84 * hour, 'create a new one in the dashboard, API Keys page'],
    ['in an hour', hour + 1, 'create a new one'],
  ])('causes one warning if it expires %s', async (_, left, words) => {
    const { emulator, run, clock } = await someone();
    const GANTRY_TOKEN = emulator.issueToken({ exp: (clock.now + left) / 1000 });
    const { code, stderr } = await run('apps list', { env: { GANTRY_TOKEN } });
    expect(code).toBe(0);
    expect(stderr.match(/the token from the environment \(GANTRY_TOKEN\) expires /g)?.length).toBe(
      words ? 1 : undefined,
    );
    if (words) expect(stderr).toContain(words);
    expect((await run('apps list --quiet', { env: { GANTRY_TOKEN } })).stderr).toBe('');
  });

  test('suggests gantry login --token if it is stored', async () => {
    const { emulator, run, clock } = await someone();
    await run('login --token', { stdin: emulator.issueToken({ exp: clock.now / 1000 + 3600 }) });
    expect((await run('apps list')).stderr).toContain(
      'the token from the profile (default) expires 2026-11-20T10:30:00.000Z: create a new one in the dashboard, API Keys page, then gantry login --token',
    );
  });

  test('suggests gantry login if it is from the official client', async () => {
    const { run, place, clock, emulator } = await someone();
    const file = join(place, 'config.yaml');
    const access = emulator.issueToken({ token_use: 'access', exp: clock.now / 1000 + 3600 });
    writeFileSync(file, `project: p-12345678\naccesstoken: ${access}\n`, { mode: 0o600 });
    await run(`login --import ${file}`);
    expect((await run('apps list')).stderr).toContain('expires 2026-11-20T10:30:00.000Z: gantry login\n');
  });
});

test('a renewal makes a credentials file private that others could read', async () => {
  const { clock, run, folder } = await loggedIn();
  const file = join(folder, 'credentials.json');
  chmodSync(file, 0o644);
  clock.now += 5 * hour;
  const { stderr } = await run('apps list');
  expect(stderr).toContain('was readable by other users; its mode is now 0600');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('profiles.default.refreshToken');
});

/** What a renewal needs, its answer known. */
function renewing(env: Record<string, string>, answer: object, warn: (message: string) => void = () => {}) {
  return { api: (async () => answer) as unknown as Api, settings: resolveSettings(env, {}), now: () => 0, warn };
}

/** Somebody who has logged in by the browser, and how often the token was renewed since. */
async function loggedIn() {
  const person = await someone();
  await person.logIn();
  person.emulator.calls.length = 0;
  const renewed = () => person.emulator.calls.filter(({ endpoint }) => endpoint === 'renewToken').length;
  return { ...person, renewed };
}
