import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatRequirements } from '../../src/emulator/processes/python.ts';
import { temporaryFolder } from './support/platform.ts';
import { python, running } from './support/running.ts';
import { zip } from './support/zip.ts';

/** A package that is not on an index. */
function wheel(): string {
  const path = join(temporaryFolder(), 'gantry_greeting-1.0-py3-none-any.whl');
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

describe.skipIf(!python)("an app's requirements (needs python3 and pip)", () => {
  test('are not installed by default, and the error says so', async () => {
    const { deploy, call } = await running();
    await deploy({ name: 'functions' }, { 'main.py': main, 'requirements.txt': 'gantry-greeting\n' });
    const { status, json } = await call('run');
    expect([status, json.message]).toEqual([503, expect.stringContaining('pass --install to install dependencies')]);
  });

  test('are installed during the build, for this app only', async () => {
    const { deploy, call, ask, logOf } = await running('functions', {}, { install: true });
    const { build } = await deploy({ name: 'functions' }, { 'main.py': main, 'requirements.txt': `${wheel()}\n` });
    expect((await ask('GET', build)).json.status).toBe('building');
    await expect.poll(async () => (await ask('GET', build)).json.status).toBe('success');
    expect((await logOf(build)).join('\n')).toMatch(
      /PIP_INSTALL_STARTED\n[\s\S]*Successfully installed gantry-greeting-1.0/,
    );
    expect((await call('run')).json.result).toBe('hello from a package');
  });

  test("that cannot be installed fail the build with pip's message", async () => {
    const { deploy, ask } = await running('functions', {}, { install: true });
    const { build } = await deploy(
      { name: 'functions' },
      { 'main.py': main, 'requirements.txt': '/nowhere/at-1.0-py3-none-any.whl\n' },
    );
    const look = async () => (await ask('GET', build)).json;
    await expect.poll(async () => (await look()).status).toBe('build_failure');
    expect((await look()).initError).toMatch(/nowhere/);
  });
});

test('formats versions for pip', () => {
  expect(formatRequirements({ b: 'latest', a: '1.2', c: '>=2,<3', d: '~=1', e: '' })).toBe(
    'a==1.2\nb\nc>=2,<3\nd~=1\ne\n',
  );
});
