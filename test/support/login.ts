import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Emulator, startEmulator } from './emulators.ts';
import { newFolder } from './files.ts';
import { gantry, keys, type Outcome, type Setting } from './gantry.ts';

/** A person at a machine: an emulator, a clock that both go by, and a folder of settings. Nothing is logged in. */
export async function someone(projects: string[] = []) {
  const clock = { now: Date.UTC(2026, 10, 20, 9, 30) };
  const emulator = await startEmulator({ now: () => clock.now });
  emulator.store.projects.push(...projects);
  onTestFinished(() => emulator.close());
  const place = newFolder();
  const folder = join(place, 'config');
  const env = { GANTRY_CONFIG_DIR: folder, GANTRY_TOKEN: '', GANTRY_PROJECT: '' };
  const read = (name: string) => {
    const file = join(folder, name);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  };
  const run = (line: string, { env: more, ...setting }: Setting = {}): Promise<Outcome> =>
    gantry(line.split(' '), {
      emulator,
      clock,
      stdin: keys(),
      env: { ...env, TERM: 'dumb', ...more },
      ...(line.startsWith('login') && { columns: 500 }),
      ...setting,
    });
  return {
    clock,
    emulator,
    folder,
    env,
    place,
    /** Runs a command line here. */
    run,
    /** Logs in by the browser, at once. */
    logIn: (line = 'login', setting: Setting = {}) => run(line, { meanwhile: () => agree(emulator), ...setting }),
    /** What is stored of a profile's login. */
    tokens: (profile = 'default') => read('credentials.json')?.profiles?.[profile],
    settings: (profile = 'default') => read('config.json')?.profiles?.[profile],
    /** Names and rights of all that is in the folder of settings, and its own. */
    rights: () =>
      Object.fromEntries(
        ['.', ...readdirSync(folder)].map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
      ),
  };
}

/** What the person does in the browser. */
export function agree({ store }: Emulator, state: 'approved' | 'denied' = 'approved'): void {
  for (const device of store.devices.values()) device.state = state;
}

/** No token in what was said. */
export function secretsIn({ stdout, stderr }: Pick<Outcome, 'stdout' | 'stderr'>): string[] {
  return [...`${stdout}${stderr}`.matchAll(/eyJ[\w-]+\.[\w.-]+|refresh-[\w-]{20,}/g)].map(([found]) => found);
}
