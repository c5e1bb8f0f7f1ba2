import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { requirementsOf, withDefaults } from '../../src/emulator/model/apps/settings.ts';
import { formatRequirements } from '../../src/emulator/running/processes/python.ts';
import { pathWithPip } from '../support/machine.ts';
import { newFolder } from './support/platform.ts';
import { python, running } from './support/running.ts';
import { zip } from './support/zip.ts';

/** A package that is not on an index. */
function wheel(): string {
  const path = join(newFolder(), 'gantry_greeting-1.0-py3-none-any.whl');
  const info = 'gantry_greeting-1.0.dist-info';
  const files = {
    'gantry_greeting.py': 'text = "hello from a package"\n',
    [`${info}/METADATA`]: 'Metadata-Version: 2.1\nName: gantry-greeting\nVersion: 1.0\n',
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: `gantry_greeting.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  };
  writeFileSync(path, zip(files));
  return path;
}

const main = 'import gantry_greeting\ndef run():\n    return gantry_greeting.text\n';

beforeEach(() => void vi.stubEnv('PATH', pathWithPip()));
afterEach(() => void vi.unstubAllEnvs());

describe.skipIf(!python)("an app's requirements (needs python3 and pip)", () => {
  test('are not installed by default, and the failed build says which flag installs them', async () => {
    const files = { 'main.py': main, 'requirements.txt': 'gantry-greeting\n' };
    const { ask, build } = await running('functions', {}, { files });
    expect((await ask('GET', build)).json).toMatchObject({
      status: 'init_failure',
      initError: expect.stringMatching(/No module named 'gantry_greeting'\nhint: .*\(gantry deploy --install\)/),
    });
  });

  test('are installed during the build, and kept for later emulators', async () => {
    const packages = newFolder();
    const files = { 'main.py': main, 'requirements.txt': `${wheel()}\n` };
    const first = await running('functions', {}, { files, install: true, packages });
    expect((await first.ask('GET', first.build)).json.status).toBe('success');
    expect((await first.logOf(first.build)).join('\n')).toMatch(
      /PIP_INSTALL_STARTED\n[\s\S]*Successfully installed gantry-greeting-1.0[\s\S]*Received[\s\S]*App is ready$/,
    );
    expect((await first.call('run')).json.result).toBe('hello from a package');

    const second = await running('functions', {}, { files, install: true, packages });
    const log = (await second.logOf(second.build)).join('\n');
    expect(log).toContain('The packages are installed already');
    expect(log).not.toMatch(/PIP_INSTALL|Successfully/);
    expect((await second.call('run')).json.result).toBe('hello from a package');
    expect(statSync(join(packages, String(readdirSync(packages)[0]))).mode & 0o077).toBe(0);

    // One that installs nothing uses what is there, also for a build that an earlier emulator has made.
    const third = await running('functions', {}, { packages });
    const plain = await third.deploy({ name: 'functions' }, files);
    expect((await third.logOf(plain.build)).join('\n')).toMatch(/^The packages are installed already$/m);
    expect((await third.call('run')).json.result).toBe('hello from a package');
  });

  test("reach pip byte for byte: it refuses what is not UTF-8, and the build fails with pip's message", async () => {
    const listed = Buffer.from('# caf\xe9\nflask>=3\n', 'latin1');
    const files = { 'main.py': main, 'requirements.txt': listed };
    const { ask, build } = await running('functions', {}, { files, install: true });
    expect((await ask('GET', build)).json.status).toBe('build_failure');
    expect((await ask('GET', build)).json.initError).toMatch(/UnicodeDecodeError|utf-8/i);
  });

  test('are installed with uv if it is on the PATH', async () => {
    const folder = newFolder();
    const [tool, arguments_] = [join(folder, 'uv'), join(folder, 'arguments')];
    writeFileSync(tool, `#!/bin/sh\necho "$@" >> ${arguments_}\necho "Installed 1 package in 2ms" >&2\n`, {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const files = { 'main.py': 'def run(): pass\n', 'requirements.txt': 'anything\n' };
    const { logOf, ask, build } = await running('functions', {}, { files, install: true });
    expect((await ask('GET', build)).json.status).toBe('success');
    expect((await logOf(build)).join('\n')).toContain('UV_PIP_INSTALL_STARTED\nInstalled 1 package in 2ms\n');
    expect(readFileSync(arguments_, 'utf8')).toMatch(
      /pip install .*--python \S+\/bin\/python -r \S+requirements\.txt\n/,
    );
  });
});

test.each([
  ['uvicorn is added for an entrypoint that starts it', ['uvicorn', 'main:app'], 'fastapi', 'fastapi\nuvicorn\n'],
  ['also in a shell', ['sh', '-c', 'exec uvicorn main:app'], '', 'uvicorn\n'],
  ['but not if it is listed', ['uvicorn main:app'], 'Uvicorn[standard]==0.30\n', 'Uvicorn[standard]==0.30\n'],
  ['nor for other servers', ['gunicorn', 'main:app'], 'gunicorn\n', 'gunicorn\n'],
])('%s', (_, entrypoint, listed, expected) => {
  const settings = withDefaults({ name: 'web', runtime: 'custom', entrypoint });
  expect(String(requirementsOf(settings, Buffer.from(listed)))).toBe(expected);
});

test('formats versions for pip', () => {
  expect(formatRequirements({ b: 'latest', a: '1.2', c: '>=2,<3', d: '~=1', e: '' })).toBe(
    'a==1.2\nb\nc>=2,<3\nd~=1\ne\n',
  );
});
