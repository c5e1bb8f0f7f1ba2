import { integer, nullable, number, text } from '../kernel/shape.ts';
import type { CallFacts } from './calls.ts';
import type { ReplicaFacts } from './replicas.ts';

/** What decides whether an app is sent. What a row does not need is not asked. */
export const beforeFacts = {
  others: ['in progress', 'none'],
  /** `--if-busy`. */
  ifBusy: ['proceed', 'wait', 'cancel', 'fail'],
  serving: ['none', 'one', 'one of', 'not known'],
  /** Whether anything is compared with what serves: `--if-changed`, a plan, a question, a dry run. */
  compares: ['yes', 'no'],
  /** `--if-changed`. */
  ifChanged: ['yes', 'no'],
  /** `--apply-plan`: whether all that it is bound to is as it was, if there is one. */
  plan: ['holds', 'broken'],
  /** The commit of this folder, beside the one that serves. */
  commit: ['older', 'not older'],
  difference: ['equal', 'differs', 'not proven'],
  /** What is on record or shown of the build that serves. */
  health: ['sick', 'not sick'],
  /** `--watch`, `--smoke`. */
  verifies: ['yes', 'no'],
} as const satisfies Record<string, readonly string[]>;
export type BeforeFacts = { -readonly [Name in keyof typeof beforeFacts]: (typeof beforeFacts)[Name][number] };

/** The first row that fits says what comes next; after a wait, all is asked again (docs/deploying.md). */
export const beforeTable = rowsOf<BeforeFacts>()([
  [{ ifBusy: 'fail', others: 'in progress' }, 'stop: others'],
  [{ ifBusy: 'cancel', others: 'in progress' }, 'cancel others'],
  [{ ifBusy: 'wait', others: 'in progress' }, 'wait for others'],
  [{ compares: 'yes', serving: 'one of' }, 'wait for the app'],
  [{ plan: 'broken' }, 'stop: not as planned'],
  [{ commit: 'older' }, 'stop: older'],
  [{ ifChanged: 'no' }, 'send'],
  [{ serving: ['none', 'one of', 'not known'] }, 'send'],
  [{ difference: ['differs', 'not proven'] }, 'send'],
  [{ health: 'sick', verifies: 'no' }, 'send'],
  [{ verifies: 'yes' }, 'verify'],
  [{}, 'stop: unchanged'],
]);
export type BeforeStep = (typeof beforeTable)[number][1];

/** What decides once our build is ready. */
export const readyFacts = {
  /** Another: a later build that may have replaced ours. */
  serving: ['ours', 'another', 'one of', 'not known'],
  verifies: ['yes', 'no'],
  health: ['healthy', 'sick', 'unknown', 'superseded'],
  /** `--or-rollback`. */
  orRollback: ['yes', 'no'],
} as const satisfies Record<string, readonly string[]> & {
  health: readonly Ended['finding'][];
};
export type ReadyFacts = { -readonly [Name in keyof typeof readyFacts]: (typeof readyFacts)[Name][number] };

export const readyTable = rowsOf<ReadyFacts>()([
  [{ serving: ['one of', 'not known'] }, 'stop: not shown'],
  [{ serving: 'another', verifies: 'no' }, 'stop: replaced'],
  [{ serving: 'another' }, 'stop: replaced, not verified'],
  [{ verifies: 'no' }, 'stop: live'],
  [{ health: 'superseded' }, 'stop: replaced, not verified'],
  [{ health: 'unknown' }, 'stop: not known'],
  [{ health: 'healthy' }, 'stop: healthy'],
  [{ orRollback: 'no' }, 'stop: sick'],
  [{}, 'roll back'],
]);
export type ReadyStep = (typeof readyTable)[number][1];

/** What decides whether a build is healthy. Each fact is one of few words: all of their combinations are tried by a test. */
export const healthFacts = {
  /** What the app shows as live. Later: a build that did not serve before ours. */
  shows: ['ours', 'later', 'earlier', 'not known'],
  replicas: ['bad', 'back soon', 'enough', 'some', 'none', 'not known'],
  /** What the calls of `--smoke` said. Unclear: who answered, or whether the app did; or no, where nothing has changed. */
  smoke: ['not asked', 'yes', 'no', 'unclear'],
  calls: ['worse', 'doubtful', 'fine', 'none', 'not known'],
  /** The status of the app, by the words that are known to be bad. */
  status: ['good', 'bad'],
  /** Late: the watch is over, and what the platform shows late may still come. */
  time: ['left', 'late', 'over'],
} as const satisfies Record<string, readonly string[]> & {
  replicas: readonly ReplicaFacts['state'][];
  calls: readonly CallFacts['state'][];
};
export type HealthFacts = { [Name in keyof typeof healthFacts]: (typeof healthFacts)[Name][number] };

/** What a verdict rests on: the fact that says why. */
export type Because = 'shows' | 'replicas' | 'smoke' | 'calls' | 'status' | 'few replicas' | 'nothing seen' | '';

/** A verdict that does not change any more. */
export type Ended = { finding: 'superseded' | 'sick' | 'unknown' | 'healthy'; because: Because };
export type Health = Ended | { finding: 'look again'; because: Because };

/** What was seen of a healthy build; null where it was not looked at, or not shown. */
export const healthFields = {
  verdict: text('healthy; a deploy with another verdict fails'),
  watchedMs: number('how long the build was looked at, in ms'),
  replicas: nullable(integer('replicas of the build that were seen; null if not known')),
  restarts: nullable(integer('how often they restarted; null if not known')),
  runs: nullable(integer('runs that they ended; null if not known')),
  failedRuns: nullable(integer('how many of these failed; null if not known')),
  smokeCalls: integer('calls of --smoke'),
};

/** The first row that fits says how a build is (docs/deploying.md). */
export const healthTable: Rows<HealthFacts, Health> = [
  [{ shows: 'later' }, { finding: 'superseded', because: 'shows' }],
  [
    { shows: ['earlier', 'not known'], time: ['left', 'late'] },
    { finding: 'look again', because: 'shows' },
  ],
  [{ shows: ['earlier', 'not known'] }, { finding: 'unknown', because: 'shows' }],
  [{ replicas: 'bad' }, { finding: 'sick', because: 'replicas' }],
  [{ smoke: 'no' }, { finding: 'sick', because: 'smoke' }],
  [{ calls: 'worse' }, { finding: 'sick', because: 'calls' }],
  [{ time: 'left' }, { finding: 'look again', because: '' }],
  [
    { replicas: 'back soon', time: 'late' },
    { finding: 'look again', because: 'replicas' },
  ],
  [{ smoke: 'unclear' }, { finding: 'unknown', because: 'smoke' }],
  [{ status: 'bad' }, { finding: 'unknown', because: 'status' }],
  [{ replicas: 'back soon' }, { finding: 'unknown', because: 'replicas' }],
  [{ calls: 'doubtful' }, { finding: 'unknown', because: 'calls' }],
  [
    { smoke: 'yes', replicas: 'some' },
    { finding: 'healthy', because: 'few replicas' },
  ],
  [{ smoke: 'yes' }, { finding: 'healthy', because: '' }],
  [{ calls: 'not known' }, { finding: 'unknown', because: 'calls' }],
  [{ replicas: 'some' }, { finding: 'healthy', because: 'few replicas' }],
  [{ replicas: 'enough' }, { finding: 'healthy', because: '' }],
  [{ calls: 'fine' }, { finding: 'healthy', because: '' }],
  [{}, { finding: 'unknown', because: 'nothing seen' }],
];

/** Facts that a row needs, by name: one of these words each. What it does not name may be anything. */
type Pattern<Facts> = { readonly [Name in keyof Facts]?: Facts[Name] | readonly Facts[Name][] };

/** A table of decisions. Rows are tried in their order, and the last one fits everything. */
export type Rows<Facts, Result> = readonly (readonly [Pattern<Facts>, Result])[];

/** Its steps are those that the rows name. */
function rowsOf<Facts>() {
  return <const Step extends string>(rows: Rows<Facts, Step>) => rows;
}

export function firstRow<Facts extends Record<string, string>, Result>(rows: Rows<Facts, Result>, facts: Facts) {
  const fits = (pattern: Pattern<Facts>) => Object.entries(pattern).every(([name, words]) => is(words, facts[name]));
  const [, result] = rows.find(([pattern]) => fits(pattern)) as (typeof rows)[number];
  return result;
}

/** What follows from the first of these that is so; undefined if none is. */
export function firstTrue<Result>(rows: readonly (readonly [isSo: boolean, result: Result])[]): Result | undefined {
  return rows.find(([isSo]) => isSo)?.[1];
}

/** Facts, or how to find them out. */
export type ToAsk<Facts> = { readonly [Name in keyof Facts]: Facts[Name] | (() => Promise<Facts[Name]>) };

/** The first row that fits, where facts are found out: in the order of the rows, and only those that a row needs. */
export async function firstRowAsked<Facts extends Record<string, string>, Result>(
  rows: Rows<Facts, Result>,
  asked: ToAsk<Facts>,
): Promise<Result> {
  const fits = async (pattern: Pattern<Facts>) => {
    for (const [name, words] of Object.entries(pattern)) {
      const fact = asked[name];
      if (!is(words, typeof fact === 'function' ? await fact() : fact)) return false;
    }
    return true;
  };
  for (const [pattern, result] of rows) if (await fits(pattern)) return result;
  throw new Error('a table without a last row');
}

const is = (words: unknown, fact: unknown) => [words].flat().includes(fact);
