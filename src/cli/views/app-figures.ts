import { integer, list, nullable, number, object, text } from '../result-schema.ts';

/** How an app is doing, in JSON. */
export const appFigures = object({
  app: text('app'),
  at: nullable(text('when its runs were read: RFC 3339, UTC; null if they were not')),
  replicas: nullable(integer('replicas that run; null if not known')),
  maxReplicas: nullable(integer('replicas that it may have; null if not known')),
  builds: list(object({ build: text('build id'), replicas: integer('number of replicas') }), 'builds that run'),
  callsPerSecond: nullable(number('calls of the last minute, a second; null if not known')),
  p50Ms: nullable(number('response time of calls that ended in the last minute, in ms; null without one')),
  p90Ms: nullable(number('the same, 90th percentile')),
  p99Ms: nullable(number('the same, 99th percentile')),
  errorShare: nullable(number('share of these that failed, from 0 to 1; null without one')),
  queued: nullable(integer('calls in flight beyond what the replicas take at once; null if not known')),
  coldStartsPerMinute: nullable(number('calls that waited for a replica to start; null if not known')),
  centsPerHour: nullable(number('cost of the replicas that run, in US cents; null if not known')),
  lastCallAt: nullable(text('RFC 3339, UTC; null if there was none within the time that was read')),
});
