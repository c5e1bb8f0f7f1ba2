import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { filesIn, newFolder } from '../support/files.ts';
import { gantry } from '../support/gantry.ts';
import { type Answer, type Answering, inFrontOf } from '../support/in-front-of.ts';

let emulator: Emulator;
let here: string;

beforeEach(async () => {
  emulator = await startEmulator({ real: false });
  emulator.volume().write('/t/a', 'on the volume');
  here = newFolder({ 'dst/mine': 'x', 'dst/sub/mine': 'y' });
});
afterEach(() => emulator.close());

/** Listings of `/t/` are not lists, from the first deletion on if there is one. Nothing is deleted. */
function without(answer: Answer, isDeletion = false): Answering {
  let isLost = !isDeletion;
  return ({ route, query }) => {
    if (!route.startsWith('DELETE ')) return isLost && query.get('dir') === '/t/' ? answer : undefined;
    isLost = true;
    return { type: 'text/plain', body: 'deleted' };
  };
}

describe.each<[string, Answer, string]>([
  ['null', { body: 'null' }, '1 entry of /t/ could not be read'],
  ['status 204', { status: 204, body: '' }, 'does not match the request (HTTP 204)'],
])('a listing that is %s does not prove that the folder is empty', (_, answer, reason) => {
  const run = async (...words: string[]) =>
    gantry(words, { emulator, cwd: here, env: await inFrontOf(emulator, without(answer, words[0] === 'rm')) });

  test('sync deletes nothing', async () => {
    const { code, stderr } = await run('sync', ':/t', 'dst', '--delete', '--confirm', 'dst');
    expect(code).not.toBe(0);
    expect(stderr).toContain(reason);
    expect(filesIn(here)).toEqual(['dst/mine', 'dst/sub/mine']);
  });

  test('rm does not report a removal', async () => {
    const { code, stdout, stderr } = await run('rm', ':/t/a', '--yes', '--json');
    expect(code).not.toBe(0);
    expect(stdout).not.toContain('"changed": true');
    expect(stderr).toContain('the removal could not be confirmed: ');
    expect(stderr).toContain(reason);
  });

  test('nothing is said not to exist', async () => {
    const { code, stderr } = await run('cat', ':/t/a');
    expect(code).not.toBe(6);
    expect(stderr).toContain(reason);
  });
});

test('ls of a listing that is null shows an empty folder, with a warning', async () => {
  const env = await inFrontOf(emulator, without({ body: 'null' }));
  const { code, stdout, stderr } = await gantry(['ls', ':/t'], { emulator, cwd: here, env });
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('1 item could not be read in full');
});
