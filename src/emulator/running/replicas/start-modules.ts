import { copyFileSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pythonFile } from '../processes/python-files.ts';
import type { ReplicaOptions } from './replica.ts';

/** What `sitecustomize.py` loads if it is beside it: before the app's own code, in each of its Python processes. */
type StartModule = 'loopback' | 'breakpoints' | 'debugger';

/** A PYTHONPATH with modules of the emulator that Python loads at its start. */
export function startModules(
  folder: string,
  { PYTHONPATH: path }: ReplicaOptions['environment'],
  modules: readonly StartModule[],
): string {
  const own = `${folder}.python`;
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of ['sitecustomize', ...modules] as const) {
    copyFileSync(pythonFile(`emulator/running/replicas/${name}.py`), join(own, `${name}.py`));
  }
  return path ? [own, path].join(delimiter) : own;
}
