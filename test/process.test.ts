import { expect, test, vi } from 'vitest';
import { processIo } from '../src/kernel/process.ts';

test('an aborted wait rejects with the reason of the signal, not with an AbortError', async () => {
  const stop = new AbortController();
  const waiting = processIo().delay(60_000, stop.signal);
  stop.abort(new Error('time is over'));
  await expect(waiting).rejects.toThrow('time is over');
  await expect(processIo().delay(60_000, stop.signal)).rejects.toThrow('time is over');
});

test('elapsed time is in whole milliseconds and does not follow the wall clock', () => {
  const io = processIo();
  const before = io.elapsed();
  vi.spyOn(Date, 'now').mockReturnValue(0);
  const after = io.elapsed();
  vi.restoreAllMocks();
  expect(Number.isInteger(before)).toBe(true);
  expect(after).toBeGreaterThanOrEqual(before);
});
