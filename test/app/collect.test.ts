import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkLimits, collectFiles, defaultExclude, defaultInclude, largestFiles } from '../../src/app/collect.ts';
import type { FileEntry } from '../../src/app/files/entry.ts';
import { InterruptedError, ProjectError } from '../../src/kernel/errors.ts';
import { newFolder } from '../support/files.ts';

let root: string;
beforeEach(() => {
  root = newFolder();
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

describe('the collected files', () => {
  test('are all but hidden ones by default, with sizes', async () => {
    files('main.py', 'src/a.py', '.env', 'src/.env', '.github/x.yml');
    const { entries, warnings } = await collectFiles(root, defaults);
    expect(entries.map(({ path, size }) => [path, size])).toEqual([
      ['main.py', 7],
      ['src/a.py', 8],
    ]);
    expect(warnings).toEqual([]);
  });

  test('exclude version control, installed packages, caches and leftovers, even without patterns', async () => {
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

  test('exclude a virtual environment of any name', async () => {
    files('main.py', 'tools/env/pyvenv.cfg', 'tools/env/lib/x.py', 'env/settings.py');
    expect(await names()).toBe('env/settings.py main.py');
  });

  test('include a leftover that a pattern names, and only that', async () => {
    files('main.py', 'node_modules/keep/i.js', 'node_modules/other/i.js', 'ui/.vscode/x', '.vscode/y');
    expect(await names({ include: ['*', 'node_modules/keep', 'ui/.vscode/x'], exclude: [] })).toBe(
      'main.py node_modules/keep/i.js ui/.vscode/x',
    );
  });

  test('do not include a file that is both included and excluded', async () => {
    files('main.py', '.env');
    expect(await names({ include: ['main.py', '.env'] })).toBe('main.py');
    expect(await warnings({ include: ['main.py', '.env'] })).toEqual(['include pattern ".env" matches nothing']);
  });

  test('always include the config file, once', async () => {
    files('cerebrium.toml', 'src/a.py', '.hidden/Dockerfile');
    const always = ['cerebrium.toml', './.hidden/Dockerfile'];
    expect(await names({ include: ['src'], always })).toBe('.hidden/Dockerfile cerebrium.toml src/a.py');
    expect(await names({ always: ['cerebrium.toml'] })).toBe('cerebrium.toml src/a.py');
  });

  test('are sorted by bytes, in every locale', async () => {
    files('b', 'B', 'a/b', 'a.b', 'ä', 'z', '\u{1f600}', '\uff5e');
    expect(await names()).toBe('B a.b a/b b z ä \uff5e \u{1f600}');
  });

  test('keep the executable bit of any mode', async () => {
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

describe('messages', () => {
  test('name an include pattern without matches, except those of the template', async () => {
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

  test('name the exclude pattern that takes what an include pattern names', async () => {
    files('main.py', '.env.prod', 'dist/app.js');
    const { warnings: found } = await collectFiles(root, {
      include: ['main.py', '.env.prod', './dist/'],
      exclude: ['.*', 'dist'],
    } as never);
    expect(found.map(({ why }) => why)).toEqual([
      'exclude pattern ".*" matches .env.prod',
      'exclude pattern "dist" matches dist',
    ]);
  });

  test('name files that look like secrets', async () => {
    files('main.py', '.env', 'keys/server.key', '.env.example');
    expect(await warnings({ exclude: [] })).toEqual(['these files look like secrets: .env, keys/server.key']);
  });

  test('no files are an error', async () => {
    files('cerebrium.toml', 'main.py');
    const error = await failure({ include: ['app/'], always: ['cerebrium.toml'] });
    expect(error.message).toBe('no files to send: include and exclude leave none');
    expect(error.problems.map((each) => each.message)).toContain('include pattern "app/" matches nothing');
  });

  test('a missing folder is an error', async () => {
    rmSync(root, { recursive: true });
    expect((await failure()).message).toContain('cannot open the app folder');
  });

  test('a missing required file is an error', async () => {
    files('main.py');
    expect((await failure({ always: ['Dockerfile'] })).message).toBe('Dockerfile not found');
  });
});

describe.skipIf(process.platform === 'win32')('symbolic links', () => {
  const link = (target: string, path: string) => symlinkSync(target, join(root, path));

  test('to files and folders of the project are sent as their targets', async () => {
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

  test('out of the project are errors that name them all', async () => {
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

  test('without a target or in a cycle are skipped with a warning', async () => {
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

  test('between two folders do not loop forever', async () => {
    files('a/x', 'b/y');
    link('../b', 'a/b');
    link('../a', 'b/a');
    expect(await names()).toBe('a/b/y a/x b/a/x b/y');
  });
});

describe.skipIf(process.platform === 'win32')('a file that is not regular', () => {
  test('is skipped with a warning if it is included', async () => {
    files('main.py');
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await warnings()).toEqual(['skipped pipe: not a regular file']);
    expect(await warnings({ exclude: ['pipe'] })).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('an unreadable file', () => {
  test('is an error only if it is included', async () => {
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
  expect((await failure()).message).toBe('the name of caf\\xe9 is not valid UTF-8');
});

test('an interrupt ends the walk', async () => {
  files('main.py');
  await expect(collectFiles(root, { ...defaults, signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
    InterruptedError,
  );
});

describe('limits', () => {
  const entry = (path: string, size: number): FileEntry => ({ path, size, executable: false, source: { text: '' } });
  const many = Array.from({ length: 12 }, (_, index) => entry(`m${index}`, index * 2 ** 20));

  test('list the largest files first', () => {
    expect(largestFiles(many, 3).map(({ path }) => path)).toEqual(['m11', 'm10', 'm9']);
    expect(largestFiles(many)).toHaveLength(10);
  });

  test('no message up to 1 GiB, a warning above, an error with the largest files above 2 GiB', () => {
    expect(checkLimits(many, ['.*'])).toEqual([]);
    expect(checkLimits([entry('model.bin', 1.5 * 2 ** 30)], ['.*'])).toMatchObject([{ severity: 'warning' }]);
    const tooMuch = () => checkLimits([...many, entry('model.bin', 2 * 2 ** 30)], ['.*']);
    expect(tooMuch).toThrow(ProjectError);
    expect(tooMuch).toThrow('the files total 2.1 GiB, over the limit of 2 GiB');
    try {
      tooMuch();
    } catch (error) {
      expect((error as ProjectError).facts.why).toContain('2.0 GiB  model.bin\n   11.0 MiB  m11');
    }
  });

  test('a size that reads as the limit is told in bytes', () => {
    const tooMuch = () => checkLimits([entry('model.bin', 2 * 2 ** 30 + 1)], ['.*']);
    expect(tooMuch).toThrow('the files total 2,147,483,649 B, over the limit of 2 GiB');
  });

  test('so many of the largest files are named that the others fit', () => {
    const shards = Array.from({ length: 3 }, (_, index) => entry(`shard${index}`, 2 ** 29));
    const [problem] = checkLimits([...many, ...shards], ['.*']);
    expect(String(problem?.fix)).toMatch(/^exclude = \["\.\*", "\.\/shard0", "\.\/shard1"\], and copy/);
  });
});
