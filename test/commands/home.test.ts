import { describe, expect, test } from 'vitest';
import { emulatorForAll, expectNoTrace, gantry, homeless, smallApp } from '../support/index.ts';

/** In CI, everything may come from the environment. test/commands/platform.test.ts tests more commands this way. */
const lines = [
  ...['check', 'deploy', 'deploy --dry-run'],
  ...['projects list', 'config list', 'config get project', 'check --schema'],
  ...['config profiles', 'help environment', 'help --json'],
];

const emulator = emulatorForAll({ real: false });

describe.each(lines)('gantry %s', (line) => {
  test('works without a readable and writable home, and leaves no files behind', async () => {
    const place = homeless(smallApp());
    const before = await place.left();
    for (const env of place.environments) {
      const outcome = await gantry(line.split(' '), { emulator, cwd: place.cwd, env });
      expect(outcome.code, outcome.stderr).toBe(0);
    }
    expect(await place.left()).toEqual(before);
  });
});

test.each([
  'config set region eu-west-1',
  'config unset region',
  'projects use p-12345678',
  'config profiles use default',
])('gantry %s says that settings cannot be stored, and what to do instead', async (line) => {
  const place = homeless();
  for (const env of place.environments) {
    const { code, stderr } = await gantry(line.split(' '), { emulator, cwd: place.cwd, env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/error: cannot write \S+config\.json: nothing was changed/);
    expect(stderr).toMatch(/fix set GANTRY_PROJECT.*in the environment.*GANTRY_CONFIG_DIR/);
  }
  expect(await place.left()).toEqual([]);
});

test('a pipeline of the official client with only its token works unchanged', async () => {
  const place = homeless(smallApp());
  const env = {
    GANTRY_TOKEN: '',
    GANTRY_PROJECT: '',
    HOME: '/nonexistent',
    CI: 'true',
    CEREBRIUM_SERVICE_ACCOUNT_TOKEN: emulator.token,
  };
  const deploy = await gantry(['deploy', '--yes'], { emulator, cwd: place.cwd, env });
  expect(deploy.code, deploy.stderr).toBe(0);
  const list = await gantry(['apps', 'list', '--json=name'], { emulator, env });
  expect(list.json()).toContainEqual({ name: 'web' });
  const current = await gantry(['whoami', '--json'], { emulator, env });
  expect(current.json()).toMatchObject({ project: emulator.project, projectOrigin: 'claims of the token' });
  expectNoTrace(deploy, emulator);
});

test('a pipeline with the name of a missing profile works with the token of the environment', async () => {
  const { code } = await gantry(['apps', 'list'], { emulator, env: { GANTRY_PROFILE: 'ci' } });
  expect(code).toBe(0);
});
