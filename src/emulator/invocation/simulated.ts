import { SentBody } from '../running/buffered-body.ts';
import type { ReplicaCall } from '../running/replica.ts';
import { json, type Reply } from '../server/reply.ts';

/** What stands for the answer of an app that cannot run here: what it was called with, and why it is not real. */
export async function simulate({ run, path, body }: ReplicaCall, why: string): Promise<Reply> {
  const note = `simulated: ${why}`;
  const text = body instanceof SentBody ? await body.text() : '';
  const result = { simulated: true, function: path[0] ?? '', parameters: parsed(text) };
  const reply = json({ run_id: run, run_time_ms: 0, result, note });
  return { ...reply, headers: { ...reply.headers, 'x-emulator-note': note } };
}

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}
