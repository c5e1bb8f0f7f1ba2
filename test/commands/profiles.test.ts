import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf } from '../support/app.ts';
import { gantry } from '../support/gantry.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJwcm9qZWN0X2lkIjoicC1jbGFpbSJ9.c2lnbmF0dXJl';

/** Profiles `default`, `staging` (in use, with a token) and `login` (a token only). */
async function profiles() {
  const folder = await folderOf({
    'config.json': JSON.stringify({ profile: 'staging', profiles: { staging: { project: 'p-staging' }, spare: {} } }),
    'credentials.json': JSON.stringify({ profiles: { staging: { token }, login: { token } } }),
  });
  const read = (name: string) => JSON.parse(readFileSync(join(folder.path, `${name}.json`), 'utf8'));
  return {
    config: () => read('config'),
    credentials: () => read('credentials'),
    run: (line: string, more = {}, env = {}) =>
      gantry(line.split(' '), { env: { GANTRY_CONFIG_DIR: folder.path, ...env }, ...more }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('profiles list shows which profile is in use and which have a token', async () => {
  await using place = await profiles();
  const { stdout } = await place.run('profiles list');
  expect(stdout).toMatch(/^staging\tcurrent\tp-staging\tstored$/m);
  expect(stdout).toMatch(/^login\t\t\tstored$/m);
  expect(stdout).toMatch(/^default\t\t\tnone$/m);
  expect(stdout).not.toContain('eyJ');
  expect((await place.run('profiles list --json')).json()).toEqual([
    { name: 'default', current: false, project: null, hasToken: false },
    { name: 'staging', current: true, project: 'p-staging', hasToken: true },
    { name: 'spare', current: false, project: null, hasToken: false },
    { name: 'login', current: false, project: null, hasToken: true },
  ]);
});

test('profiles list marks the profile of a flag or the environment', async () => {
  await using place = await profiles();
  const current = (outcome: { json: () => unknown }) =>
    (outcome.json() as { name: string; current: boolean }[]).filter((profile) => profile.current);
  expect(current(await place.run('profiles list --json --profile spare'))).toMatchObject([{ name: 'spare' }]);
  expect(current(await place.run('profiles list --json', {}, { GANTRY_PROFILE: 'login' }))).toMatchObject([
    { name: 'login' },
  ]);
});

test.each(['default', 'spare', 'login'])('profiles use %s switches to that profile', async (name) => {
  await using place = await profiles();
  expect((await place.run(`profiles use ${name}`)).code).toBe(0);
  expect((await place.run('config get profile')).stdout).toBe(`${name}\n`);
});

test('profiles use warns if GANTRY_PROFILE takes precedence', async () => {
  await using place = await profiles();
  const { stderr } = await place.run('profiles use spare', {}, { GANTRY_PROFILE: 'staging' });
  expect(stderr).toContain('GANTRY_PROFILE takes precedence while it is set: the profile in use is staging');
});

test.each(['profiles use nobody', 'profiles remove nobody --yes'])(
  'gantry %s exits with 6 and lists the profiles',
  async (line) => {
    await using place = await profiles();
    const { code, stderr } = await place.run(line);
    expect(code).toBe(6);
    expect(stderr).toMatch(/profile "nobody" not found\n {2}why available profiles: default, staging, spare, login/);
  },
);

test('profiles remove deletes settings and token, and switches to default', async () => {
  await using place = await profiles();
  expect((await place.run('profiles remove staging --yes')).code).toBe(0);
  expect(place.config()).toEqual({ profiles: { spare: {} } });
  expect(place.credentials()).toEqual({ profiles: { login: { token } } });
  expect((await place.run('config get profile')).stdout).toBe('default\n');
});

test('profiles remove asks first; "no" exits with 130 and changes nothing', async () => {
  await using place = await profiles();
  const { code, stderr } = await place.run('profiles remove staging', { typed: 'n\n' });
  expect(code).toBe(130);
  expect(stderr).toContain('Remove profile staging and its token?');
  expect(place.credentials().profiles).toHaveProperty('staging');
  expect((await place.run('profiles remove staging')).code).toBe(9);
});

test.each([
  ['a flag', 'apps list --profile nobody', {}],
  ['a flag, though there is a token', 'apps list --profile nobody', { GANTRY_TOKEN: token }],
  ['the environment', 'apps list', { GANTRY_PROFILE: 'nobody' }],
])('an unknown profile, chosen by %s, exits with 2 before any request', async (_, line, env) => {
  await using place = await profiles();
  const { code, stderr } = await place.run(line, {}, env);
  expect(code).toBe(2);
  expect(stderr).toContain('profile "nobody" not found');
  expect(stderr).toContain('available profiles: default, staging, spare, login');
});
