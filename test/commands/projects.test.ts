import { beforeAll, beforeEach, expect, test } from 'vitest';
import { emulatorForAll, expectErrorDocument, gantry, newFolder } from '../support/index.ts';

const emulator = emulatorForAll();

beforeAll(async () => {
  emulator.store.projects.push('p-second');
});

beforeEach(() => {
  emulator.calls.length = 0;
});

test('projects list marks the project in use', async () => {
  const { stdout } = await gantry(['projects', 'list'], { emulator, env: { GANTRY_PROJECT: 'p-second' } });
  expect(stdout).toMatch(/^p-second\t.*\tcurrent$/m);
  expect(stdout).toMatch(/^p-12345678\t.*\d\t$/m);
  const { json } = await gantry(['projects', 'list', '--json=id,current'], { emulator, env: { GANTRY_PROJECT: '' } });
  expect(json()).toEqual([
    { id: emulator.project, current: true },
    { id: 'p-second', current: false },
  ]);
});

test('projects list works with a token that names no project', async () => {
  const token = emulator.issueToken({ project_id: '' });
  const { code, json } = await gantry(['projects', 'list', '--json'], {
    emulator,
    env: { GANTRY_PROJECT: '', GANTRY_TOKEN: token },
  });
  expect(code).toBe(0);
  expect(json()).toMatchObject([{ current: false }, { current: false }]);
});

test('projects use changes no profile of the platform where the environment is that of an emulator', async () => {
  const env = { GANTRY_CONFIG_DIR: newFolder(), GANTRY_PROJECT: '', GANTRY_EMULATOR_SECRET: 'own' };
  const { code, stderr } = await gantry(['projects', 'use', 'p-second'], { emulator, env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('profile default is of the platform')]);
  expect((await gantry(['projects', 'use', 'p-second', '--profile', 'emulator'], { emulator, env })).code).toBe(0);
  const { json } = await gantry(['config', 'profiles', '--json=name,project'], { emulator, env });
  expect(json()).toContainEqual({ name: 'emulator', project: 'p-second' });
  expect(json()).not.toContainEqual({ name: 'default', project: 'p-second' });
});

test('projects use stores the project if the token has access to it', async () => {
  const env = { GANTRY_CONFIG_DIR: newFolder(), GANTRY_PROJECT: '' };
  const { stdout, stderr } = await gantry(['projects', 'use', 'p-second'], { emulator, env });
  expect(stdout).toBe('using project p-second (profile default)\n');
  expect(stderr).toBe('');
  expect(emulator.calls.map((call) => call.endpoint)).toEqual(['listProjects']);
  expect((await gantry(['whoami', '--json=project'], { emulator, env })).json()).toEqual({ project: 'p-second' });
});

test('projects use warns if GANTRY_PROJECT takes precedence', async () => {
  const outcome = await gantry(['projects', 'use', 'p-second'], {
    emulator,
    env: { GANTRY_CONFIG_DIR: newFolder() },
  });
  expect(outcome).toExit(0, `GANTRY_PROJECT takes precedence while it is set: project is ${emulator.project}`);
});

test('projects use exits with 6 and stores nothing without access to the project', async () => {
  const env = { GANTRY_CONFIG_DIR: newFolder(), GANTRY_PROJECT: '' };
  const outcome = await gantry(['projects', 'use', 'p-third', '--json'], { emulator, env });
  expect(outcome).toExit(6, /has no access to p-third\n {2}why available projects: p-12345678, p-second/);
  expectErrorDocument(outcome);
  expect((await gantry(['config', 'get', 'project'], { env })).code).toBe(6);
});

test('projects use says without a login that it is not about an emulator, which needs none', async () => {
  const folder = newFolder({ 'cerebrium.toml': '' });
  const env = { GANTRY_CONFIG_DIR: folder };
  const { code, stderr } = await gantry(['projects', 'use', 'p-12345678'], { cwd: folder, env });
  expect(code).toBe(4);
  expect(stderr).toMatch(
    /why .*; this command is about the platform, not an emulator\n {2}fix gantry login, or set GANTRY_T/,
  );
  expect(stderr).not.toContain('--local');
});

test('projects use exits with 2 before any request if the id is invalid', async () => {
  const outcome = await gantry(['projects', 'use', 'web'], { emulator });
  expect(outcome).toExit(2, /invalid project id "web"\n.*p-12345678\n {2}fix gantry projects list/);
  expect(emulator.calls).toEqual([]);
});
