import { join } from 'node:path';
import { readRegular } from '../../disk/index.ts';
import { mainProgram } from '../../project/main-guard.ts';
import type { Version } from './develop.ts';

/** A command that calls the app, ready to be pasted. */
export async function sampleCall({ local: { project }, endpoint }: Version, token: string): Promise<string> {
  const { deployment, custom, runtime, root } = project;
  const allowed = deployment.disable_auth === false ? [`-H 'authorization: Bearer ${token}'`] : [];
  if (runtime !== 'cortex') {
    return ['curl', ...allowed, `${endpoint}${custom?.healthcheck_endpoint ?? '/'}`].join(' ');
  }
  const called = usual(await functionsOf(root));
  return ['curl', `${endpoint}/${called}`, ...allowed, "-H 'content-type: application/json'", "-d '{}'"].join(' ');
}

async function functionsOf(root: string): Promise<string[]> {
  const source = await readRegular(join(root, 'main.py')).catch(() => Buffer.from(''));
  return mainProgram(source).functions.filter((name) => !name.startsWith('_'));
}

/** `run` is what a call without a name is for. */
function usual(functions: string[]): string {
  return functions.includes('run') ? 'run' : (functions[0] ?? 'run');
}
