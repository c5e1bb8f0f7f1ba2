import { webhookHeaders } from '../../contract/invocation.ts';
import { findSignatureProblem } from '../../contract/webhooks.ts';
import type { ReceivedRequest } from '../../receiver/index.ts';

/** What the signature of a delivery says. Without a secret nobody can tell. */
export interface SignatureCheck {
  signature: 'good' | 'bad' | 'unchecked';
  /** Why it is bad. */
  why: string | null;
  /** What the sender is told. */
  status: 200 | 400 | 401;
}

/** How far the time of a delivery may be from ours, either way, milliseconds. */
export const defaultMaxAgeMs = 5 * 60_000;

/** Looks at a delivery as it came: its signature, and whether it is of this time. */
export function checkSignature(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  secret: string | undefined,
  { now, maxAgeMs = defaultMaxAgeMs }: { now: number; maxAgeMs?: number },
): SignatureCheck {
  if (secret === undefined) return { signature: 'unchecked', why: null, status: 200 };
  const signed = {
    requestId: deliveryRunId(headers),
    timestamp: headers[webhookHeaders.timestamp.toLowerCase()] ?? '',
    signature: headers[webhookHeaders.signature.toLowerCase()],
    body,
  };
  const flaw = findSignatureProblem(secret, signed, { now, maxAgeMs });
  if (!flaw) return { signature: 'good', why: null, status: 200 };
  return { signature: 'bad', why: flaw.why, status: flaw.kind === 'malformed' ? 400 : 401 };
}

/** Empty when it has none. */
export function deliveryRunId(headers: Record<string, string>): string {
  return headers[webhookHeaders.runId.toLowerCase()] ?? '';
}
