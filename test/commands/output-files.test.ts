import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commandLines, loadCommand } from '../support/commands.ts';
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
  ['an export of runs', 'runs export web -o', 'runs.jsonl'],
] as const;

/** The others, which replace nothing or need calls to write something. */
const otherWriters = [
  'map web run in.jsonl -o',
  'builds compare web --html',
  'metrics web --html',
  'apps bench web --for 1s --rate 1 --html',
  'apps tune web --html',
  'cost --html',
];

describe.each([...writers.map(([, line]) => line), ...otherWriters])('%s refuses', (line) => {
  test.each([
    ['no/x', 'error: cannot write no/x\n  why there is no folder no\n  fix create it, or name another file\n'],
    ['no/', 'error: cannot write no/\n  why there is no folder no\n  fix create it, or name another file\n'],
    ['main.py/x', 'why part of its path is a file, not a folder\n  fix name another file\n'],
    ['.', 'error: . is a folder\n  fix name a file, which may be in it\n'],
  ])('%s before it does anything', async (place, message) => {
    writeFileSync(join(cwd, 'in.jsonl'), '{}\n');
    const [before, there] = [emulator.calls.length, readdirSync(cwd).sort()];
    const outcome = await run(`${line} ${place}`);
    expect(outcome).toExit(2, message);
    expect([emulator.calls.length - before, readdirSync(cwd).sort()]).toEqual([0, there]);
  });
});

/** Flags with a file that is read; `--save-plan` checks its file in the deploy of one app. */
const readers = [
  '--import',
  '--input',
  '--from-file',
  '--from-env-file',
  '--webhook-secret-file',
  '--secret-file',
  '--save-plan',
  '--apply-plan',
];

test('every flag with a file says what it writes, or is one that reads', async () => {
  const flags = [];
  for (const line of commandLines()) {
    const command = new Command();
    (await loadCommand(line)).configure(command as never);
    flags.push(
      ...command.options.map(({ long, flags: words, parseArg }) => ({ line, long, words, ...(parseArg as object) })),
    );
  }
  const ofFiles = flags.filter(({ words }) => /[<[]file[\]>]/.test(words));
  expect(ofFiles.length).toBeGreaterThan(10);
  expect(ofFiles.filter((flag) => !('writes' in flag) && !readers.includes(String(flag.long)))).toEqual([]);
});

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
