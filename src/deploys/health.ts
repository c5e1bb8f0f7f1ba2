import type { CallFacts } from './calls.ts';
import type { ReplicaFacts } from './replicas.ts';
import { firstRow, type Rows } from './table.ts';

/** What decides whether a build is healthy. Each fact is one of few words: all of their combinations are tried by a test. */
export const healthFacts = {
  /** What the app shows as live. Later: a build that did not serve before ours. */
  shows: ['ours', 'later', 'earlier', 'not known'],
  /** Whether our own build has failed after it had succeeded. */
  ended: ['no', 'failed'],
  replicas: ['bad', 'back soon', 'enough', 'some', 'none', 'not known'],
  /** What the calls of `--smoke` said. Unclear: who answered, or whether the app did, is not known. */
  smoke: ['not asked', 'yes', 'no', 'unclear'],
  calls: ['worse', 'doubtful', 'fine', 'none', 'not known'],
  /** Of the app, by the words that are known to be bad. */
  status: ['good', 'bad'],
  /** Late: the watch is over, and what the platform shows late may still come. */
  time: ['left', 'late', 'over'],
} as const satisfies Record<string, readonly string[]> & {
  replicas: readonly ReplicaFacts['state'][];
  calls: readonly CallFacts['state'][];
};
export type HealthFacts = { [Name in keyof typeof healthFacts]: (typeof healthFacts)[Name][number] };

export type Finding = 'superseded' | 'failed' | 'sick' | 'unknown' | 'healthy' | 'look again';

/** What a verdict rests on: the fact that says why. */
export type Because = 'shows' | 'replicas' | 'smoke' | 'calls' | 'status' | 'few replicas' | 'nothing seen' | '';

export interface Health {
  finding: Finding;
  because: Because;
}

/** The first row that fits says how a build is (docs/deploying.md). */
export const healthTable: Rows<HealthFacts, Health> = [
  [{ ended: 'failed' }, { finding: 'failed', because: '' }],
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

export function judge(facts: HealthFacts): Health {
  return firstRow(healthTable, facts);
}
