import type { IncomingMessage } from 'node:http';
import { turn } from '../../clock.ts';
import { approvalSecret } from '../endpoints/account/activation.ts';
import type { Platform } from '../endpoints/platform.ts';
import { equalsInConstantTime } from '../http/constant-time.ts';
import { readJson } from '../http/read-request.ts';
import { jsonReply, refuse, type ServerReply } from '../http/reply.ts';

/** Not a path of the platform: `gantry emulator stop` requests it. */
export const stopPath = '/emulator/stop';

/** Ends the emulator if the body has the owner's secret: `{"secret": "…"}`. Signals cannot end a process gracefully on Windows. */
export async function handleStop(request: IncomingMessage, { store, requestStop }: Platform): Promise<ServerReply> {
  if (request.method !== 'POST') refuse(405, `method ${request.method} not allowed: use POST`);
  const { secret } = Object(await readJson(request)) as { secret?: unknown };
  if (!equalsInConstantTime(String(secret), approvalSecret(store))) refuse(403, 'wrong secret');
  // After the reply is sent.
  void turn().then(requestStop);
  return jsonReply({ message: 'stopping' }, 202);
}
