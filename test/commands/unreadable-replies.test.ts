import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { altering, deployWeb, emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

type Json = Record<string, unknown>;

const portal = { body: '<!doctype html><title>Guest Wi-Fi</title><p>log in', type: 'text/html' };
const isApp = (path: string) => /\/apps\/[^/]+$/.test(path);

/** Every field of an app null, but for those named. */
const nulled = (json: unknown, ...kept: string[]) =>
  Object.fromEntries(Object.entries(json as Json).map(([name, value]) => [name, kept.includes(name) ? value : null]));

/** A platform whose calls of one kind are answered by the login page of a network. */
const portalAt = (isMeant: (method: string, path: string) => boolean) =>
  altering(
    emulator,
    () => undefined,
    (method, path) => (isMeant(method, path) ? portal : undefined),
  );

test.each([
  ['apps scale web --max-replicas 7', 'PATCH'],
  ['apps delete web --confirm web', 'DELETE'],
  ['secrets set KEY --from-file -', 'PATCH'],
  ['builds cancel web BUILD --yes', 'DELETE'],
  ['rm :/a.txt --yes', 'DELETE'],
])('a web page in place of a confirmation is a failure: %s', async (line, answered) => {
  emulator.volume().write('/a.txt', 'a');
  await deployWeb(emulator);
  emulator.fail('build', 'slow');
  await gantry(['deploy', '--detach'], { emulator, cwd: newFolder(smallApp()) });
  const [build] = emulator.store.getAppBuilds(`${emulator.project}-web`);
  const env = await portalAt((method) => method === answered);
  const words = line.replace('BUILD', build?.id ?? '').split(' ');
  const { code, stdout, stderr } = await gantry(words, { emulator, env, stdin: 'value' });
  expect([code, stdout]).toEqual([69, '']);
  expect(stderr).toMatch(/received a web page \("Guest Wi-Fi"\) instead of a reply from 127\.0\.0\.1:\d+ \(HTTP 200\)/);
});

describe('fields of null', () => {
  test('in the replies to create app and get app do not stop a deploy; stdout is a URL or empty', async () => {
    for (const hasAddress of [true, false]) {
      const env = await altering(emulator, (method, path, json) => {
        if (method === 'POST' && path.endsWith('/apps'))
          return { body: nulled(json, 'buildId', 'uploadUrl', 'status') };
        return method === 'GET' && isApp(path)
          ? { body: nulled(json, ...(hasAddress ? ['internalEndpoint'] : [])) }
          : undefined;
      });
      const { code, stdout, stderr } = await gantry(['deploy'], { emulator, env, cwd: newFolder(smallApp()) });
      expect([code, stdout]).toEqual([0, expect.stringMatching(hasAddress ? /^https?:\/\/\S+\/web\n$/ : /^\n?$/)]);
      if (!hasAddress) expect(stderr).toContain('the platform returned no endpoint; see gantry apps get web');
    }
  });

  test('in an app do not stop the commands that read it', async () => {
    await deployWeb(emulator);
    const env = await altering(emulator, (method, path, json) =>
      method === 'GET' && isApp(path) ? { body: { ...nulled(json, 'id'), port: '8000', cpu: 2 } } : undefined,
    );
    for (const words of [
      ['apps', 'get', 'web', '--json'],
      ['apps', 'scale', 'web', '--max-replicas', '3'],
      ['deploy', '--dry-run'],
    ]) {
      expect((await gantry(words, { emulator, env, cwd: newFolder(smallApp()) })).code).toBe(0);
    }
    expect((await gantry(['apps', 'get', 'web', '--json'], { emulator, env })).json()).toMatchObject({ port: 8000 });
  });
});

describe('an item that cannot be read', () => {
  const commands: [string, string[], string][] = [
    ['apps', ['apps', 'list'], '/apps'],
    ['users', ['users', 'list'], '/users'],
    ['API keys', ['api-keys', 'list'], '/api-keys'],
    ['projects', ['projects', 'list'], '/projects'],
    ['builds', ['builds', 'list', 'web'], '/builds'],
    ['containers', ['apps', 'containers', 'web'], '/containers'],
  ];

  test.each(commands)('does not hide the other %s; one warning counts them', async (_, words, end) => {
    await deployWeb(emulator);
    const whole = (await gantry([...words, '--json'], { emulator })).json() as Json[];
    const env = await altering(emulator, (method, path, json) =>
      method === 'GET' && path.endsWith(end)
        ? { body: [null, ...(json as Json[]), 'text', { name: 'nameless', region: null }] }
        : undefined,
    );
    const { code, stderr, json } = await gantry([...words, '--json'], { emulator, env });
    const found = json() as Json[];
    expect(code).toBe(0);
    expect(found).toEqual(expect.arrayContaining(whole));
    expect(found).toHaveLength(whole.length + 1);
    expect(found).toContainEqual(expect.objectContaining({ name: 'nameless' }));
    expect(stderr.match(/warning: 3 items could not be read in full \(.*\): GET/g)).toHaveLength(1);
    expect((await gantry(words, { emulator, env })).code).toBe(0);
  });

  test('on a volume makes a copy incomplete, with a warning, and prevents deletions', async () => {
    const folder = newFolder({
      'data/a.txt': 'a',
      'data/b.txt': 'b',
      'copy/b.txt': 'old',
      'copy/c.txt': 'c',
    });
    const run = (words: string[], env = {}) => gantry(words, { emulator, env, cwd: folder });
    await run(['cp', 'data', ':/data']);
    const env = await altering(emulator, (_, path, json) =>
      path.endsWith('/ls')
        ? {
            body: (json as Json[]).map((entry) =>
              String(entry.name).startsWith('a') ? { ...entry, name: undefined } : entry,
            ),
          }
        : undefined,
    );
    const listed = await run(['ls', ':/data'], env);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('b.txt')]);
    expect(listed.stderr).toContain('warning: 1 item could not be read in full (no name)');

    const copied = await run(['cp', ':/data', 'new'], env);
    expect(copied.code).not.toBe(0);
    expect(copied.stderr).toContain('1 entry of /data/ could not be read');
    expect(readdirSync(join(folder, 'new'))).toEqual(['b.txt']);

    const synced = await run(['sync', ':/data', 'copy', '--delete', '--confirm', 'copy'], env);
    expect(synced.code).not.toBe(0);
    expect(readdirSync(join(folder, 'copy')).sort()).toEqual(['b.txt', 'c.txt']);
  });

  test.each([
    ['a number', { SEC: 7, TEXT: 'text' }],
    ['null', { SEC: null, TEXT: 'text' }],
    ['a list', { SEC: ['hidden'], TEXT: 'text' }],
    ['an object of secrets', { SEC: { A: 'hidden', B: 'hidden' } }],
  ])('of a secret that is %s is listed, and no change is written', async (_, stored) => {
    let writes = 0;
    const env = await altering(emulator, (method, path) => {
      if (!path.endsWith('/secrets')) return undefined;
      if (method !== 'GET') writes++;
      return { status: 200, body: method === 'GET' ? stored : 'OK' };
    });
    expect(await gantry(['secrets', 'list'], { emulator, env })).toPrint(/SEC/);
    for (const words of [
      ['set', 'NEW', '--from-file', '-'],
      ['set', '--from-env-file', join(newFolder({ '.env': 'NEW=x' }), '.env')],
      ['unset', Object.keys(stored).at(-1) ?? '', '--yes'],
    ]) {
      const refused = await gantry(['secrets', ...words], { emulator, env, stdin: 'x' });
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/the value of SEC is not text[\s\S]*nothing was changed/);
      expect(refused.stderr).not.toContain('hidden');
    }
    expect(writes).toBe(0);
  });
});
