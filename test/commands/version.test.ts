import { expect, test } from 'vitest';
import { version } from '../../src/kernel/version.ts';
import { readInstallation } from '../../src/local/version/index.ts';
import { gantry, newFolder } from '../support/index.ts';

test('--version as JSON tells how gantry was installed, and how to update it', async () => {
  const { json } = await gantry(['--version', '--json']);
  expect(json()).toEqual({
    version,
    installedWith: 'source',
    path: expect.any(String),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    update: 'git pull && npm install',
  });
  expect((await gantry(['version', '--json'])).json()).toEqual(json());
  expect((await gantry(['version'])).stdout).toBe(`${version}\n`);
});

/** Real paths of what a tool has installed; `+` is an executable. */
test.each([
  ['package', '/usr/local/lib/node_modules/gantry'],
  ['package', '/home/ada/.nvm/versions/node/v22.1.0/lib/node_modules/gantry'],
  ['package', 'C:\\Users\\ada\\AppData\\Roaming\\npm\\node_modules\\gantry'],
  ['package', '/home/ada/.npm/_npx/1a2b3c/node_modules/gantry'],
  ['package', '/home/ada/shop/.yarn/unplugged/gantry-npm-0.1.0-1a2b/node_modules/gantry'],
  ['package', '/usr/lib/python3.12/site-packages/gantry_cli/program'],
  ['package', '/home/ada/.local/share/pipx/venvs/gantry-cli/bin/gantry+'],
  ['package', '/home/ada/.local/share/uv/tools/gantry-cli/bin/gantry+'],
  ['package', 'C:\\Users\\ada\\AppData\\Roaming\\uv\\tools\\gantry-cli\\Scripts\\gantry.exe+'],
  ['package', '/home/ada/.cache/uv/archive-v0/1a2B3c/bin/gantry+'],
  ['homebrew', '/opt/homebrew/Cellar/gantry/0.1.0/bin/gantry+'],
  ['executable', '/opt/gantry+'],
  ['source', '/home/ada/src/gantry'],
])('an installation with %s is told by the path %s', (installedWith, path) => {
  expect(readInstallation(path.replace('+', ''), path.endsWith('+'))).toMatchObject({ installedWith, version });
});

test.each([
  ['package', 'bin/gantry', 'pyvenv.cfg'],
  ['package', 'bin/gantry', 'lib/python3.12/site-packages/gantry_cli-0.1.0.dist-info/RECORD'],
  ['package', 'bin/gantry', 'lib/python3/dist-packages/gantry_cli-0.1.0.dist-info/RECORD'],
  ['package', 'Scripts/gantry.exe', 'Lib/site-packages/gantry_cli-0.1.0.dist-info/RECORD'],
  ['image', 'local/bin/gantry', 'share/doc/gantry/THIRD-PARTY-NOTICES.txt'],
  ['executable', 'bin/gantry', 'lib/python3.12/site-packages/other-0.1.0.dist-info/RECORD'],
])('an installation with %s is told by what lies beside %s: %s', async (installedWith, path, beside) => {
  const files = [path, ...beside.split(' ')].map((name) => [name, '']);
  const place = newFolder(Object.fromEntries(files));
  expect(readInstallation(`${place}/${path}`, true)).toMatchObject({ installedWith, version });
});
