import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { secretsIn, someone, targetOf, wideTerminal } from '../support/index.ts';

describe('gantry whoami', () => {
  test('shows user, project and expiry of a login, never the token', async () => {
    const { logIn, run, emulator } = await someone();
    await logIn();
    emulator.calls.length = 0;
    const outcome = await run('whoami', wideTerminal);
    expect(outcome.stdout).toBe(
      [
        'user      ada.okafor@example.com',
        'kind      login',
        `project   ${targetOf(emulator)}, from the profile`,
        'profile   default',
        'token     profile (default)',
        'expires   in 4 h',
        'renewed   automatically',
        'verified  no: pass --verify to ask the platform',
        `address   ${emulator.url} (management, invocation, login, refresh, logs, status)\n`,
      ].join('\n'),
    );
    expect([outcome.code, secretsIn(outcome), emulator.calls]).toEqual([0, [], []]);
  });

  test('says that a token in the environment takes precedence over the stored one', async () => {
    const { logIn, run, emulator } = await someone();
    await logIn();
    const env = { GANTRY_TOKEN: emulator.token };
    expect((await run('whoami', { env })).stdout).toMatch(
      /^token\tenvironment \(GANTRY_TOKEN\)\nunused\tprofile \(default\): the environment takes precedence$/m,
    );
    const { json } = await run('whoami --json', { env });
    const { exp } = JSON.parse(Buffer.from(emulator.token.split('.')[1] ?? '', 'base64url').toString());
    expect(json()).toMatchObject({
      tokenOrigin: 'environment (GANTRY_TOKEN)',
      unusedToken: 'profile (default)',
      kind: 'service-account',
      user: 'emulator',
      renewable: false,
      expiresAt: new Date(exp * 1000).toISOString(),
      verified: false,
    });
  });

  test.each([
    ['GANTRY_PROJECT', { GANTRY_PROJECT: 'p-other001' }, '', 'p-other001', 'environment (GANTRY_PROJECT)'],
    ['--project', {}, ' --project p-other001', 'p-other001', 'flag'],
    ['the claims of the token', {}, '', 'p-12345678', 'claims of the token'],
  ])('says that the project is from %s', async (_, more, flag, project, projectOrigin) => {
    const { run, emulator } = await someone();
    const { json } = await run(`whoami --json=project,projectOrigin${flag}`, {
      env: { GANTRY_TOKEN: emulator.token, ...more },
    });
    expect(json()).toEqual({ project, projectOrigin });
  });

  test('shows what is known of a token without claims, and that no project is selected', async () => {
    const { run } = await someone();
    const { code, stdout } = await run('whoami', { env: { GANTRY_TOKEN: 'opaque' } });
    expect(stdout).toContain('project\tnone: run gantry projects use p-…');
    expect(stdout).toContain('expires\tunknown');
    expect([code, stdout.includes('opaque')]).toEqual([0, false]);
  });

  test.each([
    ['there is no token', '', 'not logged in'],
    ['the token has expired', 'EXPIRED', 'the token expired on 2023-11-14'],
  ])('exits with 4 if %s', async (_, token, message) => {
    const { run, emulator } = await someone();
    const GANTRY_TOKEN = token && emulator.issueToken({ exp: 1_700_000_000 });
    const outcome = await run('whoami', { env: { GANTRY_TOKEN } });
    expect(outcome).toExit(4, message, token ? 'dashboard, API Keys page' : 'fix gantry login, or set GANTRY_TOKEN');
  });

  test('--verify asks the platform, and exits with 4 if it rejects the token', async () => {
    const { run, emulator } = await someone();
    const good = await run('whoami --verify --json', { env: { GANTRY_TOKEN: emulator.token } });
    expect([good.code, good.json()]).toMatchObject([0, { verified: true }]);
    expect((await run('whoami --verify', { env: { GANTRY_TOKEN: 'made-up' } })).code).toBe(4);
  });

  test('--verify renews an expired login, and shows the new expiry', async () => {
    const { logIn, run, clock } = await someone();
    await logIn();
    clock.now += 10 * 3_600_000;
    expect((await run('whoami', wideTerminal)).stdout).toMatch(/^expires +expired$/m);
    expect((await run('whoami --verify', wideTerminal)).stdout).toMatch(/^expires +in 4 h$/m);
  });
});

describe('gantry logout', () => {
  test('removes the token of this profile only', async () => {
    const { logIn, run, tokens } = await someone();
    await logIn();
    await logIn('login --profile work');
    expect(await run('logout')).toPrint('logged out of profile default\n');
    expect([tokens(), tokens('work').token]).toEqual([undefined, expect.stringMatching(/^eyJ/)]);
    expect((await run('apps list')).code).toBe(4);
  });

  test('leaves a profile that is logged out, not an unknown one', async () => {
    const { logIn, run } = await someone();
    await logIn('login --profile work');
    const env = { GANTRY_PROFILE: 'work' };
    expect((await run('logout', { env })).code).toBe(0);
    expect(await run('apps list', { env })).toExit(4, 'fix gantry login');
    expect((await run('apps list --profile wrok')).code).toBe(2);
  });

  test('--all removes the tokens of all profiles', async () => {
    const { logIn, run, tokens } = await someone();
    await logIn();
    await logIn('login --profile work');
    expect((await run('logout --all-profiles --json')).json()).toEqual({
      profiles: ['default', 'work'],
      stillUsed: null,
    });
    expect([tokens(), tokens('work')]).toEqual([undefined, undefined]);
  });

  test('without a token to remove says so, exits with 0, and creates no file', async () => {
    const { run, tokens } = await someone();
    const { code, stdout, stderr } = await run('logout');
    expect([code, stdout.trim(), stderr]).toEqual([0, '', 'no token stored for profile default\n']);
    expect(tokens()).toBeUndefined();
  });

  test('says that a token in the environment is still used', async () => {
    const { logIn, run, emulator } = await someone();
    await logIn();
    const { stderr, code, json } = await run('logout --json', { env: { GANTRY_TOKEN: emulator.token } });
    expect(stderr).toContain('the token from the environment (GANTRY_TOKEN) is still in use');
    expect([code, json()]).toMatchObject([0, { profiles: ['default'], stillUsed: 'environment (GANTRY_TOKEN)' }]);
  });

  test('reports an invalid file, and does not change it', async () => {
    const { run, folder } = await someone();
    mkdirSync(folder);
    writeFileSync(join(folder, 'credentials.json'), '{', { mode: 0o600 });
    expect(await run('logout')).toExit(1, 'credentials.json is not valid JSON: nothing was changed');
  });
});
