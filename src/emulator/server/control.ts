import type { IncomingMessage } from 'node:http';
import { isAbsolute } from 'node:path';
import { turn } from '../../kernel/clock.ts';
import { systemCode } from '../../kernel/errors.ts';
import { approvalSecret } from '../endpoints/account/activation.ts';
import { captureAddress } from '../endpoints/invocation/webhooks.ts';
import type { Platform } from '../endpoints/platform.ts';
import { equalsInConstantTime } from '../http/constant-time.ts';
import { readJson } from '../http/read-request.ts';
import { jsonReply, refuse, type ServerReply } from '../http/reply.ts';
import { parseFaultOption } from '../model/faults.ts';
import { DamagedDataError } from '../model/state/damaged.ts';
import { formatTime } from '../model/time.ts';
import { readCall } from './read-call.ts';
import { restoreState, saveState } from './snapshots.ts';

/** Not a path of the platform: commands of `gantry emulator` and the kits for tests request what is below. */
export const controlPath = '/emulator/';

/**
 * Does what the owner asks for if the body has the owner's secret: `{"secret": "…"}`. Signals cannot end a process
 * gracefully on Windows, and tests in other processes cannot call the emulator itself.
 */
export async function handleControl(request: IncomingMessage, url: URL, platform: Platform): Promise<ServerReply> {
  const name = url.pathname.slice(controlPath.length);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) refuse(404, `route not found: ${request.method} ${url.pathname}`);
  if (request.method !== 'POST') refuse(405, `method ${request.method} not allowed: use POST`);
  const { secret, ...body } = Object(await readJson(request)) as Record<string, unknown>;
  if (!equalsInConstantTime(String(secret), approvalSecret(platform.store))) refuse(403, 'wrong secret');
  try {
    return await action(body, platform);
  } catch (error) {
    if (error instanceof RangeError) refuse(400, error.message);
    if (error instanceof DamagedDataError) refuse(409, error.message);
    if (systemCode(error) === 'EEXIST') refuse(409, (error as Error).message);
    throw error;
  }
}

type Action = (body: Record<string, unknown>, platform: Platform) => ServerReply | Promise<ServerReply>;

const actions: Record<string, Action> = {
  stop(_, { requestStop }) {
    // After the reply is sent.
    void turn().then(requestStop);
    return jsonReply({ message: 'stopping' }, 202);
  },

  /** `faults`, each as `--fault` takes it. They are added to those that wait, or replace them. */
  fail({ faults, replace }, platform) {
    const parsed = textsOf(faults, 'faults').map(parseFaultOption);
    if (replace === true) platform.faults.clear();
    for (const { target, faults } of parsed) platform.faults.add(target, ...faults);
    return jsonReply({ faults: parsed.length });
  },

  advance({ ms }, { clock }) {
    if (typeof ms !== 'number') refuse(400, 'ms must be a number');
    clock.advance(ms);
    return jsonReply({ now: formatTime(clock.now()) });
  },

  async save({ folder }, platform) {
    await saveState(pathOf(folder), platform);
    return jsonReply({ apps: appNames(platform) });
  },

  async restore({ folder }, platform) {
    await restoreState(pathOf(folder), platform);
    return jsonReply({ apps: appNames(platform) });
  },

  /** `run`, or `latest`. */
  call({ run }, platform) {
    return readCall(String(run), platform);
  },

  webhooks(_, { url, captured }) {
    return jsonReply({ url: captureAddress(url), deliveries: captured });
  },
};

function textsOf(value: unknown, name: string): string[] {
  return Array.isArray(value) ? value.map(String) : refuse(400, `${name} must be a list of texts`);
}

function pathOf(folder: unknown): string {
  return typeof folder === 'string' && isAbsolute(folder) ? folder : refuse(400, 'folder must be an absolute path');
}

function appNames({ store }: Platform): string[] {
  return [...store.apps.values()].map(({ name }) => name).sort();
}
