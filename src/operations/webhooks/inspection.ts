import { webhookHeaders } from '../../contract/invocation.ts';
import { findSignatureProblem } from '../../contract/webhooks.ts';
import type { ReceivedRequest } from '../../receiver/index.ts';

/** What the signature of a delivery says. Without a secret nobody can tell. */
export interface Inspection {
  signature: 'good' | 'bad' | 'unchecked';
  /** Why it is bad. */
  why: string | null;
  /** What the sender is told. */
  status: 200 | 400 | 401;
}

/** How far the time of a delivery may be from ours, either way, milliseconds. */
export const usualAgeMs = 5 * 60_000;

/** Looks at a delivery as it came: its signature, and whether it is of this time. */
export function inspect(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  secret: string | undefined,
  { now, maxAgeMs = usualAgeMs }: { now: number; maxAgeMs?: number },
): Inspection {
  if (secret === undefined) return { signature: 'unchecked', why: null, status: 200 };
  const signed = {
    requestId: runIdOf(headers),
    timestamp: headers[webhookHeaders.timestamp.toLowerCase()] ?? '',
    signature: headers[webhookHeaders.signature.toLowerCase()],
    body,
  };
  const flaw = findSignatureProblem(secret, signed, { now, maxAgeMs });
  if (!flaw) return { signature: 'good', why: null, status: 200 };
  return { signature: 'bad', why: flaw.why, status: flaw.kind === 'malformed' ? 400 : 401 };
}

/** Empty when it has none. */
export function runIdOf(headers: Record<string, string>): string {
  return headers[webhookHeaders.runId.toLowerCase()] ?? '';
}
