import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { newFolder } from './files.ts';
import { gantry, keys, type Setting } from './gantry.ts';
import { machine } from './machine.ts';

/** Runs `gantry dev` in a folder until `work` returns. */
export async function developing(
  files: Record<string, string>,
  words: string[],
  work: (session: Session) => Promise<void>,
  setting: Setting = {},
) {
  const app = newFolder(files);
  const home = newFolder();
  const stop = new AbortController();
  const heard = { stdout: '', stderr: '' };
  const env = { GANTRY_CONFIG_DIR: home };
  const session: Session = {
    path: app,
    env,
    press: () => {},
    write(name, text) {
      mkdirSync(dirname(join(app, name)), { recursive: true });
      writeFileSync(join(app, name), text);
    },
    async until(pattern, seconds = 30) {
      for (const end = performance.now() + 1_000 * seconds; performance.now() < end; await setTimeout(20)) {
        const [, found] = pattern.exec(heard.stdout + heard.stderr) ?? [];
        if (found !== undefined) return found;
      }
      throw new Error(`${pattern} was never said, but ${heard.stdout}${heard.stderr}`);
    },
    async call(body = {}, below = 'run') {
      const url = `${await session.until(/(http:\/\/127\.0\.0\.1:\d+\/v4\/p-\d+\/\w+)/)}/${below}`;
      return fetch(url, { method: 'POST', body: JSON.stringify(body), headers: await session.headers() });
    },
    async result(body) {
      return (await session.call(body)).json();
    },
    async headers() {
      // Other systems than Linux do not tell who calls.
      if (process.platform === 'linux') return {};
      const { stdout } = await gantry(['emulator', 'env', '--json'], { env });
      return { authorization: `Bearer ${JSON.parse(stdout).environment.GANTRY_TOKEN}` };
    },
  };
  const running = gantry(['dev', '--port', '0', ...words], {
    cwd: app,
    stop: stop.signal,
    stdin: keys((type) => Object.assign(session, { press: type })),
    // The clock of the command leaps; Python does not.
    columns: 200,
    meanwhile: () => setTimeout(20),
    ...setting,
    env: { ...machine(), NO_COLOR: '1', ...env, ...setting.env },
    seen(stdout, stderr) {
      Object.assign(heard, { stdout, stderr });
      setting.seen?.(stdout, stderr);
    },
  });
  await Promise.race([work(session), running]).finally(() => stop.abort());
  const ended = await running;
  expect(announced(home)).toEqual([]);
  return ended;
}

/** What `gantry emulator list` would find. */
function announced(home: string): string[] {
  const folder = join(home, 'state', 'emulators');
  return existsSync(folder) ? readdirSync(folder) : [];
}

export interface Session {
  path: string;
  env: Record<string, string>;
  press(keys: string): void;
  write(name: string, text: string): void;
  /** Waits until stdout or stderr match, for half a minute by default, and returns the first group. */
  until(pattern: RegExp, seconds?: number): Promise<string>;
  call(body?: object, below?: string): Promise<Response>;
  result(body?: object): Promise<unknown>;
  headers(): Promise<Record<string, string>>;
}
