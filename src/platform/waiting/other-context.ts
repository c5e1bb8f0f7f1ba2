import type { Step } from '../../kernel/output/progress.ts';
import type { Context } from '../context.ts';

/** The same context, but for these parts. */
export function contextWith(context: Context, parts: Partial<Context>): Context {
  return Object.create(context, Object.getOwnPropertyDescriptors(parts));
}

/** The same context, whose requests and pauses end with a signal. */
export function contextUntil(context: Context, signal: AbortSignal, parts: Partial<Context> = {}): Context {
  const delay: Context['delay'] = (ms, until = signal) => context.delay(ms, until);
  return contextWith(context, { signal, api: context.apiWithSignal(signal), delay, ...parts });
}

/** A step that is not shown. */
export const noStep: Step = { update: () => {}, done: () => {}, fail: () => {}, clear: () => {} };
