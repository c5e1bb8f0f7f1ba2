import { beforeEach, expect, test } from 'vitest';
import { emulatorForEach, filesIn, gantry, inFrontOf, newFolder } from '../support/index.ts';

let here: string;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  for (const path of ['/m/a', '/x/keep']) emulator.volume().write(path, path);
  here = newFolder({ 'dst/mine': 'x', 'src/new': 'y' });
});

const files = ['../x/keep', './../x/keep', 'a/../../x/keep', '/x/keep', 'default:/x/keep', '..', 'b/c'];
const folders = ['../x/', '..', '../', '/x/', './../x'];
const odd = [
  ...files.map((name) => ({ name, is_folder: false, size_bytes: 1 })),
  ...folders.map((name) => ({ name, is_folder: true })),
];

const commands: [line: string, code: number][] = [
  ['sync src :/m --delete --confirm default:/m', 0],
  ['sync :/m dst --delete --confirm dst', 70],
  ['rm :/m/** --yes', 0],
  ['rm -r :/m --confirm :/m', 0],
  ['cp :/m dst', 70],
  ['cp :/m :/copy', 70],
  ['cp src :/m', 0],
  ['ls :/m', 0],
  ['ls -R :/m', 0],
  ['volumes usage :/m', 0],
];

test.each(commands)('names in a listing lead gantry %s nowhere else', async (line, exit) => {
  const asked: string[] = [];
  const env = await inFrontOf(emulator, async ({ route, query, body }, pass) => {
    const path = query.get('file_path') ?? query.get('dir') ?? /"file_path":"([^"]*)"/.exec(body)?.[1];
    if (path) asked.push(path);
    const answer = await pass();
    if (!route.endsWith('/ls') || query.get('dir') !== '/m/') return answer;
    return { body: JSON.stringify([...JSON.parse(answer.body), ...odd]) };
  });
  const { code, stdout, stderr } = await gantry(line.split(' '), { emulator, cwd: here, env });
  expect([code, stdout]).toEqual([exit, expect.not.stringContaining('keep')]);
  expect(asked.filter((path) => !/^\/(m|copy)?(\/[a-z]+)?\/?$/.test(path))).toEqual([]);
  expect(emulator.volume().paths()).toContain('/x/keep');
  if (line.includes(':/m ')) expect(stderr).toMatch(/could not be read/);
  expect(filesIn(here)).toEqual(expect.arrayContaining(['dst/mine', 'src/new']));
});

test.each([
  ['ls', '/ls', [null]],
  ['apps list', '/apps', [['web'], null]],
])('gantry %s never says that there is nothing where items could not be read', async (line, path, items) => {
  const env = await inFrontOf(emulator, ({ route }) =>
    route.endsWith(path) ? { body: JSON.stringify(items) } : undefined,
  );
  const { code, stdout, stderr } = await gantry(line.split(' '), { emulator, env });
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(/^warning: \d items? could not be read in full \(of another form\)/);
  expect(stderr).not.toMatch(/no apps yet|is empty/);
});
