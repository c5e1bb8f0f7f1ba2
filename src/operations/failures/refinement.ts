import type { Explanation } from './explanation.ts';
import type { FailureFacts } from './facts.ts';
import type { Captured } from './rule.ts';

/** Undefined if it does not apply. `before` are the lines above the evidence. */
export type Refinement = (
  found: Explanation,
  captured: Captured,
  facts: FailureFacts,
  before: readonly string[],
) => Explanation | undefined;
