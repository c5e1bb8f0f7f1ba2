import { execFile } from 'node:child_process';
import { removeOrphanedContainers } from './orphaned-containers.ts';

/** The container engine of this machine: docker or podman, whichever answers first in this order; undefined without one. */
export function findContainerEngine(): Promise<string | undefined> {
  const path = process.env.PATH ?? '';
  const known = engines.get(path) ?? findFirst(['docker', 'podman']);
  engines.set(path, known);
  return known;
}

/** By PATH. */
const engines = new Map<string, Promise<string | undefined>>();

async function findFirst(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    if (!(await answers(name))) continue;
    await removeOrphanedContainers(name);
    return name;
  }
  return undefined;
}

/** `version` fails if the engine's service is not running. */
function answers(engine: string): Promise<boolean> {
  return new Promise((done) => {
    execFile(engine, ['version'], { timeout: 10_000 }, (error) => done(error === null));
  });
}
