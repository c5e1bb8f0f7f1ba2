import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reference } from '../src/cli/reference.ts';
import { cleanEnvironment, run } from './e2e/binary.ts';
import { folderOf, smallApp } from './support/app.ts';
import { emulatorForEach } from './support/emulators.ts';
import { gantry } from './support/gantry.ts';
import { expectErrorDocument } from './support/traces.ts';

/** Mistakes of other clients that concern every command, or that no other test file covers. */

const { commands, groups } = await reference();

const emulator = emulatorForEach({ real: false });

async function deploy(words: string[] = [], setting: Parameters<typeof gantry>[1] = {}) {
  await using app = await folderOf(smallApp());
  return await gantry(['deploy', ...words], { emulator, cwd: app.path, ...setting });
}

describe('an unknown subcommand is an error', () => {
  test.each(Object.keys(groups))('of %s: exit 2, on stderr, and no call', async (group) => {
    for (const words of [[group, 'nosuch', 'X']]) {
      const outcome = await gantry([...words, '--json'], { emulator });
      expect(outcome.code).toBe(2);
      expectErrorDocument(outcome);
    }
    expect(emulator.calls).toEqual([]);
  });
});

describe('each kind of failure has its own exit code', () => {
  test('and --json changes none of them', async () => {
    const dead = { GANTRY_API_URL: 'http://127.0.0.1:1' };
    emulator.fail('build', 'fail*');
    await using broken = await folderOf({ 'cerebrium.toml': '[cerebrium.deployment]\nname = "My App"\n' });
    const codes: Record<string, number> = {};
    for (const json of [[], ['--json']]) {
      codes.auth = (await gantry(['apps', 'list', ...json], { emulator, env: { GANTRY_TOKEN: '' } })).code;
      codes.found = (await gantry(['apps', 'get', 'nobody', ...json], { emulator })).code;
      codes.network = (await gantry(['apps', 'list', ...json], { emulator, env: dead })).code;
      codes.project = (await gantry(['check', ...json], { emulator, cwd: broken.path })).code;
      codes.build = (await deploy(json)).code;
      codes.usage = (await gantry(['apps', 'list', '--nonsense', ...json], { emulator })).code;
      expect(codes).toEqual({ auth: 4, found: 6, network: 69, project: 10, build: 11, usage: 2 });
    }
  });
});

describe('every command has JSON', () => {
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
  ])('gantry %s %s', async (...words) => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-test-'));
    const env = { GANTRY_CONFIG_DIR: folder, GANTRY_REGION: 'us-east-1', HOME: folder };
    await using app = await folderOf(smallApp());
    if (words[0] !== 'deploy') await gantry(['deploy'], { emulator, cwd: app.path });
    const outcome = await gantry([...words, '--json'], { emulator, cwd: app.path, env });
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.json()).toBeTypeOf('object');
  });
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

describe('the first use on a machine', () => {
  test('prints only the result: no download, no announcement', async () => {
    await using home = await folderOf({});
    const env = cleanEnvironment(emulator, { HOME: home.path });
    const { stdout, stderr } = await run(['projects', 'list', '--json'], { env });
    expect(JSON.parse(String(stdout))).toMatchObject([{ id: emulator.project }]);
    expect(stderr).toBe('');
    expect(readdirSync(home.path)).toEqual([]);
  });
});
