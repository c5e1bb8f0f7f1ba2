import { createHmac, timingSafeEqual } from 'node:crypto';
import { signedPrefix } from './invocation.ts';

/** The signed parts of a delivery. `timestamp` is the header's text, in seconds since 1970. */
export interface SignedWebhook {
  requestId: string;
  timestamp: string;
  body: Uint8Array | string;
}

/** `malformed`: not a delivery of the platform; `forged`: another secret or changed content; `stale`: too old. */
export type SignatureProblem = { kind: 'malformed' | 'forged' | 'stale'; why: string };

/** `v1,<hex>`: HMAC-SHA256 of `{request_id}.{timestamp}.{body}` (docs/platform.md#webhooks). */
export function signWebhook(secret: string, parts: SignedWebhook): string {
  return `v1,${digest(secret, parts).toString('hex')}`;
}

/**
 * Checks the signature of a delivery, in constant time. Returns undefined if it is valid. `maxAgeMs` limits the
 * difference between its time and `now` (ms since 1970) in either direction; Infinity accepts any.
 */
export function findSignatureProblem(
  secret: string,
  { signature, ...parts }: Partial<SignedWebhook> & Pick<SignedWebhook, 'body'> & { signature?: string | undefined },
  { now, maxAgeMs }: { now: number; maxAgeMs: number },
): SignatureProblem | undefined {
  const { requestId = '', timestamp = '', body } = parts;
  const [, hex = ''] = /^v1,([0-9a-f]{64})$/i.exec(signature ?? '') ?? [];
  const problems: [boolean, string][] = [
    [signature === undefined, 'it has no signature'],
    [requestId === '', 'it has no request id'],
    [!/^\d{1,12}$/.test(timestamp), 'its timestamp is not a number of seconds since 1970'],
    [hex === '', 'its signature is not v1,<64 hexadecimal digits>'],
  ];
  const malformed = problems.find(([isSo]) => isSo);
  if (malformed) return { kind: 'malformed', why: malformed[1] };
  if (!timingSafeEqual(Buffer.from(hex, 'hex'), digest(secret, { requestId, timestamp, body }))) {
    return { kind: 'forged', why: 'its signature does not match the secret and the content' };
  }
  const ageMs = now - Number(timestamp) * 1000;
  if (Math.abs(ageMs) <= maxAgeMs) return undefined;
  const age = `${Math.round(Math.abs(ageMs) / 1000)} s ${ageMs < 0 ? 'in the future' : 'old'}`;
  return { kind: 'stale', why: `it is ${age}; the maximum is ${maxAgeMs / 1000} s` };
}

function digest(secret: string, { requestId, timestamp, body }: SignedWebhook): Buffer {
  return createHmac('sha256', secret).update(signedPrefix(requestId, timestamp)).update(body).digest();
}
