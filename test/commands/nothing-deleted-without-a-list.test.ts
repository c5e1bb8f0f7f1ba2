import { beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach } from '../support/emulators.ts';
import { type Answer, type Answering, filesIn, gantry, inFrontOf, newFolder } from '../support/index.ts';

let here: string;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  emulator.volume().write('/t/a', 'on the volume');
  here = newFolder({ 'dst/mine': 'x', 'dst/sub/mine': 'y' });
});

/** Listings of `/t/` are not lists, from the first deletion on if there is one. Nothing is deleted. */
function without(answer: Answer, isDeletion = false): Answering {
  let isLost = !isDeletion;
  return ({ route, query }) => {
    if (!route.startsWith('DELETE ')) return isLost && query.get('dir') === '/t/' ? answer : undefined;
    isLost = true;
    return { type: 'text/plain', body: 'deleted' };
  };
}

const noContent = 'does not match the request (HTTP 204)';

describe.each<[string, Answer, string, string]>([
  ['null', { body: 'null' }, 'nothing was deleted: default:/t/ lists nothing', 'its folder lists nothing'],
  ['status 204', { status: 204, body: '' }, noContent, noContent],
  ['empty', { body: '' }, 'is empty (HTTP 200)', 'is empty (HTTP 200)'],
])('a listing that is %s proves no removal', (_, answer, ofSync, ofRemoval) => {
  const run = async (...words: string[]) =>
    gantry(words, { emulator, cwd: here, env: await inFrontOf(emulator, without(answer, words[0] === 'rm')) });

  test('sync deletes nothing', async () => {
    const { code, stderr } = await run('sync', ':/t', 'dst', '--delete', '--confirm', 'dst');
    expect(code).not.toBe(0);
    expect(stderr).toContain(ofSync);
    expect(filesIn(here)).toEqual(['dst/mine', 'dst/sub/mine']);
  });

  test('rm does not report a removal', async () => {
    const { code, stdout, stderr } = await run('rm', ':/t/a', '--yes', '--json');
    expect(code).not.toBe(0);
    expect(stdout).not.toContain('"changed": true');
    expect(stderr).toContain('the removal could not be confirmed: ');
    expect(stderr).toContain(ofRemoval);
  });
});

test('a listing with status 204 does not say that a file does not exist', async () => {
  const env = await inFrontOf(emulator, without({ status: 204, body: '' }));
  expect(await gantry(['cat', ':/t/a'], { emulator, cwd: here, env })).toExit(69, noContent);
});

describe('a folder of the source that lists nothing does not decide what sync --delete deletes', () => {
  const sync = async (...empty: string[]) => {
    const env = await inFrontOf(emulator, ({ query }) =>
      empty.includes(query.get('dir') ?? '') ? { body: '[]' } : undefined,
    );
    return gantry(['sync', ':/t', 'dst', '--delete', '--confirm', 'dst'], { emulator, cwd: here, env });
  };

  test.each([
    ['the source', ['/t/']],
    ['a folder in it', ['/t/sub/']],
    ['a folder in a folder', ['/t/sub/deep/']],
  ])('%s', async (_, empty) => {
    here = newFolder({ 'dst/mine': 'x', 'dst/sub/deep/mine': 'y' });
    emulator.volume().write('/t/sub/deep/theirs', 'z');
    emulator.volume().write('/t/sub/theirs', 'z');
    expect(await sync(...empty)).toExit(7, `nothing was deleted: default:${empty[0]} lists nothing`);
    expect(filesIn(here)).toEqual(['dst/mine', 'dst/sub/deep/mine']);
  });

  test('and a file that is listed again is not deleted', async () => {
    here = newFolder({ 'dst/a': 'x' });
    let lists = 0;
    const env = await inFrontOf(emulator, ({ query }) =>
      query.get('dir') === '/t/' && lists++ === 0 ? { body: '[]' } : undefined,
    );
    const { code, stderr } = await gantry(['sync', ':/t', 'dst', '--delete', '--confirm', 'dst'], {
      emulator,
      cwd: here,
      env,
    });
    expect([code, filesIn(here)]).toEqual([7, ['dst/a']]);
    expect(stderr).toContain('default:/t/a is listed now, and was not before');
  });

  test('but one that is gone from the list of its parent does', async () => {
    expect((await sync()).code).toBe(0);
    expect(filesIn(here)).toEqual(['dst/a']);
  });
});

test.each([
  [':/t/s', ':/t'],
  [':/t', ':/t/s'],
  [':/t', 'default:t/'],
  [':/t', ':/'],
])('sync --delete does not delete its own source: %s to %s', async (from, to) => {
  emulator.volume().write('/t/s/b', 'x');
  const confirm = to.replace(/^:/, 'default:');
  const { code, stderr } = await gantry(['sync', from, to, '--delete', '--confirm', confirm], { emulator, cwd: here });
  expect([code, stderr]).toEqual([2, expect.stringContaining('overlap')]);
  expect(
    emulator
      .volume()
      .paths()
      .filter((path) => !path.endsWith('/')),
  ).toEqual(['/t/a', '/t/s/b']);
});

test('sync --delete copies a folder of a volume to one apart from it', async () => {
  for (const path of ['/t/s/b', '/other/old']) emulator.volume().write(path, 'x');
  const words = ['sync', ':/t/s', ':/other', '--delete', '--confirm', 'default:/other'];
  expect(await gantry(words, { emulator, cwd: here })).toExit(0, '');
  const files = emulator.volume().paths();
  expect(files.filter((path) => !path.endsWith('/'))).toEqual(['/other/b', '/t/a', '/t/s/b']);
});
