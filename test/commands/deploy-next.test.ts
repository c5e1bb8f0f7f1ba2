import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForAll();

const mains: [name: string, main: string, next: string][] = [
  ['its function run', 'def run(): return 1', 'invoke web'],
  [
    'run with what it must be given',
    'def run(prompt, n: int, top=1): return prompt * n',
    'invoke web prompt=text n:=1',
  ],
  ['another function', 'def _load(): ...\ndef predict(items: list): return items', 'invoke web predict items:=[]'],
  ['run, whatever else is there', 'def first(): return 1\nasync def run(): return 2', 'invoke web'],
  ['no function: the log', 'x = 1', 'logs web'],
];

describe.skipIf(!python)('a deploy suggests to call', () => {
  test.each(mains)('%s', async (_, main, expected) => {
    const setting = { emulator, cwd: newFolder({ ...smallApp(), 'main.py': `${main}\n` }) };
    const { next } = (await gantry(['deploy', '--json'], setting)).json() as { next: { argv: string[] }[] };
    const [, ...words] = next[0]?.argv ?? [];
    expect(words).toEqual(expected.split(' '));
    expect(await gantry(words, setting)).toMatchObject({ code: 0 });
  });
});

test('a deploy ends with its verdict, its address, and lines to call and to see it that work', async () => {
  const setting = { emulator, cwd: newFolder({ ...smallApp(), 'main.py': 'def run(name): return name\n' }) };
  const { stdout, stderr } = await gantry(['deploy'], setting);
  const build = [...emulator.store.builds.keys()].at(-1) ?? '';
  expect(stderr).not.toContain(build);
  expect(stderr).toMatch(/^✓ Built in .+$/m);
  expect(stderr.trimEnd().split('\n').slice(-3)).toEqual([
    `web is live, build ${build.slice(0, 8)}`,
    'dashboard: gantry open web',
    'to call it: gantry invoke web name=text',
  ]);
  expect(stdout).toMatch(/^http.+\/web\n$/);
  for (const line of ['open web', 'invoke web name=text']) {
    expect(await gantry(line.split(' '), setting)).toMatchObject({ code: 0 });
  }
});

test('the line to call it names the project that the deploy was told to use', async () => {
  const app = newFolder({ ...smallApp(), 'main.py': 'def run(): return 1\n' });
  const { stderr } = await gantry(['deploy', '-p', 'p-12345678'], { emulator, cwd: app });
  expect(stderr).toMatch(/^to call it: gantry invoke web (-p|--project) p-12345678$/m);
});
