import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reference } from '../src/cli/reference.ts';
import { cleanEnvironment, run } from './e2e/binary.ts';
import { emulatorForEach, expectErrorDocument, gantry, newFolder, smallApp } from './support/index.ts';

/** Mistakes of other clients that concern every command, or that no other test file covers. */

const { commands, groups } = await reference();

const emulator = emulatorForEach({ real: false });

test.each(Object.keys(groups))(
  'an unknown subcommand is an error of %s: exit 2, on stderr, and no call',
  async (group) => {
    const outcome = await gantry([group, 'nosuch', 'X', '--json'], { emulator });
    expect(outcome.code).toBe(2);
    expectErrorDocument(outcome);
    expect(emulator.calls).toEqual([]);
  },
);

test.each([
  ['init', 'fresh'],
  ['check'],
  ['deploy', '--dry-run', '-o', 'app.zip'],
  ['deploy'],
  ['apps', 'scale', 'web', '--max-replicas', '3'],
  ['secrets', 'set', 'HOME', '--from-env'],
  ['users', 'invite', 'new@example.com', '--role', 'member'],
  ['plan', 'set', 'hobby', '--yes'],
  ['config', 'set', 'region', 'us-east-1'],
  ['config', 'get', 'region'],
  ['config', 'get', 'project'],
  ['whoami'],
  ['completion', 'bash'],
  ['apps', 'delete', 'web', '--confirm', 'web'],
])('every command has JSON gantry %s %s', async (...words) => {
  const folder = newFolder();
  const env = { GANTRY_CONFIG_DIR: folder, GANTRY_REGION: 'us-east-1', HOME: folder };
  const app = newFolder(smallApp());
  if (words[0] === 'apps') await gantry(['deploy'], { emulator, cwd: app });
  const outcome = await gantry([...words, '--json'], { emulator, cwd: app, env });
  expect(outcome).toMatchObject({ code: 0 });
  expect(outcome.json()).toBeTypeOf('object');
});

describe('an extra argument is an error', () => {
  const needed: Record<string, string> = { 'users invite': '--role=member', watch: '--until=p90>5s' };
  const fixed = commands.filter(({ command, arguments: inputs }) => {
    return !inputs.some(({ variadic }) => variadic) && command !== 'help';
  });

  test.each(fixed.map(({ command, arguments: inputs }) => [command, inputs.length] as const))(
    'of gantry %s',
    async (command, inputs) => {
      const words = Array.from({ length: inputs + 1 }, (_, index) => `x${index}`);
      const flags = needed[command] ?? [];
      const { code, stderr } = await gantry([...command.split(' '), ...words, flags].flat(), { emulator });
      expect(code).toBe(2);
      // It would be a token.
      const said = command === 'login' ? 'a token is not passed as an argument' : 'unexpected argument';
      expect(stderr).toMatch(new RegExp(`^error: ${said}`, 'm'));
      expect(emulator.calls).toEqual([]);
    },
  );
});

test('the first use on a machine prints only the result: no download, no announcement', async () => {
  const home = newFolder();
  const env = cleanEnvironment(emulator, { HOME: home });
  const { stdout, stderr } = await run(['projects', 'list', '--json'], { env });
  expect(JSON.parse(String(stdout))).toMatchObject([{ id: emulator.project }]);
  expect(stderr).toBe('');
  expect(readdirSync(home)).toEqual([]);
});
