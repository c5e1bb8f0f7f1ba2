import { createHmac, timingSafeEqual } from 'node:crypto';
import { signedPrefix } from './invocation.ts';

/** What is signed. The timestamp is as it travels: text, in seconds since 1970. */
export interface SignedWebhook {
  requestId: string;
  timestamp: string;
  body: Uint8Array | string;
}

/** Why a delivery is not what it should be: no delivery of the platform at all, signed by another, or of another time. */
export type SignatureProblem = { kind: 'malformed' | 'forged' | 'stale'; why: string };

/** `v1,<hex>`: HMAC-SHA256 of `{request_id}.{timestamp}.{body}` (docs/platform.md#webhooks). */
export function signWebhook(secret: string, parts: SignedWebhook): string {
  return `v1,${digest(secret, parts).toString('hex')}`;
}

/**
 * What is wrong with a delivery's signature; undefined when it is good. Compared in constant time. `maxAgeMs` bounds how
 * far its time may be from ours, either way; endless for any. `now` in milliseconds since 1970.
 */
export function findSignatureProblem(
  secret: string,
  { signature, ...parts }: Partial<SignedWebhook> & Pick<SignedWebhook, 'body'> & { signature?: string | undefined },
  { now, maxAgeMs }: { now: number; maxAgeMs: number },
): SignatureProblem | undefined {
  const { requestId, timestamp, body } = parts;
  if (signature === undefined) return { kind: 'malformed', why: 'it has no signature' };
  if (!requestId) return { kind: 'malformed', why: 'it has no request id' };
  if (!timestamp || !/^\d{1,12}$/.test(timestamp)) {
    return { kind: 'malformed', why: 'its time is not a number of seconds since 1970' };
  }
  const [, hex] = /^v1,([0-9a-f]{64})$/i.exec(signature) ?? [];
  if (!hex) return { kind: 'malformed', why: 'its signature is not of the form v1,<64 hexadecimal digits>' };
  if (!timingSafeEqual(Buffer.from(hex, 'hex'), digest(secret, { requestId, timestamp, body }))) {
    return { kind: 'forged', why: 'its signature is not by this secret, or something in it was changed' };
  }
  const ageMs = now - Number(timestamp) * 1000;
  if (Math.abs(ageMs) <= maxAgeMs) return undefined;
  const away = `${Math.round(Math.abs(ageMs) / 1000)} s ${ageMs < 0 ? 'in the future' : 'old'}`;
  return { kind: 'stale', why: `it is ${away}, at most ${maxAgeMs / 1000} s are allowed` };
}

function digest(secret: string, { requestId, timestamp, body }: SignedWebhook): Buffer {
  return createHmac('sha256', secret).update(signedPrefix(requestId, timestamp)).update(body).digest();
}
