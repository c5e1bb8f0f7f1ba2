import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { baseImage } from './engine.ts';

/**
 * A `podman` for tests in a folder that is on no PATH: the one of this machine, with the settings that `.ci/engine` made,
 * and the home and PATH of the user. Without it, or without its base image, the reason why tests skip it.
 */
export function ownEngine(folder: string, podman: string | undefined): Record<string, string> {
  if (podman === undefined) return { GANTRY_TEST_NO_ENGINE: 'no podman' };
  const { PATH = '', XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
  const settings = process.env.CONTAINERS_CONF ?? join(XDG_CACHE_HOME, 'gantry-ci/containers.conf');
  const own = { PATH, HOME: homedir(), ...(existsSync(settings) && { CONTAINERS_CONF: settings }) };
  const words = Object.entries(own).map(([name, value]) => `${name}='${value}'`);
  const launcher = join(folder, 'podman');
  mkdirSync(folder);
  writeFileSync(launcher, `#!/bin/sh\n${words.join(' ')} exec '${podman}' "$@"\n`, { mode: 0o755 });
  try {
    execFileSync(launcher, ['image', 'exists', baseImage], { stdio: 'ignore' });
    return { GANTRY_TEST_ENGINE: folder };
  } catch {
    return { GANTRY_TEST_NO_ENGINE: 'no base image in podman, .ci/engine makes it' };
  }
}
