import { join } from 'node:path';
import { readRegular } from '../../disk/index.ts';
import { analyzeProgram } from '../../project/main-guard.ts';
import type { AppVersion } from './develop.ts';

/**
 * A command that calls the app. A token goes through stdin: other users of this machine can read the arguments of a
 * process, but not those of `printf`, which is a shell builtin.
 */
export async function sampleCall({ local: { project }, endpoint }: AppVersion, token?: string): Promise<string> {
  const { deployment, custom, runtime, root } = project;
  const curl =
    deployment.disable_auth === false && token !== undefined
      ? [`printf 'authorization: Bearer ${token}' | curl`, '-H @-']
      : ['curl'];
  if (runtime !== 'cortex') {
    return [...curl, `${endpoint}${custom?.healthcheck_endpoint ?? '/'}`].join(' ');
  }
  const functions = await readFunctions(root);
  const name = functions.includes('run') ? 'run' : (functions[0] ?? 'run');
  return [...curl, `${endpoint}/${name}`, "-H 'content-type: application/json'", "-d '{}'"].join(' ');
}

async function readFunctions(root: string): Promise<string[]> {
  const source = await readRegular(join(root, 'main.py')).catch(() => Buffer.from(''));
  return analyzeProgram(source).functions.filter((name) => !name.startsWith('_'));
}
