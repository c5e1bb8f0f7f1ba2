import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Puts a Python without packages first on the PATH of all tests: what is installed on this machine must not leak into an
 * app, and a version manager's scripts and start-up hooks cost several times what Python itself takes to start. Does
 * nothing where there is no Python: tests that need it are skipped.
 */
export default function ownPython(): (() => void) | undefined {
  if (process.platform === 'win32') return undefined;
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('python3', ['-m', 'venv', '--without-pip', folder], { stdio: 'ignore' });
  } catch {
    remove();
    return undefined;
  }
  process.env.PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  return remove;
}

const prefix = 'tests-python-';

/** The PATH of this machine, for tests that need its pip. */
export function machinePath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes(prefix)).join(delimiter);
}
