import { execFile } from 'node:child_process';
import { isAlive, newOwnerName, parseOwnerName } from '../../../disk/index.ts';

const labelName = 'gantry-emulator';

/** The label of the containers of this process. */
export function containerLabel(): string {
  return `${labelName}=${newOwnerName()}`;
}

/** Removes the containers of emulators of this machine that were killed. Errors are ignored: they only take space. */
export async function removeOrphanedContainers(engine: string): Promise<void> {
  const found = await outputOf(engine, ['ps', '--all', '--quiet', '--filter', `label=${labelName}`]);
  const containers = found.split('\n').filter((id) => id.trim() !== '');
  if (containers.length === 0) return;
  // The templates of `ps` differ between docker and podman.
  const format = `{{.Id}} {{index .Config.Labels "${labelName}"}}`;
  const listed = await outputOf(engine, ['inspect', '--type', 'container', '--format', format, ...containers]);
  const orphans = listed.split('\n').flatMap((line) => {
    const [id = '', owner = ''] = line.trim().split(' ');
    const parsed = parseOwnerName(owner);
    return id && parsed && isAlive(parsed) === false ? [id] : [];
  });
  if (orphans.length === 0) return;
  for (const args of removalOf(orphans)) await outputOf(engine, args);
}

/** Before it removes a container by force, podman would wait ten seconds for it to end. */
export function removalOf(containers: readonly string[]): string[][] {
  return [
    ['kill', ...containers],
    ['rm', '--force', ...containers],
  ];
}

function outputOf(engine: string, args: string[]): Promise<string> {
  return new Promise((done) => {
    execFile(engine, args, { timeout: 10_000 }, (error, stdout) => done(error ? '' : stdout));
  });
}
