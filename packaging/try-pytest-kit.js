// npm run check:pytest: builds and installs pytest-gantry into a fresh environment, and runs its tests with the built program,
// in one process and in four. Without a package index it takes what is on the machine, or says what is missing.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const kit = resolve('packaging/pytest-gantry');
const folder = mkdtempSync(join(tmpdir(), 'gantry-pytest-'));
const python = join(folder, 'venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');

try {
  process.exitCode = tryKit();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function tryKit() {
  if (!run('python3', ['-m', 'venv', '--system-site-packages', join(folder, 'venv')]))
    return skip('python3 has no venv');
  // A copy: building leaves files behind.
  cpSync(kit, join(folder, 'kit'), { recursive: true });
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const offline = [...install, '--no-index', '--no-build-isolation'];
  const isInstalled = run(python, [...install, './kit']) || run(python, [...offline, './kit']);
  if (!isInstalled) return skip('no package index, and hatchling or pytest is not on this machine');
  const hasXdist = run(python, [...install, 'pytest-xdist']) || run(python, ['-c', 'import xdist']);
  if (!hasXdist) process.stdout.write('pytest-xdist cannot be installed: the tests run in one process only\n');
  cpSync(join(kit, 'tests'), join(folder, 'tests'), { recursive: true });
  const pytest = (/** @type {string[]} */ ...flags) =>
    run(python, ['-m', 'pytest', '--quiet', ...flags, 'tests'], 'inherit');
  const passes = pytest() && (!hasXdist || pytest('-n', '4'));
  return passes ? 0 : 1;
}

/** @param {string} why */
function skip(why) {
  process.stdout.write(`pytest-gantry is not tried: ${why}\n`);
  return 0;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {'ignore' | 'inherit'} stdio
 */
function run(program, args, stdio = 'ignore') {
  const env = { ...process.env, GANTRY_BIN: launcher(), PYTHONDONTWRITEBYTECODE: '1' };
  return spawnSync(program, args, { cwd: folder, env, stdio }).status === 0;
}

/** The built program, as `gantry` is on the PATH of others. */
function launcher() {
  const bin = resolve('bin/gantry.cjs');
  if (process.platform === 'win32') {
    const file = join(folder, 'gantry.cmd');
    writeFileSync(file, `@"${process.execPath}" "${bin}" %*\r\n`);
    return file;
  }
  const file = join(folder, 'gantry');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
