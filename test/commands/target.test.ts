import { mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { referenceOf } from '../../src/cli/reference.ts';
import { lines } from '../support/command-lines.ts';
import { half } from '../support/extent.ts';
import { emulatorForAll, expectErrorDocument, gantry, keys, newFolder, smallApp, targetOf } from '../support/index.ts';

const emulator = emulatorForAll({ real: false });

/** They change this machine only, or only read with these arguments. */
const unnamed = ['projects use', 'login', 'api', 'apps tune'];

describe('the target', () => {
  test.each(half(Object.entries(lines)))('is named first by gantry %s if it changes something', async (words, args) => {
    const { effect } = await referenceOf(words);
    const line = [...words.split(' '), ...args];
    const setting = { emulator, cwd: newFolder({ ...smallApp(), '.env': 'A=1\n' }), env: { A: '1' } };
    const { stderr } = await gantry(line, setting);
    const isNamed = effect !== 'reads' && !unnamed.includes(words);
    expect(stderr.split('\n')[0] === `project ${targetOf(emulator)}`).toBe(isNamed);
    expect((await gantry(['--quiet', ...line], setting)).stderr).not.toContain(targetOf(emulator));
  });

  test('is in the same words in whoami, config list and the first line of a change, with its origins', async () => {
    const flags = ['-p', 'p-other'];
    const words = targetOf(emulator, 'p-other');
    const whoami = await gantry(['whoami', '--json', ...flags], { emulator });
    expect(whoami.json()).toMatchObject({
      target: words,
      project: 'p-other',
      projectOrigin: 'flag',
      platform: 'emulator',
      platformOrigin: 'environment (GANTRY_API_URL)',
      region: null,
      regionOrigin: null,
    });
    expect((await gantry(['whoami', ...flags], { emulator })).stdout).toMatch(
      /^project\tp-other \(emulator on port \d+\), from the flag$/m,
    );
    const listed = await gantry(['config', 'list', '--show-origin', ...flags], { emulator });
    expect(listed.stdout).toMatch(/^target\tp-other \(emulator on port \d+\)\tflag, environment \(GANTRY_API_URL\)$/m);
    expect((await gantry(['config', 'get', 'target', ...flags], { emulator })).stdout).toBe(`${words}\n`);
    const changed = await gantry(['secrets', 'set', 'A', '--from-env', '--json', ...flags], {
      emulator,
      env: { A: '1' },
    });
    expect(changed.stderr).toMatch(/^project p-other \(emulator on port \d+\)\n/);
  });

  test('is the host of the management API where it is no emulator', async () => {
    const env = { GANTRY_TOKEN: 'opaque', GANTRY_PROJECT: 'p-1', GANTRY_API_URL: 'https://rest.example.com/' };
    expect((await gantry(['config', 'get', 'target'], { env })).stdout).toBe('p-1 (rest.example.com)\n');
    const { GANTRY_API_URL: _, ...platform } = env;
    expect((await gantry(['config', 'get', 'target'], { env: platform })).stdout).toBe('p-1 (rest.cerebrium.ai)\n');
    const none = await gantry(['config', 'get', 'target']);
    expect([none.stdout, none.stderr]).toEqual(['no project (rest.cerebrium.ai)\n', 'from the default\n']);
  });

  test('is remembered by a deploy for its folder, without a file in it', async () => {
    const app = newFolder(smallApp());
    const setting = { emulator, cwd: app };
    const before = readdirSync(app);
    expect((await gantry(['deploy'], setting)).code).toBe(0);
    expect(readdirSync(app)).toEqual(before);
    expect((await gantry(['deploy'], setting)).code).toBe(0);
    const other = { ...setting, env: { GANTRY_PROJECT: 'p-other' } };
    const refused = await gantry(['deploy', '--json'], other);
    expect([refused.code, emulator.store.projects]).toEqual([7, ['p-12345678']]);
    expectErrorDocument(refused);
    expect(refused.stderr).toMatch(
      /^project p-other \(emulator on port \d+\)\nerror: the last deploy from this folder went to p-12345678 \(emulator on port \d+\), not p-other \(emulator on port \d+\)\n/,
    );
    expect(refused.stderr).toContain('set GANTRY_PROJECT to p-12345678');
    expect((await gantry(['deploy'], { ...other, stdin: keys('n\r'), columns: 80 })).code).toBe(130);
    // The emulator has no such project: the line goes there, as it says.
    expect((await gantry(['deploy', '-p', 'p-other'], setting)).code).toBe(6);
    expect((await gantry(['deploy', '--yes'], other)).code).toBe(6);
    expect((await gantry(['deploy'], setting)).code).toBe(0);
  });

  test('is not named where a line only reads', async () => {
    const app = newFolder();
    mkdirSync(`${app}/down`);
    emulator.volume().write('/x/a', 'a');
    for (const line of [
      ['cp', ':/x/a', 'a'],
      ['sync', ':/x', 'down'],
      ['api', 'get', '/v2/projects'],
    ]) {
      expect((await gantry(line, { emulator, cwd: app })).stderr).not.toContain(targetOf(emulator));
    }
  });
});
