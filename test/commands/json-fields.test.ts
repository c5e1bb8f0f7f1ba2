import { beforeAll, expect, test } from 'vitest';
import { commandLines, loadCommand } from '../support/commands.ts';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForAll({ real: false });
let cwd: string;
const run = (line: string) => gantry(line.split(' '), { emulator, cwd, env: { GANTRY_CONFIG_DIR: newFolder() } });

beforeAll(async () => {
  cwd = newFolder({ ...smallApp(), 'one/cerebrium.toml': '', 'in.txt': 'x' });
  expect((await run('deploy')).code).toBe(0);
  emulator.calls.length = 0;
});

// A command with several forms of results prints one of them: a field of another one is unknown.
test.each([
  ['status', 'apps', 'app, status'],
  ['status web', 'apps', 'app, status'],
  ['status -C ..', 'live', 'apps'],
  ['cp in.txt :/in.txt', 'weights', 'from, to, files'],
  ['cp --lock', 'bytes', 'lock, weights'],
  ['deploy', 'send', 'build, status'],
  ['deploy --dry-run', 'buildMs', 'send, selection'],
  ['deploy --dry-run -o app.zip', 'send', 'file, bytes, entries'],
  ['deploy one', 'build', 'apps'],
  ['invoke web', 'app', 'statusCode, headers'],
  ['invoke web --async', 'body', 'run, app'],
  ['run --detach in.txt', 'logs', 'app, run'],
  ['check', 'apps', 'file, valid'],
  ['apps list --previews', 'name', 'app, branch'],
  ['builds get web', 'zipFiles', 'id, status'],
  ['config profiles', 'removed', 'name, current'],
  ['config profiles remove p --yes', 'hasToken', 'profile, folder'],
  ['doctor --cache', 'check', 'kind, app'],
  ['doctor --cache --clear --yes', 'check', 'kind, app'],
])('%s --json=%s: no such field', async (line, field, names) => {
  const outcome = await run(`${line} --json=${field}`);
  expect(outcome).toExit(2, `unknown JSON field "${field}"`);
  const available = /available fields: (.*)/.exec(outcome.stderr)?.[1]?.split(', ') ?? [];
  expect(available).toEqual(expect.arrayContaining(names.split(', ')));
  expect(available).not.toContain(field);
  const changes = emulator.calls.filter(({ method }) => method !== 'GET');
  expect(changes).toEqual([]);
});

test.each([
  ['status', 'failure'],
  ['cp in.txt :/in.txt', 'next'],
])('%s --json=%s: absent, so null', async (line, field) => {
  const { code, json } = await run(`${line} --json=${field}`);
  expect([code, json()]).toEqual([0, { [field]: null }]);
});

test('a command that changes something knows its form before', async () => {
  const severalForms = [];
  for (const line of commandLines()) {
    const { json, effect, formOf } = await loadCommand(line);
    const forms = json?.schema.anyOf ?? json?.schema.items?.anyOf ?? [];
    if (json?.form !== 'stream' && effect !== 'reads' && forms.length > 1) severalForms.push([line, formOf]);
  }
  expect(severalForms.map(([line]) => line)).toEqual(['deploy', 'invoke', 'run', 'cp', 'config profiles']);
});
