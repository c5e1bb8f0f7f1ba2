import { beforeAll, describe, expect, test } from 'vitest';
import { emulatorForAll, gantry, keys, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
});

const lastCall = () => emulator.calls.at(-1);

describe('gantry api', () => {
  test('fills in the project and prints the reply', async () => {
    const { code, stdout } = await gantry(['api', 'get', '/v2/projects/{project}/apps'], { emulator });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'web' }]);
  });

  test('--json wraps status, headers and the parsed body', async () => {
    const { json } = await gantry(['api', 'GET', '/v2/projects', '--json'], { emulator });
    expect(json()).toMatchObject({ statusCode: 200, body: [{ id: emulator.project }] });
  });

  test('--show-headers prints status and headers before the body', async () => {
    const { stdout } = await gantry(['api', 'GET', '/v2/projects', '--show-headers'], { emulator });
    expect(stdout).toMatch(/^HTTP 200\n[\s\S]*content-type: application\/json\n[\s\S]*\n\n\[/);
  });

  test('--query adds to the query, encoded', async () => {
    await gantry(
      ['api', 'GET', '/v2/projects/{project}/apps', '--query', 'includeEphemeral=true', '--query', 'x=a b&c'],
      {
        emulator,
      },
    );
    expect(lastCall()?.query).toMatchObject({ includeEphemeral: 'true', x: 'a b&c' });
  });

  test('--field makes a JSON body: text after =, JSON after :=', async () => {
    const path = '/v2/projects/{project}/apps/p-12345678-web';
    const fields = ['--field', 'note=3', '--field', 'maxReplicaCount:=3'];
    const { code } = await gantry(['api', 'PATCH', path, ...fields], { emulator });
    expect(code).toBe(0);
    expect(lastCall()?.body).toEqual({ note: '3', maxReplicaCount: 3 });
  });

  test('--input reads the body from a file', async () => {
    const words = ['api', 'PATCH', '/v2/projects/{project}/apps/p-12345678-web', '--input', 'body.json'];
    const { code } = await gantry(words, { emulator, cwd: newFolder({ 'body.json': '{"maxReplicaCount": 2}' }) });
    expect(code).toBe(0);
    expect(lastCall()?.body).toEqual({ maxReplicaCount: 2 });
  });

  test.each([
    ['a missing path', ['GET', '/v2/projects/{project}/apps/p-12345678-nope'], 6],
    ['an invalid method', ['FETCH', '/v2/projects'], 2],
    ['a URL instead of a path', ['GET', 'https://evil.example/v2/projects'], 2],
    ['a body with GET', ['GET', '/v2/projects', '--field', 'a=b'], 2],
    ['two bodies', ['POST', '/v2/projects', '--field', 'a=b', '--input', 'x'], 2],
    ['a field that is not JSON', ['POST', '/v2/projects', '--field', 'a:={'], 2],
    ['a field without a name', ['POST', '/v2/projects', '--field', '=b'], 2],
    ['a missing file', ['POST', '/v2/projects', '--input', 'nope.json'], 6],
  ])('exits like every command: %s', async (_, words, exit) => {
    const { code, json } = await gantry(['api', ...words, '--json'], { emulator });
    expect(code).toBe(exit);
    expect(json()).toHaveProperty('error.exitCode', exit);
  });

  test('a path cannot send the token to another host', async () => {
    const before = emulator.calls.length;
    const { code } = await gantry(['api', 'GET', '//evil.example/v2'], { emulator });
    expect(code).toBe(6);
    expect(emulator.calls.length).toBe(before + 1);
  });
});

test('what deletes is confirmed', async () => {
  const words = ['api', 'delete', '/v2/projects/{project}/apps/p-12345678-nope'];
  const sent = emulator.calls.length;
  const asked = await gantry(words, { emulator });
  expect(asked).toExit(9, 'confirmation required: Send DELETE', 'pass --yes');
  const no = await gantry(words, { emulator, stdin: keys('n\r'), columns: 160 });
  expect([no.code, emulator.calls.length]).toEqual([130, sent]);
  expect(await gantry([...words, '--yes'], { emulator })).toExit(6, 'not found');
});

test.each(['/v2/projects/{project}/apps/../secrets', '/v2/./projects', '/v2/projects/%2E%2e/x', '/v2\\..\\x?a=..'])(
  'refuses %s, which is another path on the way',
  async (path) => {
    const sent = emulator.calls.length;
    const { code, stderr } = await gantry(['api', 'GET', path], { emulator });
    expect([code, emulator.calls.length]).toEqual([2, sent]);
    expect(stderr).toContain('leads to another one');
  },
);
