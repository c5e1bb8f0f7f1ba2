import { setTimeout } from 'node:timers/promises';
import { beforeAll, onTestFinished } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/emulator/index.ts';
import type { BuildRecord } from '../../../src/emulator/model/state/records.ts';
import { zip } from './zip.ts';

export { newFolder } from '../../support/files.ts';

/**
 * An emulator that is closed after the test, with a clock that only the test moves. It starts no app unless `real` is
 * set: most tests are about something else, and a build that starts an app takes a tenth of a second.
 */
export async function platform(options: EmulatorOptions = {}, closing: Closing = onTestFinished) {
  const clock = { now: Date.UTC(2026, 10, 20, 9, 30) };
  const emulator = await startEmulator({ now: () => clock.now, real: false, ...options });
  closing(() => emulator.close());
  return { emulator, clock, ...speaking(emulator) };
}

/** Says what is done at the end. */
export type Closing = (close: () => Promise<void>) => void;

/** What is made once for all tests of a block: they leave nothing behind that the next one could take for its own. */
export function onceForAll<Made>(make: (closing: Closing) => Promise<Made>): () => Made {
  let made: Made;
  beforeAll(async () => {
    let end = async () => {};
    made = await make((close) => {
      end = close;
    });
    return () => end();
  });
  return () => made;
}

/** HTTP requests with the emulator's token, on paths below its project. */
export function speaking({ url, token, project, store }: Emulator) {
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/v2/projects/${project}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: readJson(text) };
  };
  const put = (link: string, body: Uint8Array, headers: Record<string, string> = {}) =>
    fetch(link, { method: 'PUT', body, headers });

  return {
    ask,
    put,
    /** Creates an app, uploads its files, and waits until it has started or failed. */
    async deploy(settings: object = {}, files: Record<string, string | Buffer> = { 'main.py': 'print(1)\n' }) {
      const { json: created } = await ask('POST', '/apps', { name: 'web', ...settings });
      await put(created.uploadUrl, zip(files));
      while (isPerformed(store.builds.get(created.buildId))) await setTimeout(5);
      const path = `/apps/${project}-${created.keyName.split('/')[2]}`;
      return { path, build: `${path}/builds/${created.buildId}`, id: created.buildId as string };
    },
    async logOf(build: string): Promise<string[]> {
      return (await ask('GET', `${build}/logs`)).json.logs.map((line: { log: string }) => line.log);
    },
  };
}

/** Whether the emulator is installing or starting something for a build. */
function isPerformed(build: BuildRecord | undefined): boolean {
  const { scenes = [], end } = build?.script ?? {};
  return !end && scenes.some(({ work }) => work);
}

export function readJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
