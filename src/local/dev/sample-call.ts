import { sampleCallOf } from '../../app/sample-call.ts';
import type { AppVersion } from './develop.ts';

/**
 * A command that calls the app; empty if main.py has no function. A token goes through stdin: other users of this machine can read the arguments of a
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
  const call = await sampleCallOf(root);
  if (!call) return '';
  const { function: name, parameters } = call;
  const body = JSON.stringify(parameters);
  return [...curl, `${endpoint}/${name}`, "-H 'content-type: application/json'", `-d '${body}'`].join(' ');
}
