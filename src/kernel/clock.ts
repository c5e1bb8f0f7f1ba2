/** The only timers of the program: a test that fakes `setTimeout` and `setInterval` moves all of them. */

import { setMaxListeners } from 'node:events';

interface TimerOptions {
  background?: boolean;
}

/** Calls once, after any time. Returns what stops it. */
export function after(ms: number, callback: () => void, { background = false }: TimerOptions = {}): () => void {
  let timer: NodeJS.Timeout;
  const wait = (remainingMs: number) => {
    const nextMs = Math.min(remainingMs, maxTimerMs);
    timer = setTimeout(() => (nextMs < remainingMs ? wait(remainingMs - nextMs) : callback()), nextMs);
    if (background) timer.unref();
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls again and again. Returns what stops it. */
export function every(ms: number, callback: () => void, { background = false }: TimerOptions = {}): () => void {
  const timer = setInterval(callback, ms);
  if (background) timer.unref();
  return () => clearInterval(timer);
}

/** Waits. Rejects with the reason of the signal. */
export function pause(ms: number, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      stop();
      reject(signal?.reason);
    };
    const end = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const stop = after(ms, end, options);
    if (signal) onAbort(signal, abort);
  });
}

/** Calls once when the signal aborts. Returns what ends that. Any number may wait: Node warns of more than ten, unless told. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Lets the event loop handle what is waiting. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The longest time between two turns of the event loop. */
const maxBlockingMs = 20;

/** Tells long work when to wait for a {@link turn}. */
export function turnIsDue(): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < maxBlockingMs) return false;
    last = now;
    return true;
  };
}
