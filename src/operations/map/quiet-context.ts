import type { Context } from '../../context.ts';

/** Calls of a map have one line of progress together. */
export function quietContext(context: Context): Context {
  const step = { update() {}, done() {}, fail() {}, clear() {} };
  const progress = { ...context.progress, step: () => step };
  return Object.create(context, { progress: { value: progress }, onRetry: { value: () => {} } });
}
