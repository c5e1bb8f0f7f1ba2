import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Python 3 and busybox, made by `.ci/engine` of packages of the distribution. */
export const baseImage = 'localhost/gantry-test-base';

/** Why there are no tests on a container engine; undefined if there are. For their names. */
export const noEngine: string | undefined = process.env.GANTRY_TEST_NO_ENGINE;

/** Puts the engine on the PATH until the test ends. */
export function useEngine(): void {
  const { PATH } = process.env;
  process.env.PATH = [process.env.GANTRY_TEST_ENGINE, PATH].join(delimiter);
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
}

export function podman(...args: string[]): string {
  const program = join(process.env.GANTRY_TEST_ENGINE ?? '', 'podman');
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** The containers and images of the emulators of a process, by default of this one: others may run at the same time. */
export function leftOf(owner?: string): string[] {
  return [...ownedOf(owner, 'ps', '-a'), ...ownedOf(owner, 'images', '-a')];
}

/** What a list of the engine has of the emulators of a process. */
export function ownedOf(owner = String(process.pid), ...list: string[]): string[] {
  return listed(...list, '--format', '{{.ID}} {{.Labels}}').filter((line) =>
    line.includes(`gantry-emulator:${owner}-`),
  );
}

/** A list fails while another test removes one of its images. */
function listed(...list: string[]): string[] {
  for (let triesLeft = 20; ; triesLeft--) {
    try {
      return podman(...list).split('\n');
    } catch (error) {
      if (triesLeft === 0) throw error;
    }
  }
}
