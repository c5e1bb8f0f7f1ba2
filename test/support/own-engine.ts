import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { baseImage } from './engine.ts';

/**
 * A `podman` (or the docker that `GANTRY_TEST_DOCKER` names, for a run by hand) for tests in a folder that is on no PATH: the one of this machine, with the settings that `.ci/engine` made,
 * and the home and PATH of the user. Without it, or without its base image, the reason why tests skip it.
 */
export function ownEngine(folder: string, program: string | undefined): Record<string, string> {
  if (program === undefined) return { GANTRY_TEST_NO_ENGINE: 'no podman' };
  const { PATH = '', XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
  const settings = process.env.CONTAINERS_CONF ?? join(XDG_CACHE_HOME, 'gantry-ci/containers.conf');
  const own = { PATH, HOME: homedir(), ...(existsSync(settings) && { CONTAINERS_CONF: settings }) };
  const words = Object.entries(own).map(([name, value]) => `${name}='${value}'`);
  const launcher = join(folder, basename(program));
  mkdirSync(folder);
  writeFileSync(launcher, `#!/bin/sh\n${words.join(' ')} exec '${program}' "$@"\n`, { mode: 0o755 });
  try {
    execFileSync(launcher, ['image', 'inspect', baseImage], { stdio: 'ignore' });
    return { GANTRY_TEST_ENGINE: launcher };
  } catch {
    return { GANTRY_TEST_NO_ENGINE: 'it has no base image, .ci/engine makes it' };
  }
}
