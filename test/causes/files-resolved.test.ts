import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { signToken } from '../../src/emulator/endpoints/account/access.ts';
import { emulatorForEach, gantry, machine, newFolder } from '../support/index.ts';

const settings = '[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n';
const listing = `${settings}[cerebrium.dependencies.paths]\npip = "requirements.txt"\n`;
const app = (requirements: string) =>
  newFolder({ 'cerebrium.toml': listing, 'requirements.txt': requirements, 'main.py': 'def run():\n    return 1\n' });

const none = 'error: No solution found when resolving dependencies\n  cause: ';
const end = 'we can conclude that your requirements are unsatisfiable.';

/** A uv that says this, and keeps what it was asked in `asked` beside it. */
function uv(said: string, code = said === '' ? 0 : 1) {
  const bin = newFolder({ said });
  const script = `#!/bin/sh\ncd ${bin}\necho "$@" >args\ncat >asked\ncat said >&2\nexit ${code}\n`;
  writeFileSync(join(bin, 'uv'), script);
  chmodSync(join(bin, 'uv'), 0o755);
  return { PATH: [bin, machine().PATH].join(delimiter), bin };
}

describe.skipIf(process.platform === 'win32')('what uv says of the packages', () => {
  const emulator = emulatorForEach();
  const check = async (requirements: string, said: string, env: Record<string, string> = {}) => {
    const { PATH } = uv(said);
    const options = { emulator, cwd: app(requirements), env: { PATH, ...env } };
    const { stderr, code } = await gantry(['check', '--online'], options);
    return { stderr, code };
  };

  test.each([
    [
      'versions that do not fit',
      'a-lib==1\nother==4\n',
      `${none}Because a-lib==1 depends on other>=2,<3 and you require a-lib==1, we can conclude that you require other>=2,<3.\n         And because you require other==4, ${end}\n`,
      'requirements.txt:2:1',
      'why uv: a-lib==1 depends on other>=2,<3 and the app asks for a-lib==1; the app asks for other==4',
    ],
    [
      'a version that was never released, as older releases of uv say it',
      'a-lib\nanother-lib==9.9.9\n',
      '  × No solution found when resolving dependencies:\n  ╰─▶ Because there is no version of another-lib==9.9.9 and you require\n      another-lib==9.9.9, we can conclude that your requirements are\n      unsatisfiable.\n',
      'requirements.txt:2:1',
      'the package index has no another-lib ==9.9.9',
    ],
    [
      'a range without versions',
      'a-lib>=99\n',
      `${none}Because only a-lib<=2.1.0 is available and you require a-lib>=99, ${end}\n`,
      'requirements.txt:1:1',
      'the package index has no a-lib >=99',
    ],
    [
      'a package that does not exist',
      'a-lib\nno-such-lib\n',
      `${none}Because no-such-lib was not found in the package registry and you require no-such-lib, ${end}\n`,
      'requirements.txt:2:1',
      'the package index has no no-such-lib',
    ],
    [
      'a package for another Python',
      'a-lib==2\n',
      `${none}Because the requested Python version (>=3.11.99) does not satisfy Python>=3.12 and a-lib==2 depends on Python>=3.12, we can conclude that a-lib==2 cannot be used.\n         And because you require a-lib==2, ${end}\n`,
      'requirements.txt:1:1',
      'why a-lib==2 needs Python>=3.12',
    ],
  ])('%s', async (_, requirements, said, place, told) => {
    const { stderr, code } = await check(requirements, said);
    expect(stderr).toContain(place);
    expect(stderr.replace(/\s+/g, ' ')).toContain(told);
    expect(code).toBe(10);
  });

  test('a package that only older Pythons have wheels of is a warning', async () => {
    const said = `${none}Because a-lib==2.3.0 has no wheels with a matching Python ABI tag (e.g., \`cp311\`) and you require a-lib==2.3.0, ${end}\n`;
    expect(await check('a-lib==2.3.0\n', said)).toExit(0, /warning: a-lib[\s\S]*requirements\.txt:1:1/);
  });

  test.each(
    Object.entries({
      'that they fit': '',
      'that it cannot build': `${none}Because all versions of a-lib have no usable wheels and you require a-lib, ${end}\n`,
      'that it has no network': `${none}Because a-lib was not found in the cache and you require a-lib, ${end}\n\nhint: the network was disabled\n`,
      'that it fails': 'error: Failed to fetch: `https://…/simple/a-lib/`\n',
    }),
  )('nothing is claimed if it says %s', async (_, said) => {
    expect(await check('a-lib\n', said)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('a-lib') });
  });

  const askedOf = async (cwd: string, env: Record<string, string> = {}) => {
    const { PATH, bin } = uv('');
    await gantry(['check', '--online'], { emulator, cwd, env: { PATH, ...env } });
    return (name: string) => (existsSync(join(bin, name)) ? readFileSync(join(bin, name), 'utf8') : undefined);
  };

  test('it is asked for what the platform installs in one go, for the Python of the app', async () => {
    const cwd = app('A_Lib[extra]>=1 # why\nother ; sys_platform == "win32"\nthird==2\n');
    const kept = await askedOf(cwd, { UV_RESOLUTION: 'lowest' });
    expect(kept('asked')).toBe('a-lib[extra]>=1\nthird==2\n');
    expect(kept('args')).toMatch(/--no-build .*--python-version 3\.11\.99 -\n$/);
  });

  test('it is not asked for packages of conda, of a project, and of commands', async () => {
    const files = {
      'cerebrium.toml': `${settings}shell_commands = ["pip install second"]\n[cerebrium.dependencies.conda]\ncudatoolkit = "11.8"\n[cerebrium.dependencies.paths]\npip = "requirements.txt"\n`,
      'requirements.txt': '-e .\n',
      'pyproject.toml': '[project]\nname = "shop"\nversion = "1"\n[dependency-groups]\ndev = ["old-tool<1"]\n',
      'main.py': 'def run():\n    return 1\n',
    };
    expect((await askedOf(newFolder(files)))('asked')).toBeUndefined();
  });

  test.each([
    ['lines that are addresses', [], 'a-lib==2\nhttps://files.example/other-1.0-py3-none-any.whl\n', 'a-lib==2\n'],
    [
      'a plain image of Python',
      ['FROM python:3.12-slim', 'RUN pip install -r requirements.txt'],
      'a-lib==2\n',
      'a-lib==2\n',
    ],
    [
      'an image that may have more',
      ['FROM ghcr.io/acme/base:1', 'RUN pip install -r requirements.txt'],
      'a-lib==2\n',
      undefined,
    ],
    [
      'an image with an index of its own',
      [
        'FROM python:3.12-slim',
        'ENV PIP_INDEX_URL=https://index.example/simple',
        'RUN pip install -r requirements.txt',
      ],
      'a-lib==2\n',
      undefined,
    ],
    [
      'an image of several commands',
      ['FROM python:3.12-slim', 'RUN pip install -r requirements.txt', 'RUN pip install other'],
      'a-lib==2\n',
      undefined,
    ],
    ['an image of conda', ['FROM continuumio/miniconda3', 'RUN conda install -y a-lib=2'], '', undefined],
  ])('%s', async (_, image, requirements, asked) => {
    const custom = `${settings}[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "Dockerfile"\n`;
    const lines = [...image, 'COPY . .', 'CMD ["python", "main.py"]'];
    const files = {
      ...(image.length === 0
        ? { 'cerebrium.toml': listing }
        : { 'cerebrium.toml': custom, Dockerfile: lines.join('\n') }),
      'requirements.txt': requirements,
      'main.py': 'print(1)\n',
    };
    expect((await askedOf(newFolder(files)))('asked')).toBe(asked);
  });

  const missing = `${none}Because there is no version of a-lib==9 and you require a-lib==9, ${end}\n`;

  test("it is not asked with an index of one's own, or without --online", async () => {
    expect(await check('--extra-index-url https://index.example/simple\na-lib==9\n', missing)).toMatchObject({
      code: 0,
    });
    expect(await check('a-lib==9\n', missing, { UV_DEFAULT_INDEX: 'https://index.example/simple' })).toMatchObject({
      code: 0,
    });
    expect(await check('a-lib==9\n', missing, { UV_OFFLINE: '1' })).toMatchObject({ code: 0 });
    const { PATH } = uv(missing);
    expect(await gantry(['check'], { cwd: app('a-lib==9\n'), env: { PATH } })).toMatchObject({ code: 0 });
  });

  test('check says that it is not there', async () => {
    const { stderr } = await gantry(['check', '--online'], {
      emulator,
      cwd: app('a-lib==9\n'),
      env: { PATH: newFolder() },
    });
    expect(stderr).toContain('whether the packages fit together is not known: uv is not on the PATH');
  });

  test('deploy sends nothing to a platform that would install it, and asks nothing for an emulator', async () => {
    const { PATH } = uv(missing);
    const cwd = app('a-lib==9\n');
    const claims = { iss: 'platform', sub: emulator.project, project_id: emulator.project, iat: 0 };
    const env = { PATH, GANTRY_TOKEN: signToken(claims, emulator.store.key) };
    expect(await gantry(['deploy', '--yes'], { emulator, cwd, env })).toExit(10, 'the package index has no a-lib ==9');
    expect(emulator.store.builds.size).toBe(0);
    expect(await gantry(['deploy', '--yes'], { emulator, cwd, env: { PATH } })).toMatchObject({ code: 0 });
  });
});
