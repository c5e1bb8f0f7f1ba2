import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { TemporaryFolder } from '../../../kernel/disk/index.ts';
import { ownFilePath, readOwnFile } from '../../../own-files.ts';

/** Python programs of the emulator, by their path in src, with the modules that they import. */
const programs = {
  'emulator/running/replicas/cortex/cortex.py': [
    'emulator/running/replicas/cortex/cortex_call.py',
    'emulator/running/replicas/cortex/cortex_errors.py',
    'emulator/running/replicas/cortex/cortex_output.py',
    'emulator/running/replicas/breakpoints.py',
  ],
  'emulator/running/replicas/sitecustomize.py': [],
  'emulator/running/replicas/loopback.py': [],
  'emulator/running/replicas/breakpoints.py': [],
  'emulator/running/replicas/debugger.py': [],
  'emulator/running/replicas/persistent_storage.py': [],
  'emulator/running/one-off-runs/once.py': [],
} as const satisfies Record<string, readonly string[]>;

/** The path of a Python program. A single executable first writes it to a private folder, which is deleted on exit. */
export function pythonFile(program: keyof typeof programs): string {
  const path = ownFilePath(program);
  if (path !== undefined) return path;
  folder ??= TemporaryFolder.create('python').path;
  for (const file of [program, ...programs[program]]) writeOnce(join(folder, file), file);
  return join(folder, program);
}

let folder: string | undefined;

function writeOnce(target: string, file: string): void {
  if (written.has(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, readOwnFile(file));
  written.add(target);
}

const written = new Set<string>();

/** What `sitecustomize.py` loads if it is beside it: before the app's own code, in each of its Python processes. */
type StartModule = 'loopback' | 'breakpoints' | 'debugger' | 'persistent_storage';

/** A PYTHONPATH with modules of the emulator that Python loads at its start. */
export function startModules(
  folder: string,
  { PYTHONPATH: path }: NodeJS.ProcessEnv,
  modules: readonly StartModule[],
): string {
  const packagesFolder = `${folder}.python`;
  mkdirSync(packagesFolder, { recursive: true, mode: 0o700 });
  for (const name of ['sitecustomize', ...modules] as const) {
    copyFileSync(pythonFile(`emulator/running/replicas/${name}.py`), join(packagesFolder, `${name}.py`));
  }
  return path ? [packagesFolder, path].join(delimiter) : packagesFolder;
}
