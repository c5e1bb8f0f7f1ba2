import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSignatureProblem, signWebhook } from '../../../src/platform/contract/webhooks.ts';

const delivery = { requestId: 'r-1', timestamp: '1700000000', body: '{"smile":"wave"}' };
const at = (seconds: number) => ({ now: (1_700_000_000 + seconds) * 1000, maxAgeMs: 300_000 });

describe('the signature of a delivery', () => {
  test('is the HMAC-SHA256 of id, time and body, with dots between', () => {
    // printf '%s' 'r-1.1700000000.{"smile":"wave"}' | openssl dgst -sha256 -hmac hush
    expect(signWebhook('hush', delivery)).toBe('v1,7cfc23cd5ee336d0ac502c0bfa054542daffc1e7658f96de27ff7c0b33d3e810');
  });

  test('is good for any body, text or binary, within five minutes', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array(), fc.integer({ min: -300, max: 300 }), (secret, body, seconds) => {
        const signature = signWebhook(secret, { ...delivery, body });
        expect(findSignatureProblem(secret, { ...delivery, body, signature }, at(seconds))).toBeUndefined();
      }),
    );
  });

  test('is bad when any bit of it was changed', () => {
    const body = Buffer.from(delivery.body);
    const signature = signWebhook('hush', { ...delivery, body });
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
        const changed = Buffer.from(body);
        changed[index] = (changed[index] ?? 0) ^ change;
        expect(findSignatureProblem('hush', { ...delivery, body: changed, signature }, at(0))?.kind).toBe('forged');
      }),
    );
  });

  test.each([
    [301, 'stale'],
    [-301, 'stale'],
  ])('is %i s away: %s', (seconds, kind) => {
    const signature = signWebhook('hush', delivery);
    expect(findSignatureProblem('hush', { ...delivery, signature }, at(seconds))?.kind).toBe(kind);
  });

  test('never throws for any text in its place', () => {
    const anything = fc.record({
      requestId: fc.option(fc.string(), { nil: undefined }),
      timestamp: fc.option(fc.oneof(fc.string(), fc.nat().map(String)), { nil: undefined }),
      signature: fc.option(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `v1,${text}`),
        ),
        { nil: undefined },
      ),
      body: fc.uint8Array(),
    });
    fc.assert(
      fc.property(anything, ({ requestId, timestamp, signature, body }) => {
        const given = {
          ...(requestId !== undefined && { requestId }),
          ...(timestamp !== undefined && { timestamp }),
          body,
          signature,
        };
        expect(findSignatureProblem('hush', given, at(0))).toBeDefined();
      }),
    );
  });
});
