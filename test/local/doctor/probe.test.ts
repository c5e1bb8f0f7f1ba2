import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/kernel/errors.ts';
import { createProbe } from '../../../src/local/doctor/platform-checks.ts';

const now = Date.UTC(2026, 10, 20, 12);

/** A request that takes 200 ms, to a server whose clock is so far behind ours. */
async function probe({ behindMs = 0, date, error }: { behindMs?: number; date?: string; error?: Error } = {}) {
  let elapsed = 0;
  const sent: { headers: Record<string, string> }[] = [];
  const send = async (request: { headers: Record<string, string> }) => {
    sent.push(request);
    elapsed += 200;
    if (error) throw error;
    const headers = { date: date ?? new Date(now - behindMs).toUTCString() };
    return { status: 200, headers, body: '' };
  };
  const context = {
    signal: new AbortController().signal,
    silenceMs: 5_000,
    now: () => now,
    elapsed: () => elapsed,
  };
  const result = await createProbe(context as never, undefined, send as never)('GET', 'http://host', 'token');
  return { ...result, sent };
}

describe('a request of doctor', () => {
  test('carries the token, and is measured', async () => {
    const { ms, sent, reply } = await probe();
    expect([ms, reply?.status, sent[0]?.headers.authorization]).toEqual([200, 200, 'Bearer token']);
  });

  test.each([
    [0, 0],
    [1_000, 600],
    [60_000, 59_600],
    [-60_000, -60_400],
  ])('to a server that is %i ms behind finds this clock ahead by %i ms', async (behindMs, aheadMs) => {
    expect((await probe({ behindMs })).aheadMs).toBe(aheadMs);
  });

  test('knows nothing of the clock if the server does not tell the time', async () => {
    expect(await probe({ date: 'soon' })).not.toHaveProperty('aheadMs');
  });

  test('that fails is a result, with what to do', async () => {
    const { error, reply, ms } = await probe({ error: new UnavailableError('cannot connect') });
    expect([error?.message, ms, reply]).toEqual(['cannot connect', 200, undefined]);
    expect(JSON.stringify(error?.facts.fix)).toContain('HTTPS_PROXY');
  });

  test('keeps the advice of the error', async () => {
    const { error } = await probe({ error: new UnavailableError('cannot connect', { fix: 'plug it in' }) });
    expect(error?.facts.fix).toBe('plug it in');
  });

  test('does not hide a mistake of our own', async () => {
    await expect(probe({ error: new TypeError('undefined') })).rejects.toThrow(TypeError);
  });
});
