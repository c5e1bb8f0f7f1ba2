import { expect, test } from 'vitest';
import { createProbe } from '../../../src/local/doctor/platform-checks.ts';

const now = Date.UTC(2026, 10, 20, 12);

test.each([
  [new Date(now).toUTCString(), 0],
  [new Date(now - 1_000).toUTCString(), 600],
  [new Date(now - 60_000).toUTCString(), 59_600],
  [new Date(now + 60_000).toUTCString(), -60_400],
  ['soon', undefined],
])('a server that takes 200 ms and says that it is %s finds this clock ahead by %s ms', async (date, aheadMs) => {
  let elapsed = 0;
  const send = async () => {
    elapsed += 200;
    return { status: 200, headers: { date }, body: '' };
  };
  const context = { signal: new AbortController().signal, silenceMs: 5_000, now: () => now, elapsed: () => elapsed };
  const probe = createProbe(context as never, undefined, send as never);
  expect((await probe('GET', 'http://host', 'token')).aheadMs).toBe(aheadMs);
});
