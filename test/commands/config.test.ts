import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gantry, newFolder, smallApp, startEmulator, widthOf } from '../support/index.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJwcm9qZWN0X2lkIjoicC1jbGFpbSJ9.c2lnbmF0dXJl';
const stored = (path: string) => JSON.parse(readFileSync(join(path, 'config.json'), 'utf8'));
const settingNames = [
  ...['project', 'region', 'api-url', 'inference-url', 'login-url', 'refresh-url', 'logs-url', 'status-url'],
];

/** A folder of settings, and a program that keeps its own there. */
function settled(config: object = {}, files: Record<string, string> = {}) {
  const folder = newFolder({ 'config.json': JSON.stringify(config), ...files });
  return {
    stored: () => stored(folder),
    run: (line: string, env: Record<string, string> = {}, more = {}) =>
      gantry(line.split(' '), { env: { GANTRY_CONFIG_DIR: folder, ...env }, ...more }),
    path: folder,
  };
}

test('check --schema prints a JSON Schema of cerebrium.toml, with and without --json', async () => {
  const text = await gantry(['check', '--schema']);
  const json = await gantry(['check', '--schema', '--json']);
  expect(text.code).toBe(0);
  expect(text.json()).toMatchObject({ $schema: expect.stringContaining('json-schema.org'), type: 'object' });
  expect(json.json()).toEqual(text.json());
  expect(text.stdout).toContain('disable_auth');
});

test('config alone shows the help of its group', async () => {
  expect(await gantry(['config'])).toPrint((await gantry(['config', '--help'])).stdout);
});

describe('config list', () => {
  test('shows each setting, and with --show-origin its origin', async () => {
    const place = settled({ profiles: { default: { region: 'eu-west-1' } } });
    const plain = await place.run('config list --project p-flag', { GANTRY_INFERENCE_URL: 'https://in.example' });
    expect(plain.stdout).not.toMatch(/ORIGIN|environment/);
    const full = await place.run('config list --project p-flag --show-origin', {
      GANTRY_INFERENCE_URL: 'https://in.example',
    });
    expect(full.stdout).toMatch(/^project\tp-flag\tflag$/m);
    expect(full.stdout).toMatch(/^region\teu-west-1\tprofile$/m);
    expect(full.stdout).toMatch(/^inference-url\thttps:\/\/in\.example\tGANTRY_INFERENCE_URL$/m);
    expect(full.stdout).toMatch(/^api-url\thttps:\/\/rest\.cerebrium\.ai\tdefault$/m);
    expect(full.stdout).toMatch(/^https-proxy\t\t$/m);
    expect(full.stdout).toMatch(/^config-folder\t\S+\tGANTRY_CONFIG_DIR$/m);
  });

  test('as JSON always has the origin', async () => {
    const place = settled();
    const { json } = await place.run('config list --json', { CEREBRIUM_PROJECT_ID: 'p-env' });
    expect(json()).toContainEqual({ name: 'project', value: 'p-env', origin: 'environment (CEREBRIUM_PROJECT_ID)' });
    expect(json()).toContainEqual({ name: 'region', value: 'us-east-1', origin: 'default' });
  });

  test('never shows a token or the password of a proxy', async () => {
    const place = settled(
      {},
      { 'credentials.json': JSON.stringify({ profiles: { default: { token, refreshToken: 'refresh-me' } } }) },
    );
    const env = {
      GANTRY_TOKEN: token,
      HTTPS_PROXY: 'http://ada:secret@proxy.example:3128',
      HTTP_PROXY: 'ada:secret@p:1',
    };
    for (const line of ['config list', 'config list --show-origin', 'config list --json', 'config profiles --json']) {
      const { code, stdout, stderr } = await place.run(line, env);
      expect(code, stderr).toBe(0);
      expect(stdout + stderr).not.toMatch(/eyJ|refresh-me|secret|ada[:@]/);
    }
    expect((await place.run('config get https-proxy', env)).stdout).toBe('http://proxy.example:3128\n');
  });

  test('fits a terminal of 80 columns', async () => {
    const place = settled();
    const { stdout } = await place.run('config list --show-origin', { NO_COLOR: '1' }, { columns: 80 });
    expect(Math.max(...stdout.split('\n').map(widthOf))).toBeLessThanOrEqual(80);
  });

  test('names a file that is not valid JSON', async () => {
    const place = settled({}, { 'config.json': '{' });
    expect(await place.run('config list')).toExit(1, /config\.json are not valid JSON\n {2}fix correct or remove/);
  });

  test.each(['null', '[]', '3', '{"profiles": 7}', '{"profiles": {"default": "x"}}'])(
    'treats a file with %s as empty',
    async (text) => {
      const place = settled({}, { 'config.json': text });
      expect((await place.run('config list')).code).toBe(0);
      expect((await place.run('config set region eu-west-1')).code).toBe(0);
      expect((await place.run('config get region')).stdout).toBe('eu-west-1\n');
    },
  );
});

describe('config get', () => {
  test('prints the bare value', async () => {
    const { stdout } = await gantry(['config', 'get', 'project'], { env: { GANTRY_PROJECT: 'p-env' } });
    expect(stdout).toBe('p-env\n');
  });

  test.each([
    ['region', {}, 'us-east-1', 'default'],
    ['region', { GANTRY_REGION: 'eu-west-1' }, 'eu-west-1', 'environment (GANTRY_REGION)'],
    ['project', { GANTRY_TOKEN: token }, 'p-claim', 'claims of the token'],
    ['api-url', {}, 'https://rest.cerebrium.ai', 'default'],
  ] as [string, Record<string, string>, string, string][])(
    'prints the %s in force with %j, and where it is from',
    async (name, env, value, origin) => {
      const { stdout, stderr } = await gantry(['config', 'get', name], { env });
      expect([stdout, stderr]).toEqual([`${value}\n`, `from the ${origin}\n`]);
    },
  );

  test('exits with 6 for an unset setting and says how to set it', async () => {
    const { code, stdout, stderr } = await gantry(['config', 'get', 'project']);
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toMatch(/project is not set\n {2}fix gantry config set project/);
  });
});

describe('the names of settings', () => {
  test.each(['set', 'unset'])('in the help of config %s are all that exist', async (verb) => {
    const { stdout } = await gantry(['config', verb, '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(`setting name: ${settingNames.join(', ')}`);
  });

  test.each(settingNames)('%s can be set, read and unset', async (name) => {
    const place = settled();
    const value = name === 'project' ? 'p-1' : name === 'region' ? 'eu-west-1' : 'https://own.example';
    expect((await place.run(`config set ${name} ${value}`)).stdout).toBe(`set ${name} to ${value} (profile default)\n`);
    expect((await place.run(`config get ${name}`)).stdout).toBe(`${value}\n`);
    expect((await place.run(`config get ${name} --json=origin`)).json()).toEqual({ origin: 'profile' });
    expect((await place.run(`config unset ${name}`)).code).toBe(0);
    expect(place.stored()).toEqual({ profiles: { default: {} } });
  });

  test.each([
    ['set api-ur x', 'fix gantry config set api-url x'],
    ['set dev-project p-1', 'available settings: project, region'],
    ['get projekt', 'fix gantry config get project'],
    ['unset token', 'available settings: project, region'],
  ])('config %s exits with 2', async (line, said) => {
    expect(await gantry(['config', ...line.split(' ')])).toExit(2, 'unknown setting', said);
  });
});

test('config unset creates no profile', async () => {
  const place = settled({ profiles: { work: { region: 'eu-west-1' } } });
  const { code, stderr } = await place.run('config unset region --profile wokr');
  expect([code, stderr]).toEqual([2, expect.stringContaining('profile "wokr" not found: did you mean work?')]);
  expect(place.stored()).toEqual({ profiles: { work: { region: 'eu-west-1' } } });
});

describe('config set', () => {
  test.each([
    ['project', 'web', 'invalid project id'],
    ['project', 'p-', 'invalid project id'],
    ['region', 'US East', 'unknown region'],
    ['api-url', 'http://example.com', 'it is not https'],
    ['logs-url', 'nonsense', 'is not a URL'],
    ['api-url', 'https://ada:secret@example.com', 'must not contain credentials'],
    ['api-url', 'https://example.com?token=secret', 'must not contain credentials'],
  ])('refuses %s %s and stores nothing', async (name, value, said) => {
    const place = settled();
    const { code, stderr } = await gantry(['config', 'set', name, value], {
      env: { GANTRY_CONFIG_DIR: place.path },
    });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('secret');
    expect(place.stored()).toEqual({});
  });

  test('stores in the given profile, which it creates', async () => {
    const place = settled();
    await place.run('config set region eu-west-1 --profile staging');
    expect(place.stored()).toEqual({ profiles: { staging: { region: 'eu-west-1' } } });
    expect((await place.run('config get region --profile staging')).stdout).toBe('eu-west-1\n');
  });

  test('refuses a profile name that could not be passed again', async () => {
    const place = settled();
    for (const name of ['__proto__', '-x', 'a/b', ' ']) {
      const words = ['config', 'set', 'region', 'eu-west-1', `--profile=${name}`];
      expect((await gantry(words, { env: { GANTRY_CONFIG_DIR: place.path } })).code).toBe(2);
    }
    expect(place.stored()).toEqual({});
  });

  test('does not store other values from flags or the environment', async () => {
    const place = settled({ profile: 'work' });
    await place.run('config set region eu-west-1 --project p-flag', {
      GANTRY_PROJECT: 'p-env',
      GANTRY_TOKEN: token,
      GANTRY_API_URL: 'https://env.example',
      GANTRY_PROFILE: 'work',
      GANTRY_REGION: 'us-west-2',
    });
    expect(place.stored()).toEqual({ profile: 'work', profiles: { work: { region: 'eu-west-1' } } });
  });

  test('warns if a variable takes precedence', async () => {
    const place = settled();
    const outcome = await place.run('config set project p-new', { GANTRY_PROJECT: 'p-env' });
    expect(outcome).toExit(0, 'warning: GANTRY_PROJECT takes precedence while it is set: project is p-env');
    expect((await place.run('config set project p-env', { GANTRY_PROJECT: 'p-env' })).stderr).toBe('');
  });

  test('twice at the same time stores both settings', async () => {
    const place = settled();
    await Promise.all([place.run('config set region eu-west-1'), place.run('config set project p-1')]);
    expect(place.stored()).toEqual({ profiles: { default: { region: 'eu-west-1', project: 'p-1' } } });
  });
});

test('deploys to the region that was set', async () => {
  const emulator = await startEmulator({ real: false });
  const place = settled();
  await place.run('config set region eu-north-1');
  await place.run('deploy', {}, { emulator, cwd: newFolder(smallApp()) });
  expect(emulator.calls.find((call) => call.endpoint === 'createApp')?.body).toMatchObject({ region: 'eu-north-1' });
  await emulator.close();
});
