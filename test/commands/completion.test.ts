import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, test } from 'vitest';
import { empty, emulatorForAll, gantry, newFolder, record, smallApp } from '../support/index.ts';

let folder: string;

const emulator = emulatorForAll({ real: false });

beforeEach(() => {
  folder = newFolder();
});

/** What a shell is told after these words: the candidates, and the last line's directive. */
async function offered(words: string[], env: Record<string, string> = {}) {
  const outcome = await gantry(['complete', '--', ...words], { emulator, env: { GANTRY_CONFIG_DIR: folder, ...env } });
  const lines = outcome.stdout.trimEnd().split('\n');
  const directive = lines.pop();
  return { ...outcome, words: lines.map((line) => line.split('\t')[0]), directive };
}

describe('completion', () => {
  test.each([
    ['dep', 'deploy'],
    ['-q builds com', 'compare'],
    ['--project p-1 builds com', 'compare'],
    ['-qp p-1 builds com', 'compare'],
    ['metrics serve --po', '--port'],
    ['apps list --json=name,st', 'name,status'],
    ['deploy x ', ''],
    ['--color a', 'always auto'],
    ['--region us-e', 'us-east-1'],
    ['--region = us-e', 'us-east-1'],
    ['completion ', 'bash zsh fish powershell'],
    ['plan set ', 'hobby standard enterprise'],
    ['--profile ', 'default'],
    ['config profiles use d', 'default'],
    ['config get pro', 'profile project'],
    ['init --compute ADA', 'ADA_L4 ADA_L40'],
    ['deploy --log-level ', 'INFO DEBUG'],
    ['users invite a@b.c --role m', 'member'],
    ['help exit', 'exit-codes'],
    ['help dep', 'deploy'],
    ['help ag', 'agents'],
    ['help plan ', 'set payment-methods invoices'],
    ['help plan set ', ''],
  ])('after %j offers %j, without a request', async (typed, words) => {
    const found = await offered(typed.split(' '));
    expect({ ...found, words: found.words.join(' ') }).toMatchObject({ words, directive: ':4', code: 0, stderr: '' });
    expect(emulator.calls).toEqual([]);
  });

  test('offers the flags of a command and those of all', async () => {
    expect((await offered(['deploy', '-'])).words).toEqual(expect.arrayContaining(['--quiet', '--dry-run']));
  });

  test('leaves what stands after -- to the shell', async () => {
    expect(await offered(['exec', 'web', '--', '--q'])).toMatchObject({ words: [], directive: ':0' });
  });

  test.each(['dev', 'metrics', 'apps'])('says what %s is for', async (name) => {
    const { stdout } = await offered([name]);
    expect(stdout).toMatch(new RegExp(`^${name}\\t\\w`, 'm'));
  });

  test('offers config files and the folders that may have one', async () => {
    const app = newFolder({ 'cerebrium.toml': '', 'envs/prod.toml': '', 'main.py': '', '.git/x.toml': '' });
    const asked = async (typing: string) =>
      (await gantry(['complete', '--', 'deploy', '--config-file', typing], { cwd: app })).stdout;
    expect(await asked('')).toBe('cerebrium.toml\t\nenvs/\t\n:4\n');
    expect(await asked('env')).toBe('envs/\t\n:6\n');
    expect(await asked('envs/')).toBe('envs/prod.toml\t\n:4\n');
    expect((await gantry(['complete', '--', '-C', app, 'deploy', '--config-file', 'c'])).stdout).toContain(
      'cerebrium.toml',
    );
  });

  test('prints no error if the platform cannot be reached', async () => {
    const { words, code, stderr } = await offered(['apps', 'get', ''], { GANTRY_API_URL: 'http://127.0.0.1:1' });
    expect({ words, code, stderr }).toEqual({ words: [], code: 0, stderr: '' });
  });

  test.each([[{ GANTRY_TOKEN: '' }], [{ GANTRY_PROFILE: 'nobody' }], [{ GANTRY_API_URL: 'nonsense' }]])(
    'prints no error about invalid settings: %j',
    async (env) => {
      expect(await offered(['apps', 'get', ''], env)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test.each([
    ['files', ['secrets', 'set', '--from-env-file', ''], ':0'],
    ['files', ['cp', ''], ':0'],
    ['files', ['run', ''], ':0'],
    ['files', ['check', ''], ':0'],
    ['files', ['map', 'web', ''], ':0'],
    ['files', ['explain', '--file', ''], ':0'],
    ['files', ['sync', './d'], ':0'],
    ['folders', ['-C', ''], ':16'],
    ['nothing', ['users', 'invite', ''], ':4'],
    ['nothing', ['api', 'GET', ''], ':4'],
  ])('lets the shell complete %s after %j', async (_, words, directive) => {
    expect(await offered(words)).toMatchObject({ words: [], directive });
  });
});

describe('completion of what the platform has', () => {
  beforeEach(async () => {
    await emulator.reset();
    await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
  });

  test('offers the names of apps, then of their builds, then of projects', async () => {
    const { id } = [...emulator.store.builds.values()][0] ?? { id: '' };
    expect((await offered(['apps', 'get', 'w'])).words).toEqual(['web']);
    expect((await offered(['builds', 'get', 'web', ''])).words).toEqual([id]);
    expect((await offered(['service-accounts', 'grant', 'sa-ci', ''])).words).toEqual([emulator.project]);
  });

  test('offers no name that would be a flag', async () => {
    const [web] = [...emulator.store.apps.values()];
    const add = (name: string) => {
      const id = `${emulator.project}-${name}`;
      if (web) emulator.store.apps.set(id, { ...web, id, name, settings: { ...web.settings, name } });
    };
    for (const name of ['--yes', '-C', 'weather']) add(name);
    expect((await offered(['apps', 'get', ''])).words?.sort()).toEqual(['weather', 'web']);
    expect((await offered(['apps', 'delete', '-'])).words).not.toContain('-C');
  });

  describe('of files on a volume', () => {
    beforeEach(() => {
      for (const path of ['/models/a.bin', '/models/sub/b.bin', '/main.log', '/odd name'])
        emulator.volume().write(path, 'x');
      emulator.volume('us-west-2').write('/west/x', 'x');
    });

    test.each<[typed: string[], words: string[], directive: string]>([
      [['ls', ''], ['models/', 'main.log'], ':4'],
      [['ls', '/m'], ['/models/', '/main.log'], ':4'],
      [['rm', '/mo'], ['/models/'], ':6'],
      [['cat', 'models/'], ['models/sub/', 'models/a.bin'], ':4'],
      [['volumes', 'usage', 'default:/models/s'], ['default:/models/sub/'], ':6'],
      [['cp', ':/models/a'], [':/models/a.bin'], ':4'],
      [['cp', './x', ':'], [':models/', ':main.log'], ':4'],
      [['sync', './x', 'default:/mo'], ['default:/models/'], ':6'],
      [['--region', 'us-west-2', 'ls', '/'], ['/west/'], ':6'],
      [['--region=us-west-2', 'ls', '/'], ['/west/'], ':6'],
      [['rm', '-r', '/models', '--confirm', '/mo'], ['/models/'], ':6'],
      [['ls', '/no-such/'], [], ':4'],
    ])('after %j offers %j', async (typed, words, directive) => {
      const found = await offered(typed);
      expect({ words: found.words, directive: found.directive, stderr: found.stderr }).toEqual({
        words,
        directive,
        stderr: '',
      });
    });
  });

  test('offers a path as it is typed', async () => {
    emulator.volume().write('/models/a.bin', 'x');
    const found = [];
    for (const typed of ['/', ':/', '', 'default:']) found.push((await offered(['cat', typed])).words);
    expect(found).toEqual([['/models/'], [':/models/'], ['models/'], ['default:models/']]);
  });

  test('offers runs, containers, secrets and service accounts', async () => {
    record(emulator, { id: 'r-1', createdAt: Date.now() });
    emulator.store.secrets.set(emulator.project, { TOKEN: 'hidden' });
    empty(emulator, { serviceAccounts: [{ id: 'sa-ci', name: 'CI' }] });
    expect((await offered(['runs', 'get', 'web', ''])).words).toEqual(['r-1']);
    expect((await offered(['logs', 'web', '--run', 'r'])).words).toEqual(['r-1']);
    expect((await offered(['secrets', 'unset', ''])).words).toEqual(['TOKEN']);
    expect((await offered(['secrets', 'set', '--app', 'web', ''])).words).toEqual([]);
    expect((await offered(['service-accounts', 'revoke', ''])).words).toEqual(['sa-ci']);
    await gantry(['invoke', 'web'], { emulator });
    const [container = ''] = (await offered(['logs', 'web', '--container', ''])).words;
    expect(container).toMatch(/web/);
  });

  test('offers what belongs to the app of the folder, if none is typed or it is "."', async () => {
    const app = newFolder(smallApp());
    record(emulator, { id: 'r-1', createdAt: Date.now() });
    const { id: build } = [...emulator.store.builds.values()][0] ?? { id: '' };
    const at = async (...words: string[]) => (await offered(['-C', app, ...words])).words;
    expect(await at('logs', '--run', '')).toEqual(['r-1']);
    expect(await at('logs', '.', '--run', '')).toEqual(['r-1']);
    expect(await at('logs', '--build', '')).toEqual([build]);
    expect(await at('logs', '--build', '--f')).toContain('--follow');
    expect(await at('logs', `--build=${build}`, '--container', '')).toEqual(['web-1']);
    expect(await at('rollback', '.', '')).toEqual([build]);
    expect(await at('rollback', '')).toEqual([build, 'web']);
  });

  test('never offers a name that the shell would execute', async () => {
    const app = [...emulator.store.apps.values()][0];
    for (const name of ['$(reboot)', 'a b', '`id`', 'x;y', '\u001b[2Jz']) {
      emulator.store.apps.set(name, { ...app, id: name, name } as typeof app & object);
    }
    expect((await offered(['apps', 'get', ''])).words).toEqual(['web']);
  });
});

describe('gantry completion', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s that asks for candidates', async (shell) => {
    expect(await gantry(['completion', shell])).toPrint(/gantry complete '?--'?/);
  });

  test('for another shell exits with 2 and lists the known ones', async () => {
    expect(await gantry(['completion', 'tcsh'])).toExit(2, 'bash, zsh, fish, powershell');
  });

  test.each([
    ['default:/mo', "default : /mo ''", 'gantry cp x default:/mo', 4, '/models/'],
    [':', ':', 'gantry cp x :', 3, '/models/'],
    [':/mo', ': /mo', 'gantry cp x :/mo', 4, '/models/'],
  ])('completes %s in bash, which splits words at colons', async (typed, split, line, at, inserted) => {
    const candidate = `${typed.replace(/[^:]*$/, '')}/models/`;
    const program = `
      eval "$("${process.execPath}" bin/gantry.cjs completion bash)"
      gantry() { printf '%s|' "$@" > ${folder}/asked; printf '${candidate}\\t\\n:6\\n'; }
      COMP_LINE='${line}' COMP_WORDS=(gantry cp x ${split}) COMP_CWORD=${at === 4 && split.includes("''") ? 5 : at}
      __gantry_complete 2>/dev/null; echo "<\${COMPREPLY[*]}>"`;
    const { stdout } = await execa('bash', ['--norc', '-c', program]);
    expect(stdout).toBe(`<${inserted}>`);
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe(`complete|--|cp|x|${typed}|`);
  });

  test('of zsh loads compinit if the shell has not', async () => {
    const { stdout } = await gantry(['completion', 'zsh']);
    expect(stdout).toMatch(/^#compdef gantry\n.*\$\+functions\[compdef\].*compinit.*\ncompdef _gantry gantry$/m);
    expect(stdout).toMatch(/comp=\$\{comp\/\/:\/\\\\:\}/);
  });

  test('works in bash, also loaded twice, and executes nothing that was typed', async () => {
    const program = `
      gantry() { "${process.execPath}" bin/gantry.cjs "$@"; }
      eval "$(gantry completion bash)"; eval "$(gantry completion bash)"
      COMP_WORDS=(gantry '$(touch ${folder}/pwned)' builds --color = al) COMP_CWORD=5 COMP_LINE=x
      __gantry_complete 2>/dev/null; echo "<\${COMPREPLY[*]}>"; ls ${folder}`;
    const { stdout, stderr } = await execa('bash', ['--norc', '-c', program]);
    expect({ stdout, stderr }).toEqual({ stdout: '<always>', stderr: '' });
  });
});
