import { join } from 'node:path';
import { readRegular } from '../../disk/index.ts';
import { requiredParameters } from '../../project/function-parameters.ts';
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
  const source = await readRegular(join(root, 'main.py')).catch(() => Buffer.from(''));
  const functions = analyzeProgram(source).functions.filter((name) => !name.startsWith('_'));
  const name = functions.includes('run') ? 'run' : (functions[0] ?? 'run');
  const body = sampleBody(source, name);
  return [...curl, `${endpoint}/${name}`, "-H 'content-type: application/json'", `-d '${body}'`].join(' ');
}

/** A value for each parameter without a default, as JSON. The platform itself gives the run id. */
function sampleBody(source: Buffer, name: string): string {
  const given = requiredParameters(source, name).filter((parameter) => parameter.name !== 'run_id');
  return JSON.stringify(Object.fromEntries(given.map((parameter) => [parameter.name, sampleOf(parameter.type)])));
}

function sampleOf(type: string): unknown {
  if (Object.hasOwn(samples, type)) return samples[type];
  // Classes are usually models with fields.
  return /^[A-Z]/.test(type) && !/^(Any|Optional|Union|Literal|Annotated)$/.test(type) ? {} : 'text';
}

const samples: Record<string, unknown> = {
  ...{ int: 1, float: 1.5, bool: true, list: [], tuple: [], set: [], dict: {} },
  ...{ List: [], Tuple: [], Set: [], Sequence: [], Iterable: [], Dict: {}, Mapping: {} },
};
