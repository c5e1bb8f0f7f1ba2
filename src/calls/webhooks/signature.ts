import { webhookHeaders } from '../../platform/contract/invocation.ts';
import { findSignatureProblem } from '../../platform/contract/webhooks.ts';
import type { ReceivedRequest } from '../receiver/index.ts';

export interface SignatureCheck {
  /** `unchecked` without a secret. */
  signature: 'good' | 'bad' | 'unchecked';
  /** Why it is bad. */
  why: string | null;
  /** HTTP status for the sender. */
  status: 200 | 400 | 401;
}

/** Maximum difference between the time of a delivery and the local clock, in either direction. */
const maxAgeMs = 5 * 60_000;

/** Checks the signature and the age of a delivery. */
export function checkSignature(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  secret: string | undefined,
  { now }: { now: number },
): SignatureCheck {
  if (secret === undefined) return { signature: 'unchecked', why: null, status: 200 };
  const signed = {
    requestId: deliveryRunId(headers),
    timestamp: headers[webhookHeaders.timestamp.toLowerCase()] ?? '',
    signature: headers[webhookHeaders.signature.toLowerCase()],
    body,
  };
  const problem = findSignatureProblem(secret, signed, { now, maxAgeMs });
  if (!problem) return { signature: 'good', why: null, status: 200 };
  return { signature: 'bad', why: problem.why, status: problem.kind === 'malformed' ? 400 : 401 };
}

/** The run id in the headers, or empty. */
export function deliveryRunId(headers: Record<string, string>): string {
  return headers[webhookHeaders.runId.toLowerCase()] ?? '';
}
