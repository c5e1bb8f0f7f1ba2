import type { Finding } from './health.ts';
import { firstRow, type Rows } from './table.ts';

/** What decides whether an app is sent. What a row does not need is not asked. */
export const beforeFacts = {
  others: ['not asked', 'in progress', 'none'],
  /** `--if-busy`. */
  ifBusy: ['proceed', 'wait', 'cancel', 'fail'],
  serving: ['not asked', 'none', 'one', 'one of', 'not known'],
  /** Whether anything is compared with what serves: `--if-changed`, a plan, a question, a dry run. */
  compares: ['yes', 'no'],
  /** `--if-changed`. */
  ifChanged: ['yes', 'no'],
  /** `--apply-plan`: whether all that it is bound to is as it was. */
  plan: ['none', 'holds', 'broken'],
  /** The commit of this folder, beside the one that serves. */
  commit: ['not asked', 'older', 'not older'],
  difference: ['not asked', 'equal', 'differs', 'not proven'],
  /** What is on record or shown of the build that serves. */
  health: ['sick', 'not sick'],
  /** `--watch`, `--smoke`. */
  verifies: ['yes', 'no'],
} as const satisfies Record<string, readonly string[]>;
export type BeforeFacts = { -readonly [Name in keyof typeof beforeFacts]: (typeof beforeFacts)[Name][number] };

export type BeforeStep =
  | 'look for others'
  | 'cancel others'
  | 'wait for others'
  | 'look at the app'
  | 'wait for the app'
  | 'compare commits'
  | 'compare'
  | 'stop: others'
  | 'stop: not as planned'
  | 'stop: older'
  | 'stop: unchanged'
  | 'verify'
  | 'send';

/** The first row that fits says what comes next, until the app is sent or not (docs/deploying.md). */
export const beforeTable: Rows<BeforeFacts, BeforeStep> = [
  [{ others: 'not asked' }, 'look for others'],
  [{ others: 'in progress', ifBusy: 'fail' }, 'stop: others'],
  [{ others: 'in progress', ifBusy: 'cancel' }, 'cancel others'],
  [{ others: 'in progress', ifBusy: 'wait' }, 'wait for others'],
  [{ compares: 'yes', serving: 'not asked' }, 'look at the app'],
  [{ compares: 'yes', serving: 'one of' }, 'wait for the app'],
  [{ plan: 'broken' }, 'stop: not as planned'],
  [{ commit: 'not asked' }, 'compare commits'],
  [{ commit: 'older' }, 'stop: older'],
  [{ ifChanged: 'no' }, 'send'],
  [{ difference: 'not asked' }, 'compare'],
  [{ serving: ['not asked', 'none', 'one of', 'not known'] }, 'send'],
  [{ difference: ['differs', 'not proven'] }, 'send'],
  [{ health: 'sick', verifies: 'no' }, 'send'],
  [{ verifies: 'yes' }, 'verify'],
  [{}, 'stop: unchanged'],
];

export function beforeSending(facts: BeforeFacts): BeforeStep {
  return firstRow(beforeTable, facts);
}

/** What decides once our build is ready. */
export const readyFacts = {
  /** Another: a later build that may have replaced ours. */
  serving: ['ours', 'another', 'one of', 'not known'],
  time: ['left', 'over'],
  verifies: ['yes', 'no'],
  health: ['not asked', 'healthy', 'sick', 'unknown', 'superseded', 'failed'],
  /** `--or-rollback`. */
  orRollback: ['yes', 'no'],
} as const satisfies Record<string, readonly string[]> & {
  health: readonly ('not asked' | Exclude<Finding, 'look again'>)[];
};
export type ReadyFacts = { -readonly [Name in keyof typeof readyFacts]: (typeof readyFacts)[Name][number] };

export type ReadyStep =
  | 'wait for the app'
  | 'verify'
  | 'roll back'
  | 'stop: live'
  | 'stop: healthy'
  | 'stop: replaced'
  | 'stop: replaced, not verified'
  | 'stop: not shown'
  | 'stop: failed'
  | 'stop: sick'
  | 'stop: not known';

export const readyTable: Rows<ReadyFacts, ReadyStep> = [
  [{ serving: 'one of', time: 'left' }, 'wait for the app'],
  [{ serving: ['one of', 'not known'] }, 'stop: not shown'],
  [{ serving: 'another', verifies: 'no' }, 'stop: replaced'],
  [{ serving: 'another' }, 'stop: replaced, not verified'],
  [{ verifies: 'no' }, 'stop: live'],
  [{ health: 'not asked' }, 'verify'],
  [{ health: 'failed' }, 'stop: failed'],
  [{ health: 'superseded' }, 'stop: replaced, not verified'],
  [{ health: 'unknown' }, 'stop: not known'],
  [{ health: 'healthy' }, 'stop: healthy'],
  [{ orRollback: 'no' }, 'stop: sick'],
  [{}, 'roll back'],
];

export function onceReady(facts: ReadyFacts): ReadyStep {
  return firstRow(readyTable, facts);
}
