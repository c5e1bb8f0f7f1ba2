import { boolean, choice, integer, list, nullable, number, type ObjectOf, text } from '../../kernel/shape.ts';

export const adviceVerdicts = ['advice', 'not enough runs', 'not predictable'] as const;

/** Values of `[cerebrium.scaling]`. */
const scalingFields = {
  minReplicas: integer('min_replicas'),
  maxReplicas: integer('max_replicas'),
  cooldownSeconds: number('cooldown'),
  concurrency: integer('replica_concurrency'),
};
export type ScalingSettings = ObjectOf<typeof scalingFields>;

export const outcomeFields = {
  ...scalingFields,
  coldStarts: integer('calls that wait for a replica to start'),
  p50Ms: number('of what callers wait for, in ms'),
  p90Ms: number('in ms'),
  p95Ms: number('in ms'),
  p99Ms: number('in ms'),
  replicaSeconds: number('how long replicas live, in the time that was replayed'),
  centsPerMonth: nullable(number('cost of 30 days in US cents; null if the price is not known')),
};
export type Outcome = ObjectOf<typeof outcomeFields>;

export const tunedOptionFields = {
  option: choice(['now', 'cheapest', 'fastest'], 'which one'),
  within: text('what holds for it'),
  ...outcomeFields,
  argv: nullable(list(text('word'), 'the command that sets it; null if there is nothing to set')),
  advice: text('the change and its price, such as 20m cooldown: p90 5.4 s, +$279 a month; empty without a change'),
  needsDeploy: boolean('whether replica_concurrency changes, which only a deploy can'),
};
export type TunedOption = ObjectOf<typeof tunedOptionFields>;

/** `p90<6s`. */
export interface ServiceLevel {
  quantile: 'p50' | 'p90' | 'p95' | 'p99';
  ms: number;
}
