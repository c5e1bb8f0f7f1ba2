import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reference } from '../src/cli/reference.ts';
import { cleanEnvironment, run } from './e2e/binary.ts';
import { fixture, folderOf, smallApp } from './support/app.ts';
import { emulatorForEach } from './support/emulators.ts';
import { gantry, keys } from './support/gantry.ts';
import { expectErrorDocument, expectNoTrace } from './support/traces.ts';

/** Mistakes of other clients that concern every command, or that no other test file covers. */

const { commands, groups } = await reference();

const emulator = emulatorForEach({ real: false });

async function deploy(words: string[] = [], setting: Parameters<typeof gantry>[1] = {}) {
  await using app = await folderOf(smallApp());
  return await gantry(['deploy', ...words], { emulator, cwd: app.path, ...setting });
}

describe('registry logins', () => {
  test('of registries that the image does not need are not sent', async () => {
    await using docker = await folderOf({
      'config.json': JSON.stringify({ auths: { 'ghcr.io': { auth: 'c2VjcmV0' }, 'quay.io': { auth: 'b3RoZXI=' } } }),
    });
    await deploy([], { env: { DOCKER_CONFIG: docker.path } });
    const creation = emulator.calls.find((call) => call.endpoint === 'createApp');
    expect(creation).toBeDefined();
    expect(JSON.stringify(creation?.body)).not.toMatch(/c2VjcmV0|b3RoZXI=|dockerAuth/);
  });
});

describe('a build whose upload is interrupted', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is canceled on %s', async (signal, exit) => {
    emulator.fail('upload', 'slow');
    const { code } = await deploy([], { stop: { at: /Created build/, signal } });
    expect(code).toBe(exit);
    expect(emulator.calls.filter((call) => call.endpoint === 'cancelBuild')).toHaveLength(1);
  });
});

describe('a failed build', () => {
  test.each([
    ['build_failure', 11, /why .*no matching distribution/],
    ['init_failure', 12, /why .*(crash|Error|exit)/i],
  ])('of %s shows the reason', async (fault, exit, why) => {
    emulator.fail('build', fault);
    const { code, stderr } = await deploy();
    expect(code).toBe(exit);
    expect(stderr).toMatch(why);
  });
});

describe('the URL after a deploy', () => {
  test('of a custom server has no function', async () => {
    const { stdout, stderr } = await gantry(['deploy'], { emulator, cwd: fixture('server') });
    expect(stdout).toBe(`${emulator.url}/v4/${emulator.project}/server\n`);
    expect(stdout + stderr).not.toContain('{function');
  });
});

describe('a canceled deploy fails', () => {
  test('"no" at the question ends with 130', async () => {
    const { code } = await deploy([], { columns: 80, stdin: keys('n\r') });
    expect(code).toBe(130);
    expect(emulator.calls.filter((call) => call.endpoint === 'createApp')).toEqual([]);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s while it builds ends with %i', async (signal, exit) => {
    emulator.fail('build', 'slow');
    const { code } = await deploy([], { stop: { at: /Building|Uploaded/i, signal } });
    expect(code).toBe(exit);
  });
});

describe('an unknown subcommand is an error', () => {
  test.each(Object.keys(groups))('of %s: exit 2, on stderr, and no call', async (group) => {
    for (const words of [[group, 'nosuch', 'X']]) {
      const outcome = await gantry([...words, '--json'], { emulator });
      expect(outcome.code).toBe(2);
      expectErrorDocument(outcome);
    }
    expect(emulator.calls).toEqual([]);
  });

  test('and a misspelled one gets a suggestion', async () => {
    const { stderr } = await gantry(['apps', 'delte', 'web'], { emulator });
    expect(stderr).toContain('did you mean delete?');
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

describe('stdout has only the result', () => {
  test('and is empty if a deploy fails', async () => {
    emulator.fail('build', 'fail');
    const { stdout, stderr, code } = await deploy();
    expect({ stdout, code }).toEqual({ stdout: '', code: 11 });
    expect(stderr).toMatch(/^error: /m);
  });

  test('which is the URL if a deploy succeeds', async () => {
    const { stdout, stderr } = await deploy();
    expect(stdout).toBe(`${emulator.url}/v4/${emulator.project}/web\n`);
    expect(stderr).not.toBe('');
  });
});

describe('a pipeline written for the official client', () => {
  test('deploys without a terminal or a question, using its two variables', async () => {
    const env = {
      ...{ GANTRY_TOKEN: '', GANTRY_PROJECT: '' },
      ...{ CEREBRIUM_SERVICE_ACCOUNT_TOKEN: emulator.token, CEREBRIUM_PROJECT_ID: emulator.project },
    };
    const outcome = await deploy([], { env });
    expect(outcome.code).toBe(0);
    expectNoTrace(outcome, emulator);
    expect([...emulator.store.apps.keys()]).toEqual([`${emulator.project}-web`]);
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

describe('a busy platform', () => {
  test('is retried after the time it asks for', async () => {
    emulator.fail('listApps', '429:2', 503);
    const { code, waits } = await gantry(['apps', 'list'], { emulator });
    expect(code).toBe(0);
    expect(waits[0]).toBe(2000);
    expect(waits).toHaveLength(2);
  });

  test('a rejected token ends the retries', async () => {
    await deploy();
    emulator.fail('getBuild', '401*');
    expect((await gantry(['logs', 'web', '--build', '-f'], { emulator })).code).toBe(4);
  });
});

describe('a name with a slash', () => {
  test.each(['a/b?x', '../apps', 'a%2fb', 'a b#c'])('%j is one segment of the path', async (name) => {
    const { code } = await gantry(['apps', 'get', name], { emulator });
    expect(code).toBe(6);
    const apps = `/v2/projects/${emulator.project}/apps`;
    const paths = emulator.calls.map(({ path }) => path);
    expect(paths).toEqual([`${apps}/${encodeURIComponent(`${emulator.project}-${name}`)}`, apps]);
  });
});
