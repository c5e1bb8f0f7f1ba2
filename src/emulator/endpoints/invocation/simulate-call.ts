import { parseJsonOr } from '../../../kernel/json-text.ts';
import { BufferedBody } from '../../http/buffered-body.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import type { ReplicaCall } from '../../running/replicas/replica.ts';

/** The response to a call of an app that cannot run here: its parameters, and why it is simulated. */
export async function simulateCall({ run, path, body }: ReplicaCall, why: string): Promise<ServerReply> {
  const note = `simulated: ${why}`;
  const text = body instanceof BufferedBody ? await body.text() : '';
  const parameters = text.trim() === '' ? {} : parseJsonOr(text, text);
  const result = { simulated: true, function: path[0] ?? '', parameters };
  const reply = jsonReply({ run_id: run, run_time_ms: 0, result, note });
  return { ...reply, headers: { ...reply.headers, 'x-emulator-note': note } };
}
