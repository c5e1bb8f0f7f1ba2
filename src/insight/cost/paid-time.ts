import { dollars } from '../../kernel/output/format.ts';
import type { App } from '../../platform/contract/apps.ts';
import type { ReplicaTime } from './replica-time.ts';

/** Cost / price, in seconds of replicas. */
interface PaidTime {
  seconds: number;
  days: readonly number[];
}

interface Possible {
  app: Pick<App, 'minReplicaCount' | 'maxReplicaCount'>;
  time: ReplicaTime;
  rangeSeconds: number;
}

const daySeconds = 86_400;
/** A deploy runs two versions for a while, and a bill comes up to an hour late. */
const tolerance = { most: 1.5, least: 0.5, seconds: 3_600 };

/**
 * Whether replicas can have lived for as long as the price of now says: not longer than all of them in the period and on each
 * day, and not shorter than their calls. If not, the price or the scaling was another one, and the time is not known.
 */
export function fitsSettings(paid: PaidTime, { app, time, rangeSeconds }: Possible): boolean {
  const replicas = Math.max(app.minReplicaCount ?? 0, app.maxReplicaCount ?? Number.POSITIVE_INFINITY);
  const canBe = (seconds: number, length: number) =>
    seconds <= tolerance.most * replicas * length + tolerance.seconds * Math.max(1, replicas);
  return (
    canBe(paid.seconds, rangeSeconds) &&
    paid.days.every((seconds) => canBe(seconds, daySeconds)) &&
    time.busySeconds - paid.seconds <= Math.min(tolerance.seconds, tolerance.least * time.busySeconds)
  );
}

export function misfitText(app: string, cents = 0, price = 0): string {
  const hourly = dollars(3_600 * price);
  return `${app}: what is idle is not known: a cost of ${dollars(cents)} does not fit the price of now, ${hourly} an hour; the price or the scaling was another one`;
}
