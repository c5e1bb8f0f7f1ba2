import type { View } from '../../kernel/output/page.ts';
import type { Context } from '../../platform/context.ts';

/** Ends a dry run where the first change would be sent. Not an error: `result` is what the command would return. */
export class DryRunEnd extends Error {
  constructor(
    readonly changes: readonly string[],
    readonly result: object,
  ) {
    super(`would ${changes.join(', ')}`);
  }
}

export function createWillChange(isDryRun: boolean): Context['willChange'] {
  return (what, result) => {
    if (isDryRun) throw new DryRunEnd([what].flat(), result);
  };
}

export function dryRunView({ changes }: DryRunEnd): View {
  return () => changes.map((change) => `would ${change}`).join('\n');
}

/** Adds `dryRun` to a result, or to each entry of a list. */
export function markDryRun(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(markDryRun);
  return { ...(result as object), dryRun: true };
}
