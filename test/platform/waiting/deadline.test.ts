import { expect, test, vi } from 'vitest';
import { PendingError } from '../../../src/kernel/errors.ts';
import { Deadline, timeoutSignal } from '../../../src/platform/waiting/deadline.ts';
import { pollUntil } from '../../../src/platform/waiting/poll.ts';

const pending = new PendingError('it is not done', { fix: 'gantry logs web --build b-1 -f' });

function clockOf(now = { ms: 0 }) {
  const stop = new AbortController();
  const clock = { signal: stop.signal, elapsed: () => now.ms, end: {} };
  const delay = async (ms: number, until?: AbortSignal) => {
    now.ms += ms;
    until?.throwIfAborted();
  };
  return { now, stop, clock, delay };
}

const hanging = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

function polling(poll: (signal: AbortSignal) => Promise<unknown>, timeoutMs: number, setting = clockOf()) {
  const { clock, delay } = setting;
  const deadline = new Deadline(clock, timeoutMs, () => pending);
  const context = { ...clock, delay, apiWithSignal: (signal: AbortSignal) => signal as never };
  const pauses = { firstMs: 1_000, maxMs: 2_000, growth: 2 };
  const options = { poll: (api: unknown) => poll(api as never), deadline, pauses, onFailure: () => {} };
  const polled = () => pollUntil(context, options, () => undefined);
  return { polled, ...setting };
}

test('polling without a result ends with the error of the deadline', async () => {
  const { polled, now } = polling(async () => 'building', 10_000);
  await expect(polled()).rejects.toBe(pending);
  expect(now.ms).toBe(10_000);
});

test('failing polls end with the error of the deadline', async () => {
  const { polled } = polling(() => Promise.reject(new Error('503')), 5_000);
  await expect(polled()).rejects.toBe(pending);
});

test('a hanging request ends with the error of the deadline, whatever it throws', async () => {
  await expect(polling(hanging, 1).polled()).rejects.toBe(pending);
  const other = (signal: AbortSignal) =>
    hanging(signal).catch(() => Promise.reject(new DOMException('aborted', 'AbortError')));
  await expect(polling(other, 1).polled()).rejects.toBe(pending);
});

test('a pause ends with the error of the deadline', async () => {
  const setting = clockOf();
  const delay = (_: number, until: AbortSignal = setting.stop.signal) => hanging(until);
  await expect(polling(async () => 'building', 1, { ...setting, delay }).polled()).rejects.toBe(pending);
});

test('Ctrl-C ends with its own reason', async () => {
  const { polled, stop } = polling(hanging, 60_000);
  const ended = polled();
  stop.abort(new Error('interrupted'));
  await expect(ended).rejects.toThrow('interrupted');
});

test('a timeout above the maximum of timers does not end at once', async () => {
  const { clock } = clockOf();
  const deadline = new Deadline(clock, 2 ** 40, () => pending);
  await new Promise((done) => setTimeout(done, 5));
  expect(deadline.signal.aborted).toBe(false);
  expect(() => deadline.check()).not.toThrow();
  deadline.close();
});

test('a deadline beyond the maximum of timers does not end early', () => {
  vi.useFakeTimers();
  try {
    const day = 86_400_000;
    const { signal } = new Deadline(clockOf().clock, 60 * day, () => pending);
    const step = timeoutSignal(60 * day, () => pending);
    vi.advanceTimersByTime(60 * day - 1);
    expect([signal.aborted, step.aborted]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([signal.reason, step.reason]).toEqual([pending, pending]);
  } finally {
    vi.useRealTimers();
  }
});
