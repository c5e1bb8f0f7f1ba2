import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

// What a command writes because a flag names it is no part of the app, replaces nothing of it, and is not sent unnoticed.

let cwd: string;
const run = (line: string) => gantry(line.split(' '), { emulator, cwd });

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  cwd = newFolder(smallApp());
  expect((await run('deploy')).code).toBe(0);
});
beforeEach(() => {
  cwd = newFolder(smallApp());
});

const writers = [
  // One with a usual name is known by what is in it, and not sent.
  ['a plan', 'deploy --dry-run --save-plan', 'release.txt'],
  ['an archive', 'deploy --dry-run -o', 'web.zip'],
  ['a page of charts', 'runs chart web --html', 'chart.html'],
] as const;

describe.each(writers)('%s in the app folder', (_, line, file) => {
  test('is announced: the next deploy would send it', async () => {
    const outcome = await run(`${line} ${file}`);
    expect(outcome).toExit(0, `warning: ${file} is in the folder of the app web`, `exclude = [".*", "./${file}"]`);
  });

  test('replaces one of its kind, and no file of the app', async () => {
    expect((await run(`${line} ${file}`)).code).toBe(0);
    expect((await run(`${line} ${file}`)).code).toBe(0);
    expect(await run(`${line} main.py`)).toExit(7, 'main.py exists and is not a');
    expect(readFileSync(join(cwd, 'main.py'), 'utf8')).toBe(smallApp()['main.py']);
  });

  test('is written elsewhere, or where it is not sent, without a word', async () => {
    for (const place of [join(newFolder(), file), `.${file}`])
      expect((await run(`${line} ${place}`)).stderr).not.toContain('warning');
  });
});

test.each(['plan.json', 'gantry-plan.json'])('a plan in %s is applied in the folder of the app', async (file) => {
  for (const _ of ['first', 'again']) {
    expect((await run(`deploy --dry-run --save-plan ${file}`)).code).toBe(0);
    const { code, stdout } = await run(`deploy --apply-plan ${file} --json`);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ files: 2 })]);
  }
});

test('files that gantry names itself are never sent', async () => {
  const names = ['gantry-plan.json', 'gantry-deploy.env', '.gantry/state.json'];
  cwd = newFolder({ ...smallApp('exclude = ["*.log"]\n'), ...Object.fromEntries(names.map((name) => [name, '{}'])) });
  const { json, stderr } = await run('deploy --dry-run --files --json');
  expect(json()).toMatchObject({ send: { files: 2 } });
  expect(stderr).not.toContain('warning');
});
