import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InterruptedError, ProjectError } from '../../src/errors.ts';
import { checkLimits, collectFiles, defaultExclude, defaultInclude, largestFiles } from '../../src/project/collect.ts';
import type { FileEntry } from '../../src/project/files/entry.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'collect-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function files(...paths: string[]) {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
}

const defaults = { include: defaultInclude, exclude: defaultExclude };
const all = { include: ['*'], exclude: [] };

async function names(options: Partial<Parameters<typeof collectFiles>[1]> = {}) {
  const { entries } = await collectFiles(root, { ...defaults, ...options });
  return entries.map((entry) => entry.path).join(' ');
}

async function warnings(options: Partial<Parameters<typeof collectFiles>[1]> = {}) {
  return (await collectFiles(root, { ...defaults, ...options })).warnings.map((each) => each.message);
}

async function failure(options: Partial<Parameters<typeof collectFiles>[1]> = {}) {
  const error = await collectFiles(root, { ...defaults, ...options }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProjectError);
  return error as ProjectError;
}

describe('what is sent', () => {
  test('everything but hidden files, by default, with its size', async () => {
    files('main.py', 'src/a.py', '.env', 'src/.env', '.github/x.yml');
    const { entries, bytes, warnings } = await collectFiles(root, defaults);
    expect(entries.map(({ path, size }) => [path, size])).toEqual([
      ['main.py', 7],
      ['src/a.py', 8],
    ]);
    expect(bytes).toBe(15);
    expect(warnings).toEqual([]);
  });

  test('nothing of version control, installed code, caches and leftovers, even with no exclude', async () => {
    files(
      'main.py',
      '.git/config',
      'a/node_modules/x/i.js',
      '__pycache__/m.pyc',
      'a/.venv/x',
      '.DS_Store',
      'main.py~',
      '.main.py.swp',
    );
    expect(await names({ exclude: [] })).toBe('main.py');
  });

  test('a virtual environment of any name stays out', async () => {
    files('main.py', 'tools/env/pyvenv.cfg', 'tools/env/lib/x.py', 'env/settings.py');
    expect(await names()).toBe('env/settings.py main.py');
  });

  test('a leftover that an include pattern names is in, but only what it names', async () => {
    files('main.py', 'node_modules/keep/i.js', 'node_modules/other/i.js', 'ui/.vscode/x', '.vscode/y');
    expect(await names({ include: ['*', 'node_modules/keep', 'ui/.vscode/x'], exclude: [] })).toBe(
      'main.py node_modules/keep/i.js ui/.vscode/x',
    );
  });

  test('an exclude beats an include that names the file', async () => {
    files('main.py', '.env');
    expect(await names({ include: ['main.py', '.env'] })).toBe('main.py');
    expect(await warnings({ include: ['main.py', '.env'] })).toEqual(['include pattern ".env" matches nothing']);
  });

  test('the config file is always in, and once', async () => {
    files('cerebrium.toml', 'src/a.py', '.hidden/Dockerfile');
    const always = ['cerebrium.toml', './.hidden/Dockerfile'];
    expect(await names({ include: ['src'], always })).toBe('.hidden/Dockerfile cerebrium.toml src/a.py');
    expect(await names({ always: ['cerebrium.toml'] })).toBe('cerebrium.toml src/a.py');
  });

  test('in the order of bytes, in every locale', async () => {
    files('b', 'B', 'a/b', 'a.b', 'ä', 'z', '\u{1f600}', '\uff5e');
    expect(await names()).toBe('B a.b a/b b z ä \uff5e \u{1f600}');
  });

  test('the executable bit is kept, whatever else the mode says', async () => {
    files('run.sh', 'main.py');
    chmodSync(join(root, 'run.sh'), 0o700);
    chmodSync(join(root, 'main.py'), 0o666);
    const { entries } = await collectFiles(root, all);
    expect(entries.map(({ path, executable }) => [path, executable])).toEqual([
      ['main.py', false],
      ['run.sh', process.platform !== 'win32'],
    ]);
  });
});

describe('what people are told', () => {
  test('an include that matches nothing is named, but not the template', async () => {
    files('server.py');
    expect(await warnings()).toEqual([]);
    expect(await warnings({ include: ['./*', 'main.py', 'cerebrium.toml', 'workflow.json'] })).toEqual([
      'include pattern "workflow.json" matches nothing',
    ]);
    expect(await warnings({ exclude: ['./example_exclude'] })).toEqual([]);
    expect(await warnings({ include: ['server.py', 'main.py'] })).toEqual([
      'include pattern "main.py" matches nothing',
    ]);
  });

  test('files that look like secrets are named', async () => {
    files('main.py', '.env', 'keys/server.key', '.env.example');
    expect(await warnings({ exclude: [] })).toEqual(['these files look like secrets: .env, keys/server.key']);
  });

  test('nothing to send is an error', async () => {
    files('cerebrium.toml', 'main.py');
    const error = await failure({ include: ['app/'], always: ['cerebrium.toml'] });
    expect(error.message).toBe('no files to send: include and exclude leave none');
    expect(error.problems.map((each) => each.message)).toContain('include pattern "app/" matches nothing');
  });

  test('a folder that is not there is an error', async () => {
    rmSync(root, { recursive: true });
    expect((await failure()).message).toContain('cannot open the app folder');
  });

  test('a file that must be in and is missing is an error', async () => {
    files('main.py');
    expect((await failure({ always: ['Dockerfile'] })).message).toBe('Dockerfile not found');
  });
});

describe.skipIf(process.platform === 'win32')('links', () => {
  const link = (target: string, path: string) => symlinkSync(target, join(root, path));

  test('to files and folders of the project are sent as what they lead to', async () => {
    files('data/a.csv', 'main.py', '.hidden/x');
    link('data', 'copy');
    link('main.py', 'app.py');
    link('.hidden/x', 'shown');
    const { entries } = await collectFiles(root, defaults);
    expect(entries.map(({ path, source }) => [path, 'file' in source && readFileSync(source.file, 'utf8')])).toEqual([
      ['app.py', 'main.py'],
      ['copy/a.csv', 'data/a.csv'],
      ['data/a.csv', 'data/a.csv'],
      ['main.py', 'main.py'],
      ['shown', '.hidden/x'],
    ]);
  });

  test('out of the project are errors, all of them named', async () => {
    files('main.py');
    link('/etc/hosts', 'hosts');
    link('..', 'up');
    const { message, problems } = await failure();
    expect(message).toBe('2 files cannot be sent');
    expect(problems.map((each) => each.message).sort()).toEqual([
      expect.stringContaining('symbolic link hosts leads out of the app folder, to /etc/hosts'),
      expect.stringContaining('symbolic link up leads out of the app folder, to '),
    ]);
    expect(await names({ exclude: ['hosts', 'up'] })).toBe('main.py');
  });

  test('that lead nowhere or in a circle are skipped with a warning', async () => {
    files('main.py', 'a/b/x.py');
    link('gone', 'dangling');
    link('self', 'self');
    link('..', 'a/b/loop');
    expect(await names()).toBe('a/b/x.py main.py');
    expect((await warnings()).sort()).toEqual([
      'skipped symbolic link a/b/loop: it leads to a folder that contains it',
      'skipped symbolic link dangling: its target does not exist',
      'skipped symbolic link self: its target does not exist',
    ]);
  });

  test('between two folders end', async () => {
    files('a/x', 'b/y');
    link('../b', 'a/b');
    link('../a', 'b/a');
    expect(await names()).toBe('a/b/y a/x b/a/x b/y');
  });
});

describe.skipIf(process.platform === 'win32')('what is no regular file', () => {
  test('is skipped with a warning, if it was wanted', async () => {
    files('main.py');
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await warnings()).toEqual(['skipped pipe: not a regular file']);
    expect(await warnings({ exclude: ['pipe'] })).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('what cannot be read', () => {
  test('is an error only if it was wanted', async () => {
    files('main.py', 'secret.py', 'closed/x');
    chmodSync(join(root, 'secret.py'), 0);
    chmodSync(join(root, 'closed'), 0);
    expect((await failure()).problems.map((each) => each.message).sort()).toEqual([
      'closed cannot be read',
      'secret.py cannot be read',
    ]);
    expect(await names({ exclude: ['closed', 'secret.py'] })).toBe('main.py');
    expect(await names({ include: ['main.py'] })).toBe('main.py');
    chmodSync(join(root, 'closed'), 0o700);
  });
});

test.skipIf(process.platform !== 'linux')('a name that is not UTF-8 is an error', async () => {
  files('main.py');
  writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'x');
  expect((await failure()).message).toBe('the name of caf\ufffd is not valid UTF-8');
});

test('an interruption ends the walk', async () => {
  files('main.py');
  await expect(collectFiles(root, { ...defaults, signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
    InterruptedError,
  );
});

describe('limits', () => {
  const entry = (path: string, size: number): FileEntry => ({ path, size, executable: false, source: { text: '' } });
  const many = Array.from({ length: 12 }, (_, index) => entry(`m${index}`, index * 2 ** 20));

  test('the largest come first', () => {
    expect(largestFiles(many, 3).map(({ path }) => path)).toEqual(['m11', 'm10', 'm9']);
    expect(largestFiles(many)).toHaveLength(10);
  });

  test('up to 1 GiB there is nothing to say, above a warning, above 2 GiB an error that lists the largest', () => {
    expect(checkLimits(many)).toEqual([]);
    expect(checkLimits([entry('model.bin', 1.5 * 2 ** 30)])).toMatchObject([{ severity: 'warning' }]);
    const tooMuch = () => checkLimits([...many, entry('model.bin', 2 * 2 ** 30)]);
    expect(tooMuch).toThrow(ProjectError);
    expect(tooMuch).toThrow('the files total 2.06 GiB, over the limit of 2 GiB');
    try {
      tooMuch();
    } catch (error) {
      expect((error as ProjectError).facts.why).toContain('2.00 GiB  model.bin\n     11 MiB  m11');
    }
  });
});
