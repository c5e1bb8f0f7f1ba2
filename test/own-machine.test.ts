import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bin } from './e2e/binary.ts';
import { machine, withoutHome } from './support/machine.ts';

const home = process.env.HOME ?? '';
const folder = dirname(home);
const withPrograms = process.platform !== 'win32';

test.skipIf(!withPrograms)('a test sees no home, program or setting of whoever runs it', () => {
  expect([homedir(), userInfo().homedir, process.env.GIT_CONFIG_GLOBAL]).toEqual([home, home, `${home}/.gitconfig`]);
  expect(folder).toMatch(/tests-machine-\w+$/);
  const folders = (process.env.PATH ?? '').split(delimiter);
  expect(folders.filter((one) => dirname(dirname(one)) !== folder && dirname(one) !== folder)).toEqual([]);
  const foreign =
    /^(GANTRY|CEREBRIUM|GIT|GITHUB|XDG|LC|NPM|npm|CLAUDE|AI|CI$|SSL|NODE_OPTIONS|NODE_EXTRA|DOCKER|PYTHON)/;
  const own = /^GANTRY_(TEST|CONFIG_DIR)|^GIT_(CONFIG_(GLOBAL|NOSYSTEM)|TERMINAL_PROMPT)$/;
  const left = Object.keys(process.env).filter((name) => foreign.test(name) && !own.test(name));
  expect(process.env.GANTRY_LIVE === '1' ? [] : left).toEqual([]);
});

test.skipIf(!withPrograms)('neither does a program that a test starts', () => {
  for (const env of [undefined, machine()]) {
    const git = execFileSync('git', ['config', '--list', '--show-origin'], { encoding: 'utf8', env, cwd: home });
    const origins = new Set(git.split('\n').flatMap((line) => line.split('\t')[0] || []));
    expect([...origins]).toEqual([`file:${home}/.gitconfig`]);
    const script = 'echo ~; for one in podman docker zsh fish uv pyenv; do command -v $one; done; true';
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8', env })).toBe(`${home}\n`);
  }
  const settings = execFileSync(process.execPath, [bin, 'config', 'list', '--json'], {
    encoding: 'utf8',
    env: machine(withoutHome),
  });
  expect(settings).toContain(home);
});

test('tests take the environment of what they start from machine.ts', () => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|js)$/.test(file));
  const own = /^(support\/(machine|own-(machine|engine))\.ts|docs\/machine\.ts|chaos\/|mutation\/|fuzz\/)/;
  const makesOne =
    /\bPATH: (String\()?process\.env|{ PATH(: \w+)? = ''.*} = process\.env|\bos\.userInfo|\buserInfo\(\)\.homedir/;
  const offences = files.filter((file) => !own.test(file) && makesOne.test(readFileSync(join('test', file), 'utf8')));
  expect(offences.sort()).toEqual(['own-machine.test.ts', 'platform/config/folders.test.ts']);
});
