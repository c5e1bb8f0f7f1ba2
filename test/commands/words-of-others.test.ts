import { expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForAll({ seed: 1 });

test('a host that is not reached is named: doctor checks only those of the platform', async () => {
  const env = { HF_ENDPOINT: 'http://127.0.0.1:1' };
  const outcome = await gantry(['cp', 'hf://org/model', ':/models/'], { emulator, env, cwd: newFolder() });
  expect(outcome).toExit(69, 'fix check the connection of this machine to 127.0.0.1:1, and the proxy\n');
});

test.each(['./', '.', '../fn', '../fn/'])('%s is the app of that folder', async (folder) => {
  const all = newFolder({ 'fn/cerebrium.toml': smallApp()['cerebrium.toml'] ?? '' });
  const { json } = await gantry(['apps', 'get', folder, '--json=name'], { emulator, cwd: `${all}/fn` });
  expect(json()).toEqual({ name: 'web' });
  const deletion = await gantry(['apps', 'delete', folder], { emulator, cwd: `${all}/fn` });
  expect(deletion).toExit(2, `needs the name of the app, not "${folder}"`, 'fix gantry apps delete web\n');
});

test('the URL of an app names it, and says where it is if it is of another project', async () => {
  const url = (project: string) => `https://api.example.test/v4/${project}/web/run`;
  const { json } = await gantry(['apps', 'get', url('p-12345678'), '--json=name'], { emulator });
  expect(json()).toEqual({ name: 'web' });
  const other = await gantry(['apps', 'get', url('p-2')], { emulator });
  expect(other).toExit(2, 'is of project p-2', `fix gantry apps get ${url('p-2')} --project p-2\n`);
});

test('JSON that is sent as text is said, with what sends it as JSON', async () => {
  const { stderr } = await gantry(['invoke', 'web', 'values=[1,2]', 'text=[bold]'], { emulator });
  expect(stderr).toContain("values is sent as text; as JSON: 'values:=[1,2]'\n");
  expect((await gantry(['invoke', 'web', 'text=[bold]'], { emulator })).stderr).not.toContain('as text');
});

test('a flag whose name ends in a word for secrets is still told with what is meant', async () => {
  const { stderr } = await gantry(['invoke', 'web', '--webhook-secret', 's3'], { emulator });
  expect(stderr).toContain('unknown flag "--webhook-secret": did you mean --webhook-secret-file?');
});
