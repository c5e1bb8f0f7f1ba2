import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AuthError, type UsageError } from '../../../src/kernel/errors.ts';
import { findCredential, notLoggedInError, parseClaims } from '../../../src/platform/config/credentials.ts';
import { checkProjectId } from '../../../src/platform/config/setting-values.ts';
import { resolveSettings } from '../../../src/platform/config/settings.ts';
import { newFolder } from '../../support/files.ts';

const now = Date.UTC(2026, 10, 20);
const file = JSON.stringify({ profiles: { default: { token: 'stored' }, work: { token: 'of-work' } } });

test.each([
  [{ GANTRY_TOKEN: 'a', CEREBRIUM_SERVICE_ACCOUNT_TOKEN: 'b' }, 'a', 'environment (GANTRY_TOKEN)'],
  [{ CEREBRIUM_SERVICE_ACCOUNT_TOKEN: 'b' }, 'b', 'environment (CEREBRIUM_SERVICE_ACCOUNT_TOKEN)'],
  [{ GANTRY_TOKEN: '  a\n' }, 'a', 'environment (GANTRY_TOKEN)'],
  [{ GANTRY_TOKEN: ' ' }, 'stored', 'profile (default)'],
  [{}, 'stored', 'profile (default)'],
  [{ GANTRY_PROFILE: 'work' }, 'of-work', 'profile (work)'],
])('with %j the token is %s, from the %s', async (env, token, origin) => {
  const { found } = await find(env, file);
  expect(found).toMatchObject({ token, origin });
});

test.each(['"a.b.c"', "'a.b.c", 'a.b.c`'])('the token %s is refused: it is in quotes', async (token) => {
  const { error } = await find({ GANTRY_TOKEN: token }, file);
  expect((error as AuthError).facts.why).toBe(
    'it comes from the environment (GANTRY_TOKEN) and is in quotes, which are not part of it',
  );
});

test.each([
  ['"a.b.c"', 'remove the quotes around the token'],
  ['Bearer a.b.c', 'remove the word Bearer'],
  ['bearer a.b.c', 'remove the word Bearer'],
  ['$\x7b{ secrets.GANTRY_TOKEN }}', 'let CI or the shell replace it'],
  ['"$\x7b{ secrets.GANTRY_TOKEN }}"', 'let CI or the shell replace it'],
  ['$GANTRY_TOKEN', 'let CI or the shell replace it'],
  ['$\x7bGANTRY_TOKEN}', 'let CI or the shell replace it'],
])('the fix for the token %s is: %s', async (token, fix) => {
  const stored = JSON.stringify({ profiles: { default: { token } } });
  for (const { error } of [await find({ GANTRY_TOKEN: token }, file), await find({}, stored)]) {
    expect(String((error as AuthError).facts.fix)).toContain(fix);
  }
});

test('the fix for a project id in quotes is to remove them', () => {
  const error = (() => {
    try {
      return checkProjectId('"p-12345678"');
    } catch (error) {
      return error as UsageError;
    }
  })();
  expect(error).toMatchObject({ facts: { fix: 'remove the quotes around the project id' } });
});

test('a project with a line break is none', () => {
  const payload = Buffer.from(JSON.stringify({ project_id: 'p-1\nfix rm' })).toString('base64url');
  expect(parseClaims(`a.${payload}.c`).project).toBeUndefined();
});

test.each([
  ['no file', undefined],
  ['a broken file', '{'],
  ['an empty file', ''],
  ['another profile only', '{"profiles":{"other":{"token":"x"}}}'],
  ['a token that is not text', '{"profiles":{"default":{"token":7}}}'],
])('with %s there is no token, and the error says how to get one', async (_, text) => {
  const { error } = await find({}, text);
  expect(error).toBeInstanceOf(AuthError);
  expect(error?.message).toBe('not logged in');
});

test('makes a file private that others can read, with a warning', async () => {
  const { warnings, mode } = await find({}, file, 0o644);
  expect(warnings).toEqual([
    expect.stringMatching(/credentials\.json was readable by other users; its mode is now 0600/),
  ]);
  expect(mode).toBe(0o600);
});

test('does not change a private file', async () => {
  const { warnings, mode } = await find({}, file, 0o600);
  expect([warnings, mode]).toEqual([[], 0o600]);
});

test('does not read a file that is not needed', async () => {
  const { mode } = await find({ GANTRY_TOKEN: 'a' }, file, 0o644);
  expect(mode).toBe(0o644);
});

test.each([
  [{ project_id: 'p-1' }, 'p-1'],
  [{ projectId: 'p-2' }, 'p-2'],
  [{ sub: 'p-3' }, 'p-3'],
  [{ sub: 'dev-p-4' }, 'dev-p-4'],
  [{ project: 'p-5' }, 'p-5'],
  [{ custom: { project_id: 'p-6' } }, 'p-6'],
  [{ custom: { project: 'p-7' } }, 'p-7'],
  [{ project_id: 'p-1', sub: 'p-3', custom: { project: 'p-7' } }, 'p-1'],
  [{ custom: 'p-8' }, undefined],
  [{ sub: 'someone' }, undefined],
  [{ project_id: 7 }, undefined],
  [{}, undefined],
])('claims %j name the project %j', async (claims, project) => {
  const { found } = await find({ GANTRY_TOKEN: jwt(claims) });
  expect(found?.project).toBe(project);
});

test.each([
  [now / 1000 + 1, false],
  [now / 1000, true],
  [now / 1000 - 1, true],
  ['soon', false],
])('a token that ends at %j is refused: %s', async (exp, refused) => {
  const { error } = await find({ GANTRY_TOKEN: jwt({ exp }) });
  expect(error !== undefined).toBe(refused);
});

test.each([
  [{ sub: 'someone' }, 'someone', 'service-account'],
  [{ sub: 'p-3' }, undefined, 'service-account'],
  [{ sub: 'id', username: 'ada', token_use: 'access' }, 'ada', 'login'],
  [{ sub: 'id', username: 'ada', email: 'ada@example.com' }, 'ada@example.com', 'service-account'],
  [{}, undefined, 'service-account'],
])('claims %j belong to the user %j, a %s', async (claims, user, kind) => {
  const { found } = await find({ GANTRY_TOKEN: jwt(claims) });
  expect([found?.user, found?.kind]).toEqual([user, kind]);
});

test('accepts an expired token that can be renewed', async () => {
  const tokens = { token: jwt({ exp: 1 }), refreshToken: 'r' };
  const { found } = await find({}, JSON.stringify({ profiles: { default: tokens } }));
  expect(found).toMatchObject({ ...tokens, kind: 'login', fromEnvironment: false, expiresAt: 1000 });
});

test('a token of the environment is never renewed', async () => {
  const { found } = await find({ GANTRY_TOKEN: 'a' }, JSON.stringify({ profiles: { default: { refreshToken: 'r' } } }));
  expect(found).toMatchObject({ token: 'a', fromEnvironment: true });
  expect(found).not.toHaveProperty('refreshToken');
});

test.each(['opaque', 'a.b', 'a.b.c', '..', 'a.!!.c'])('a token without claims (%s) is used as it is', async (token) => {
  expect((await find({ GANTRY_TOKEN: token })).found).toMatchObject({ token });
});

async function find(env: Record<string, string>, text?: string, mode = 0o600) {
  const folder = newFolder(text === undefined ? {} : { 'credentials.json': text });
  const path = join(folder, 'credentials.json');
  if (text !== undefined) chmodSync(path, mode);
  const all = { GANTRY_CONFIG_DIR: folder, ...env };
  const warnings: string[] = [];
  const rights = () => (text === undefined ? undefined : statSync(path).mode & 0o777);
  try {
    const found = findCredential(all, resolveSettings(all, {}), now, (message) => warnings.push(message));
    return { found, warnings, mode: rights() };
  } catch (error) {
    return { error: error as Error, warnings, mode: rights() };
  }
}

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.signature`;
}

test('an emulator that has stopped is started again with what it stored', () => {
  const last = { platform: 'emulator', address: 'http://127.0.0.1:4100', dataFolder: '/data' };
  const { exit, facts } = notLoggedInError({}, last);
  expect([exit, facts.retryable]).toEqual(['unavailable', false]);
  expect(String(facts.next)).toBe('gantry emulator start --port 4100 --data-dir /data');
});

test('an emulator that somebody else has started may run, and is not started again', () => {
  const { facts } = notLoggedInError({}, { platform: 'emulator', address: 'http://127.0.0.1:4100' });
  expect([facts.next, String(facts.fix)]).toEqual([
    null,
    'type what its owner gets from gantry emulator env --port 4100; or use the emulator of this folder: gantry deploy --local',
  ]);
});
