import { symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FileDecision } from '../../src/deploys/send/index.ts';
import { emulatorForAll, gantry, newFolder, wideTerminal } from '../support/index.ts';

const emulator = emulatorForAll({ real: false });

beforeEach(async () => {
  await emulator.reset();
});

const main = 'def run():\n    return 1\n';
const config = (more = '') => `[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n${more}`;
const pip = '[cerebrium.dependencies.pip]\nfastapi = "latest"\n';
const docker = '[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "Dockerfile"\n';

interface Told {
  /** The warnings and errors on stderr. */
  problems: string[];
  /** The paths that are sent; undefined if the command does not tell. */
  sent?: string[];
}

const problemsIn = (stderr: string) => stderr.split('\n').filter((line) => /^(warning|error): /.test(line));

/** What each command says of the app in a folder. */
async function told(cwd: string, flags: string[] = []): Promise<Record<string, Told>> {
  const of = (words: string[]) => gantry([...words, ...flags], { emulator, cwd });
  const check = await gantry(['check'], { cwd });
  const plan = await of(['deploy', '--dry-run', '--files', '--json']);
  const packed = await of(['deploy', '--dry-run', '-o', '/dev/null', '--json']);
  const deployed = await of(['deploy']);
  const { selection } = plan.json() as { selection: FileDecision[] };
  const { entries } = packed.json() as { entries: { path: string }[] };
  return {
    check: { problems: problemsIn(check.stderr) },
    plan: { problems: problemsIn(plan.stderr), sent: selection.filter(({ sent }) => sent).map(({ path }) => path) },
    package: { problems: problemsIn(packed.stderr), sent: entries.map(({ path }) => path) },
    deploy: { problems: problemsIn(deployed.stderr), sent: await sentPaths() },
  };
}

/** The files in the archive that the emulator received. */
async function sentPaths(): Promise<string[]> {
  const { stdout } = await gantry(['builds', 'get', 'web', '--files'], { emulator });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('an own file and a generated file of the same name', () => {
  const replaced =
    'warning: requirements.txt is generated from [cerebrium.dependencies.pip] and replaces your own requirements.txt';
  const ignored = 'warning: [cerebrium.dependencies.pip] is ignored';
  const copying = 'FROM python:3.12\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\nCMD ["true"]\n';
  const own = { 'requirements.txt': 'flask==3.0\n' };

  test.each([
    ['without a Dockerfile, the generated one wins with a warning', config(pip), own, [replaced], 'fastapi\n'],
    [
      'without a Dockerfile, the same packages need no warning',
      config(pip),
      { 'requirements.txt': '# x\nfastapi\n' },
      [],
      'fastapi\n',
    ],
    [
      'with a Dockerfile, the own one wins with a warning',
      config(docker + pip),
      { ...own, Dockerfile: copying },
      [ignored],
      'flask==3.0\n',
    ],
    [
      'with a Dockerfile that copies it, a missing one is generated',
      config(docker + pip),
      { Dockerfile: copying },
      [],
      'fastapi\n',
    ],
    [
      'with a Dockerfile that does not copy it, none is generated',
      config(docker + pip),
      { Dockerfile: 'FROM debian\nCMD ["true"]\n' },
      [ignored],
      undefined,
    ],
    [
      'with a Dockerfile that copies another one, none is generated',
      config(docker + pip),
      { 'api/requirements.txt': '', Dockerfile: 'FROM debian\nCOPY api/requirements.txt .\nCMD ["true"]\n' },
      [ignored],
      undefined,
    ],
    [
      'with a Dockerfile and an excluded own one, a missing one is generated',
      config(`exclude = ["requirements.txt"]\n${docker}${pip}`),
      { ...own, Dockerfile: copying },
      [],
      'fastapi\n',
    ],
  ])('%s', async (_, toml, files, problems, content) => {
    const app = newFolder({ 'main.py': main, ...files, 'cerebrium.toml': toml });
    const all = await told(app);
    const paths = [
      'cerebrium.toml',
      'main.py',
      ...Object.keys(files),
      ...(content === undefined ? [] : ['requirements.txt']),
    ];
    const sent = [...new Set(paths)].sort();
    expect(all).toEqual({
      check: { problems },
      plan: { problems, sent },
      package: { problems, sent },
      deploy: { problems, sent },
    });
    if (content === undefined) return;
    const { json } = await gantry(['deploy', '--dry-run', '-o', '/dev/null', '--json=entries'], { cwd: app });
    const { entries } = json() as { entries: { path: string; bytes: number }[] };
    expect(entries.find(({ path }) => path === 'requirements.txt')?.bytes).toBe(content.length);
  });
});

describe('the app folder', () => {
  const elsewhere = {
    'envs/prod.toml': config('[cerebrium.scaling]\nmax_replicas = 3\n'),
    'envs/notes.txt': '',
    'main.py': main,
  };

  test('is the working directory, wherever the config file lies', async () => {
    const app = newFolder(elsewhere);
    const sent = ['envs/notes.txt', 'envs/prod.toml', 'main.py'];
    const all = await told(app, ['--config-file', 'envs/prod.toml']).catch((error: unknown) => error);
    expect(all).toMatchObject({ plan: { problems: [], sent }, package: { sent }, deploy: { sent } });
    const check = await gantry(['check', 'envs/prod.toml'], { cwd: app });
    expect([check.code, problemsIn(check.stderr)]).toEqual([0, []]);
  });

  test('is named in the first line if the config file lies elsewhere', async () => {
    const app = newFolder(elsewhere);
    const first = `the app folder is ${app}, the working directory; envs/prod.toml only configures it`;
    for (const words of [
      ['check', 'envs/prod.toml'],
      ...[['deploy'], ['deploy', '--dry-run', '-o', '/dev/null']].map((words) => [
        ...words,
        '--config-file',
        'envs/prod.toml',
      ]),
    ]) {
      const { stderr } = await gantry(words, { emulator, cwd: app });
      expect(stderr.replace(/^project .*\n/, '').split('\n')[0]).toBe(first);
    }
    const changed = await gantry(['deploy', '-C', 'envs', '--config-file', 'prod.toml'], { emulator, cwd: app });
    expect(changed.stderr).toContain('main.py not found');
  });

  test('is suggested if main.py lies beside the config file', async () => {
    const outcome = await gantry(['deploy', '--config-file', 'web/cerebrium.toml'], {
      emulator,
      cwd: newFolder({ 'web/cerebrium.toml': config(), 'web/main.py': main }),
    });
    expect(outcome).toExit(10, 'add -C web and name the file relative to it');
  });

  test('may not contain the config file, which is then only read', async () => {
    const cwd = join(newFolder({ 'prod.toml': config(), 'web/main.py': main }), 'web');
    const { code, stderr } = await gantry(['deploy', '--config-file', '../prod.toml'], { emulator, cwd });
    expect([code, problemsIn(stderr)]).toEqual([0, []]);
    expect(await sentPaths()).toEqual(['main.py']);
  });
});

test('an empty exclude is the default, and files with a dot stay here', async () => {
  const app = newFolder({
    'main.py': main,
    '.env': 'A=1',
    '.netrc': '',
    'cerebrium.toml': config('exclude = []\n'),
  });
  const all = await told(app);
  const problems = ['warning: exclude is empty, so files that start with a dot are not sent'];
  expect(Object.values(all).map((one) => one.problems)).toEqual(Array(4).fill(problems));
  expect(all.deploy?.sent).toEqual(['cerebrium.toml', 'main.py']);
});

test('the fix for a secret keeps the patterns of exclude, and is enough', async () => {
  const files = { 'main.py': main, '.env': 'A=1', 'a[1].pem': '', 'notes.md': '' };
  const app = newFolder({ ...files, 'cerebrium.toml': config('exclude = ["*.md"]\n') });
  const { stderr } = await gantry(['check'], { cwd: app });
  const line = 'exclude = ["*.md", "./.env", "./a\\\\[1\\\\].pem"]';
  expect(stderr).toContain(`  fix ${line}\n`);
  await writeFile(join(app, 'cerebrium.toml'), config(`${line}\n`));
  expect(await told(app)).toMatchObject({
    check: { problems: [] },
    deploy: { sent: ['cerebrium.toml', 'main.py'] },
  });
});

test('a key for secrets points to gantry secrets, and its value is shown nowhere', async () => {
  const toml = `${config('env = { DB_PASSWORD = "hunter2" }\napi_key = "hunter2"\n')}[cerebrium.secrets]\nHF_TOKEN = "hunter2"\nOTHER = "hunter2"\n[cerebrium.environment]\nA = "hunter2"\n`;
  const app = newFolder({ 'main.py': main, 'cerebrium.toml': toml });
  const { stdout, stderr } = await gantry(['check', '--json'], { cwd: app });
  expect(stdout + stderr).not.toContain('hunter2');
  const each = 'set each as a secret: gantry secrets set HF_TOKEN, gantry secrets set OTHER';
  for (const fix of ['gantry secrets set DB_PASSWORD', 'gantry secrets set api_key', each, 'gantry secrets set A']) {
    expect(stderr).toContain(`fix ${fix}\n`);
  }
  await writeFile(join(app, 'cerebrium.toml'), toml.replace('OTHER = "hunter2"', 'OTHER = hunter2'));
  const broken = await gantry(['check', '--json'], { cwd: app });
  expect(broken.stderr).toContain('8 | OTHER …\n');
  expect(broken.stdout + broken.stderr).not.toContain('hunter2');
});

describe('--files', () => {
  const files = {
    'main.py': main,
    'requirements.txt': 'flask\n',
    'notes.md': '',
    '.env': '',
    '__pycache__/main.pyc': '',
    'venv-of-mine/pyvenv.cfg': '',
    'deep/a.py': '',
    'deep/b.txt': '',
    'debug.log': '',
  };
  const toml = config(`include = ["*.py", "deep/*.py", "requirements.txt", ".env", "*.log"]\nexclude = [".*"]\n${pip}`);

  test('lists every file with its reason', async () => {
    const app = newFolder({ ...files, 'cerebrium.toml': toml });
    const { json } = await gantry(['deploy', '--dry-run', '--files', '--json=selection'], { emulator, cwd: app });
    const { selection } = json() as { selection: FileDecision[] };
    expect(selection.map(({ path, sent, reason, by }) => [path, sent, reason, by])).toEqual([
      ['.env', false, 'excluded', '.*'],
      ['__pycache__/', false, 'never-sent', null],
      ['cerebrium.toml', true, 'required', null],
      ['debug.log', true, 'included', '*.log'],
      ['deep/a.py', true, 'included', 'deep/*.py'],
      ['deep/b.txt', false, 'not-included', null],
      ['main.py', true, 'included', '*.py'],
      ['notes.md', false, 'not-included', null],
      ['requirements.txt', true, 'generated', 'dependencies.pip'],
      ['requirements.txt', false, 'replaced', null],
      ['venv-of-mine/', false, 'not-included', null],
    ]);
  });

  test('is a table for people, for package as well', async () => {
    const flags = { emulator, cwd: newFolder({ ...files, 'cerebrium.toml': toml }), ...wideTerminal };
    const plan = await gantry(['deploy', '--dry-run', '--files'], flags);
    const packed = await gantry(['deploy', '--dry-run', '-o', '/dev/null', '--files'], flags);
    for (const { stdout } of [plan, packed]) {
      expect(stdout).toMatch(/^yes +\d+ B +main\.py +included by "\*\.py"$/m);
      expect(stdout).toMatch(/^no +- +\.env +excluded by "\.\*"$/m);
      expect(stdout).toMatch(/^yes +\d+ B +requirements\.txt +generated from dependencies\.pip$/m);
    }
    expect(packed.stderr).toContain('wrote /dev/null');
  });

  test('says of others why they are not sent', async () => {
    const cwd = newFolder({ ...files, 'cerebrium.toml': config(), '.gitignore': '*.log\n' });
    symlinkSync('nowhere', join(cwd, 'broken'));
    const words = ['deploy', '--dry-run', '--files', '--use-gitignore', '--save-plan', 'plan.json'];
    await gantry(['deploy', '--dry-run', '--save-plan', 'plan.json', '--yes'], { emulator, cwd });
    const { stdout } = await gantry(words, { emulator, cwd, ...wideTerminal });
    expect(stdout).toMatch(/^no +- +debug\.log +ignored by \.gitignore:1 \*\.log$/m);
    expect(stdout).toMatch(/^no +- +venv-of-mine\/ +a virtual environment$/m);
    expect(stdout).toMatch(/^no +- +broken +not a regular file$/m);
    expect(stdout).toMatch(/^no +- +plan\.json +gantry writes it$/m);
  });
});

describe('--use-gitignore', () => {
  const files = {
    'app/main.py': main,
    'app/cerebrium.toml': config(),
    '.gitignore': '*.log\n/app/data/\n',
    'app/.gitignore': '\n# ours\n!keep.log\n*.tmp\n/only-here.txt\n',
    'app/a.log': '',
    'app/keep.log': '',
    'app/data/x.bin': '',
    'app/deep/only-here.txt': '',
    'app/only-here.txt': '',
    'app/deep/.gitignore': '*.py\n!b.py\n',
    'app/deep/a.py': '',
    'app/deep/b.py': '',
    'app/deep/x.tmp': '',
  };

  test('skips what git ignores, and says why', async () => {
    const repository = newFolder(files);
    await mkdir(join(repository, '.git', 'info'), { recursive: true });
    await writeFile(join(repository, '.git', 'info', 'exclude'), 'keep.*\nmine.txt\n');
    await writeFile(join(repository, 'app', 'mine.txt'), '');
    const cwd = join(repository, 'app');
    const flags = ['deploy', '--dry-run', '--files', '--json=selection'];
    const { json, stderr } = await gantry([...flags, '--use-gitignore'], { emulator, cwd });
    const { selection } = json() as { selection: FileDecision[] };
    const ignored = selection.filter(({ reason }) => reason === 'gitignored');
    expect(ignored.map(({ path, by }) => [path, by])).toEqual([
      ['a.log', '.gitignore:1 *.log'],
      ['data/', '.gitignore:2 /app/data/'],
      ['deep/a.py', 'app/deep/.gitignore:1 *.py'],
      ['deep/x.tmp', 'app/.gitignore:4 *.tmp'],
      ['mine.txt', '.git/info/exclude:2 mine.txt'],
      ['only-here.txt', 'app/.gitignore:5 /only-here.txt'],
    ]);
    expect(selection.filter(({ sent }) => sent).map(({ path }) => path)).toEqual([
      ...['cerebrium.toml', 'deep/b.py', 'deep/only-here.txt', 'keep.log', 'main.py'],
    ]);
    expect(stderr).toContain('--use-gitignore: 6 ignored files and folders not sent');
  });

  test('applies to a file that is generated as well', async () => {
    const dockerfile = 'FROM python:3.12\nCOPY requirements.txt .\nCMD ["python", "-m", "http.server", "8000"]\n';
    const more = { 'main.py': main, Dockerfile: dockerfile, 'requirements.txt': 'flask\n', '.gitignore': '*.txt\n' };
    const flags = ['deploy', '--dry-run', '-o', '/dev/null', '--files', '--json=selection', '--use-gitignore'];
    const { json } = await gantry(flags, { cwd: newFolder({ ...more, 'cerebrium.toml': config(docker + pip) }) });
    const { selection } = json() as { selection: FileDecision[] };
    expect(selection.find(({ path }) => path === 'requirements.txt')).toMatchObject({ reason: 'generated', bytes: 8 });
  });

  test('is not applied without the flag', async () => {
    const { json } = await gantry(['deploy', '--dry-run', '-o', '/dev/null', '--json=entries'], {
      cwd: join(newFolder(files), 'app'),
    });
    const { entries } = json() as { entries: { path: string }[] };
    expect(entries.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.log', 'data/x.bin', 'only-here.txt']));
  });
});

test.each(['My-App_2.0', '1-langchain-QA'])('the app name %s is deployed without a warning', async (name) => {
  const app = newFolder({ 'main.py': main, 'cerebrium.toml': config().replace('web', name) });
  const { stderr } = await gantry(['deploy', '--dry-run'], { emulator, cwd: app });
  expect(problemsIn(stderr)).toEqual([]);
});
