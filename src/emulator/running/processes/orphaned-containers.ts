import { execFile } from 'node:child_process';
import { isAlive, newOwnerName, parseOwnerName } from '../../../disk/index.ts';

const labelName = 'gantry-emulator';

/** The label of the containers of this process. */
export function containerLabel(): string {
  return `${labelName}=${newOwnerName()}`;
}

/** Removes the containers of emulators of this machine that were killed. Errors are ignored: they only take space. */
export async function removeOrphanedContainers(engine: string): Promise<void> {
  const format = `{{.ID}} {{.Label "${labelName}"}}`;
  const listed = await outputOf(engine, ['ps', '--all', '--filter', `label=${labelName}`, '--format', format]);
  const orphans = listed.split('\n').flatMap((line) => {
    const [id = '', owner = ''] = line.trim().split(' ');
    const parsed = parseOwnerName(owner);
    return id && parsed && isAlive(parsed) === false ? [id] : [];
  });
  if (orphans.length > 0) await outputOf(engine, ['rm', '--force', ...orphans]);
}

function outputOf(engine: string, args: string[]): Promise<string> {
  return new Promise((done) => {
    execFile(engine, args, { timeout: 10_000 }, (error, stdout) => done(error ? '' : stdout));
  });
}
