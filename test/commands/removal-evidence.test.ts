import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Answering, emulatorForEach, gantry, inFrontOf, newFolder } from '../support/index.ts';

let here: string;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  for (const path of ['/m/a', '/m/old', '/m/sub/b', '/m/z']) emulator.volume().write(path, path);
  here = newFolder({ 'src/z': '/m/z', 'src/sub/b': '/m/sub/b', 'src/a': '/m/a' });
});

type Entry = Record<string, unknown> & { name: string; is_folder: boolean };

const renamed = (change: (name: string) => string) => (entries: Entry[]) =>
  entries.map((entry) => ({ ...entry, name: change(entry.name) }));

/** What lists become once something was removed. */
const forms: [string, (entries: Entry[]) => unknown[]][] = [
  ['what was there before', (entries) => entries],
  ['nothing', () => []],
  ['a nameless file', () => [{ name: '', is_folder: false }]],
  ['items without fields', (entries) => entries.map(() => null)],
  ['names with a slash before them', renamed((name) => `/${name}`)],
  ['names after ./', renamed((name) => `./${name}`)],
  ['names with their volume', renamed((name) => `default:/m/${name}`)],
];

const few = forms.filter(([name]) => /^(what was|nothing|a nameless)/.test(name));

const commands: [line: string, removed: string, typeof forms][] = [
  ['rm :/m/old --yes --json', '/m/old', forms],
  ['rm -r :/m/sub --confirm :/m/sub --json', '/m/sub/b', few],
  ['sync src :/m --delete --confirm default:/m --json', '/m/old', few],
];

/** Lists in another form from the first removal on. `removes` says whether the removal happens. */
function listing(form: (entries: Entry[]) => unknown[], removes: boolean): Answering {
  let isSent = false;
  return async ({ route }, pass) => {
    if (route.startsWith('DELETE ')) {
      isSent = true;
      return removes ? undefined : { type: 'text/plain', body: 'deleted' };
    }
    if (!isSent || !route.endsWith('/ls')) return undefined;
    const answer = await pass();
    return answer.status === 200 ? { body: JSON.stringify(form(JSON.parse(answer.body))) } : answer;
  };
}

async function run(line: string, answering: Answering) {
  return gantry(line.split(' '), { emulator, cwd: here, env: await inFrontOf(emulator, answering) });
}

describe.each(commands)('gantry %s', (line, path, lies) => {
  test.each(lies)('does not take a list of %s for proof', async (_, form) => {
    const { code, json } = await run(line, listing(form, false));
    expect(code).not.toBe(0);
    expect(json()).toMatchObject(line.startsWith('sync') ? { failed: [{ path: 'old' }] } : { error: {} });
    expect(emulator.volume().paths()).toContain(path);
  });

  test('succeeds while others change the folder', async () => {
    const { code, waits } = await run(line, async ({ route }, pass) => {
      if (!route.startsWith('DELETE ')) return undefined;
      emulator.volume().write('/m/new', 'from somebody else');
      await gantry(['rm', ':/m/z', '--yes'], { emulator });
      return pass();
    });
    expect([code, waits]).toEqual([0, []]);
  });
});

// A folder lists as empty whether it is there or not: only a file can be asked for.
describe.each(commands.filter(([line]) => !line.startsWith('rm -r')))('gantry %s', (line, path) => {
  test.each(few)('asks for the path itself where there is a list of %s', async (_, form) => {
    const { code } = await run(line, listing(form, true));
    expect([code, emulator.volume().paths().includes(path)]).toEqual([0, false]);
  });
});

test('the last folder of a volume is gone once the volume lists nothing', async () => {
  const { code, waits } = await run('rm -r :/m --confirm :/m', () => undefined);
  expect([code, waits, emulator.volume().paths()]).toEqual([0, [], []]);
});

test.each<[string, Answer]>([
  ['refuses', { status: 403, body: '{"message":"not for this token"}' }],
  ['cannot be asked', { status: 400, body: '{"message":"no"}' }],
])('a removal is not confirmed where the list changed its form and the storage %s', async (_, answer) => {
  const listed = listing(() => [], true);
  const { code, stderr, waits } = await run('rm :/m/old --yes', (call, pass) =>
    call.route.endsWith('/download') ? answer : listed(call, pass),
  );
  expect([code, waits]).toEqual([69, [500, 1_000, 2_000]]);
  expect(stderr).toContain('the removal could not be confirmed: its folder lists nothing');
});
