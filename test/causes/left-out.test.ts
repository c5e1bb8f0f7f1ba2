import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadAppConfig } from '../../src/app/config.ts';
import { explainLog } from '../../src/causes/index.ts';
import { newFolder } from '../support/index.ts';
import { type Files, problemsIn, settings } from './looked.ts';

const copies = (source: string): Files => ({
  Dockerfile: `FROM python:3.11-slim\nCOPY ${source} ./x/\nCOPY main.py ./\nCMD ["python", "main.py"]\n`,
});
const docker = '[cerebrium.runtime.custom]\nport = 8080\ndockerfile_path = "./Dockerfile"\n';
const model = { 'models/a.bin': '1\n' };

/** What leaves files out, and what is said of a folder with them. */
const cases: [string, Files, why: string, fix: string][] = [
  [
    'a pattern of exclude for the folder',
    { 'cerebrium.toml': settings(docker, 'exclude = ["models"]\n') },
    'exclude pattern "models" matches models',
    'remove "models" from exclude, or change it to match fewer files',
  ],
  [
    'a pattern of exclude for files',
    { 'cerebrium.toml': settings(docker, 'exclude = ["*.bin"]\n') },
    'exclude pattern "*.bin" matches the files in models/',
    'remove "*.bin" from exclude, or change it to match fewer files',
  ],
  [
    'no pattern of include',
    { 'cerebrium.toml': settings(docker, 'include = ["main.py", "Dockerfile"]\n') },
    'no include pattern matches it, or it is in a virtual environment',
    'add "models/" to include',
  ],
  [
    'a line of .dockerignore',
    { 'cerebrium.toml': settings(docker), '.dockerignore': '# big\nmodels\n' },
    '.dockerignore:2 models leaves it out',
    'remove that line, or add !models/ below it',
  ],
];

test.each(cases)('a folder that %s leaves out is named with what to change', async (_, files, why, fix) => {
  const root = newFolder({ ...copies('models'), 'main.py': '', ...model, ...files });
  const problems = await problemsIn(root);
  const said = problems.find(({ fix: given }) => String(given) === fix);
  expect(said, JSON.stringify(problems)).toBeDefined();
  expect(`${said?.message} ${said?.why}`).toContain(why);
});

test.each([
  ['exclude = ["*.bin"]\n', undefined, 'exclude pattern "*.bin" matches models/a.bin', 'remove "*.bin" from exclude'],
  ['', 'x\n**/*.bin\n', '.dockerignore:2 **/*.bin leaves it out', 'remove that line, or add !models/a.bin below it'],
])('a log says what left a file out that is here, with what to change', async (top, ignore, why, fix) => {
  const files = { ...copies('main.py'), 'main.py': '', ...model, 'cerebrium.toml': settings(docker, top) };
  const root = newFolder({ ...files, ...(ignore !== undefined && { '.dockerignore': ignore }) });
  const { config } = await loadAppConfig(join(root, 'cerebrium.toml'));
  const log = "FileNotFoundError: [Errno 2] No such file or directory: 'models/a.bin'";
  const found = explainLog(log, { source: 'run', config });
  expect(found).toMatchObject({ cause: 'file-excluded', fix: expect.stringContaining(fix) });
  expect(found?.title).toContain(why);
  // What shows files changes none.
  expect(found?.next).toBeUndefined();
});
