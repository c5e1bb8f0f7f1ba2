import { execFileSync, spawnSync } from 'node:child_process';
import { basename, delimiter, dirname } from 'node:path';
import { onTestFinished } from 'vitest';

/** Python 3 and busybox, made by `.ci/engine` of packages of the distribution. */
export const baseImage = 'localhost/gantry-test-base';

/** Why there are no tests on a container engine; undefined if there are. For their names. */
export const noEngine: string | undefined = process.env.GANTRY_TEST_NO_ENGINE;

/** The program of the engine that the tests use. */
const program = process.env.GANTRY_TEST_ENGINE ?? '';
export const engineName = basename(program);

/** Puts the engine on the PATH until the test ends. */
export function useEngine(): void {
  const { PATH } = process.env;
  process.env.PATH = [dirname(program), PATH].join(delimiter);
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
}

export function engine(...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** The containers and images of the emulators of a process, by default of this one: others may run at the same time. */
export function leftOf(owner?: string): string[] {
  return [...ownedOf(owner, 'ps', '-a'), ...ownedOf(owner, 'images', '-a')];
}

/** The ids in a list of the engine that belong to the emulators of a process. What is gone by now has no line. */
export function ownedOf(owner = String(process.pid), ...list: string[]): string[] {
  const ids = listed(...list, '--filter', `label=${label}`, '--format', '{{.ID}}').filter((id) => id !== '');
  if (ids.length === 0) return [];
  const format = `{{.Id}} {{index .Config.Labels "${label}"}}`;
  const { stdout } = spawnSync(program, ['inspect', '--format', format, ...new Set(ids)], { encoding: 'utf8' });
  const lines = stdout.split('\n').map((line) => line.split(' '));
  return lines.flatMap(([id = '', label = '']) => (label.startsWith(`${owner}-`) ? [id] : []));
}

const label = 'gantry-emulator';

/** A list fails while another test removes one of its images. */
function listed(...list: string[]): string[] {
  for (let triesLeft = 20; ; triesLeft--) {
    try {
      return engine(...list).split('\n');
    } catch (error) {
      if (triesLeft === 0) throw error;
    }
  }
}
