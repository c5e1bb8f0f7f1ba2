import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { realFolder } from '../../src/platform/config/folders.ts';
import { lines, reading } from '../support/command-lines.ts';
import { gantry, keys, newFolder } from '../support/index.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJwcm9qZWN0X2lkIjoicC1jbGFpbSJ9.c2lnbmF0dXJl';

/** Profiles `default`, `staging` (in use, with a token) and `login` (a token only). */
function profiles() {
  const folder = newFolder({
    'config.json': JSON.stringify({ profile: 'staging', profiles: { staging: { project: 'p-staging' }, spare: {} } }),
    'credentials.json': JSON.stringify({ profiles: { staging: { token }, login: { token } } }),
  });
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  return {
    config: () => read('config'),
    credentials: () => read('credentials'),
    run: (line: string, more = {}, env = {}) =>
      gantry(line.split(' '), { env: { GANTRY_CONFIG_DIR: folder, ...env }, ...more }),
  };
}

test('config profiles shows which profile is in use and which have a token', async () => {
  const place = profiles();
  const { stdout } = await place.run('config profiles');
  expect(stdout).toMatch(/^staging\tcurrent\tp-staging\tstored\t$/m);
  expect(stdout).toMatch(/^login\t\t\tstored\t$/m);
  expect(stdout).toMatch(/^default\t\t\tnone\t$/m);
  expect(stdout).not.toContain('eyJ');
  expect((await place.run('config profiles --json')).json()).toEqual([
    { name: 'default', current: false, project: null, hasToken: false, folders: [] },
    { name: 'staging', current: true, project: 'p-staging', hasToken: true, folders: [] },
    { name: 'spare', current: false, project: null, hasToken: false, folders: [] },
    { name: 'login', current: false, project: null, hasToken: true, folders: [] },
  ]);
});

test('config profiles marks the profile of a flag or the environment', async () => {
  const place = profiles();
  const current = (outcome: { json: () => unknown }) =>
    (outcome.json() as { name: string; current: boolean }[]).filter((profile) => profile.current);
  expect(current(await place.run('config profiles --json --profile spare'))).toMatchObject([{ name: 'spare' }]);
  expect(current(await place.run('config profiles --json', {}, { GANTRY_PROFILE: 'login' }))).toMatchObject([
    { name: 'login' },
  ]);
});

test.each(['default', 'spare', 'login'])('config profiles use %s switches to that profile', async (name) => {
  const place = profiles();
  expect((await place.run(`config profiles use ${name}`)).code).toBe(0);
  expect((await place.run('config get profile')).stdout).toBe(`${name}\n`);
});

test('config profiles use warns if GANTRY_PROFILE takes precedence', async () => {
  const place = profiles();
  const { stderr } = await place.run('config profiles use spare', {}, { GANTRY_PROFILE: 'staging' });
  expect(stderr).toContain('GANTRY_PROFILE takes precedence while it is set: the profile in use is staging');
});

test.each(['config profiles use nobody', 'config profiles remove nobody --yes'])(
  'gantry %s exits with 2, as --profile does, and lists the profiles',
  async (line) => {
    const place = profiles();
    const { code, stderr } = await place.run(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(/profile "nobody" not found\n {2}why .*available profiles: default, staging, spare, login/);
  },
);

test('config profiles remove deletes settings and token, and switches to default', async () => {
  const place = profiles();
  expect((await place.run('config profiles remove staging --yes')).code).toBe(0);
  expect(place.config()).toEqual({ profiles: { spare: {} } });
  expect(place.credentials()).toEqual({ profiles: { login: { token } } });
  expect((await place.run('config get profile')).stdout).toBe('default\n');
});

test('config profiles remove asks first; "no" exits with 130 and changes nothing', async () => {
  const place = profiles();
  const outcome = await place.run('config profiles remove staging', { stdin: keys('n\n'), columns: 80 });
  expect(outcome).toExit(130, 'Remove profile staging and its token?');
  expect(place.credentials().profiles).toHaveProperty('staging');
  expect((await place.run('config profiles remove staging')).code).toBe(9);
});

test.each([
  ['a flag', 'apps list --profile nobody', {}],
  ['a flag, though there is a token', 'apps list --profile nobody', { GANTRY_TOKEN: token }],
  ['the environment', 'apps list', { GANTRY_PROFILE: 'nobody' }],
])('an unknown profile, chosen by %s, exits with 2 before any request', async (_, line, env) => {
  const place = profiles();
  const outcome = await place.run(line, {}, env);
  expect(outcome).toExit(2, 'profile "nobody" not found', 'available profiles: default, staging, spare, login');
});

test('a misspelled --profile of any command is an error at once, which names the one that is meant', async () => {
  const place = profiles();
  for (const [command, words] of Object.entries(lines)) {
    if (command === 'projects use' || command === 'login') continue;
    const line = [...command.split(' '), '--profile', 'stagign', ...words].join(' ');
    const { code, stderr, waits } = await place.run(line, {}, { GANTRY_TOKEN: token });
    expect([code, waits], line).toEqual([2, []]);
    expect(stderr, line).toContain('error: profile "stagign" not found: did you mean staging?\n');
    const isGuessed = stderr.includes(`  fix gantry ${command} --profile staging`);
    expect([isGuessed, stderr.includes('  fix gantry config profiles\n')], line).toEqual(
      reading.has(command) ? [true, false] : [false, true],
    );
  }
});

describe('config profiles use --here', () => {
  test('binds a folder: the nearest one counts, a flag and the environment take precedence', async () => {
    const place = profiles();
    const home = newFolder({ 'work/app/main.py': '', 'other/main.py': '' });
    const cwd = (path: string) => ({ cwd: join(home, path) });
    expect((await place.run('config profiles use spare --here', cwd('work'))).stdout).toBe(
      `using profile spare in ${realFolder(join(home, 'work'))}\n`,
    );
    await place.run('config profiles use login --here', cwd('work/app'));
    const inUse = async (path: string, line = 'config get profile', env = {}) =>
      (await place.run(line, cwd(path), env)).stdout.trim();
    expect(await inUse('work')).toBe('spare');
    expect(await inUse('work/app')).toBe('login');
    expect(await inUse('other')).toBe('staging');
    expect(await inUse('other', 'config get profile -C ../work')).toBe('spare');
    expect(await inUse('work', 'config get profile --profile default')).toBe('default');
    expect(await inUse('work', 'config get profile', { GANTRY_PROFILE: 'default' })).toBe('default');
    expect(readdirSync(join(home, 'work'))).toEqual(['app']);
  });

  test('shows where the profile is from', async () => {
    const place = profiles();
    const home = newFolder({ 'main.py': '' });
    const at = { cwd: home };
    const folder = realFolder(home);
    await place.run('config profiles use login --here', at);
    expect((await place.run('whoami', at)).stdout).toContain(`profile\tlogin, from the folder (${folder})\n`);
    expect((await place.run('whoami --json=profileOrigin', at)).json()).toEqual({
      profileOrigin: `folder (${folder})`,
    });
    expect((await place.run('config list --show-origin', at)).stdout).toContain(`profile\tlogin\tfolder (${folder})\n`);
    expect((await place.run('config profiles', at)).stdout).toContain(`login\tcurrent\t\tstored\t${folder}\n`);
    expect((await place.run('config profiles use spare', at)).stderr).toContain(
      `this folder uses profile login, from the folder`,
    );
  });

  test('--unbind, and removing the profile, end it', async () => {
    const place = profiles();
    const home = newFolder({ 'a/x': '', 'b/x': '' });
    for (const path of ['a', 'b']) await place.run('config profiles use spare --here', { cwd: join(home, path) });
    expect((await place.run('config profiles use --here --unbind', { cwd: join(home, 'a') })).code).toBe(0);
    expect(Object.keys(place.config().folders)).toEqual([realFolder(join(home, 'b'))]);
    await place.run('config profiles remove spare --yes');
    expect(place.config().folders).toEqual({});
    expect((await place.run('config profiles use --here --unbind', { cwd: join(home, 'a') })).code).toBe(6);
  });

  test.each(['config profiles use', 'config profiles use --unbind', 'config profiles use spare --here --unbind'])(
    '%s exits with 2',
    async (line) => {
      const place = profiles();
      expect((await place.run(line)).code).toBe(2);
    },
  );

  test('a folder whose profile is gone is an error that names the folder', async () => {
    const place = profiles();
    const home = newFolder({ 'config.json': '' });
    const folder = realFolder(home);
    const env = { GANTRY_CONFIG_DIR: home };
    writeFileSync(join(home, 'config.json'), JSON.stringify({ folders: { [folder]: 'gone' } }));
    const outcome = await place.run('config list', { cwd: home }, env);
    expect(outcome).toExit(2, `profile "gone" not found\n  why it comes from the folder (${folder})`);
  });
});
