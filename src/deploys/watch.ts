import { duration } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { noStep } from '../platform/waiting/index.ts';
import type { Finding, Health } from './health.ts';
import { allParts, type LookPart } from './look.ts';
import { type ObservedBuild, type Smoke, summary } from './observed.ts';
import { lateMs } from './serving.ts';

/** How often a watch looks, at first and after a replica came or went, and otherwise: two minutes are 60 requests. In ms. */
export const pauses = { firstMs: 2_000, ms: 5_000, firstForMs: 10_000 };

/** A verdict that does not change any more. */
type Ended = Health & { finding: Exclude<Finding, 'look again'> };

function isEnd(health: Health): health is Ended {
  return health.finding !== 'look again';
}

/** Looks until the table of health decides. What is not watched is looked at once, and again while it may be late. */
export async function watchBuild(
  context: Context,
  observed: ObservedBuild,
  smoke: Smoke,
  watchMs: number | undefined,
): Promise<Ended> {
  const { elapsed, delay, progress } = context;
  const started = elapsed();
  const whole: readonly LookPart[] = watchMs === undefined ? ['app', 'replicas'] : allParts;
  const step = watchMs === undefined ? noStep : progress.step(`Watching ${observed.subject.app}`);
  try {
    for (let looks = 0; ; looks++) {
      const passedMs = elapsed() - started;
      const leftMs = (watchMs ?? 0) - passedMs;
      const time = leftMs > 0 ? 'left' : leftMs > -lateMs ? 'late' : 'over';
      // Replicas each time, the others in turn: nothing is decided by what is older than one look.
      const parts = looks > 0 && time === 'left' ? partsInTurn[looks % 2] : whole;
      await observed.look(parts ?? whole);
      if (parts !== whole && observed.judge(smoke, time).finding !== 'look again') await observed.look(whole);
      const health = observed.judge(smoke, time);
      if (isEnd(health)) return health;
      const left = leftMs > 0 ? `${duration(leftMs)} left` : 'until the platform shows what is true now';
      step.update({ text: `${summary(observed.seen)}, ${left}` });
      const isCalm = elapsed() - Math.max(started, observed.replicas.changedAt) >= pauses.firstForMs;
      const pauseMs = isCalm ? pauses.ms : pauses.firstMs;
      await delay(leftMs > 0 ? Math.min(pauseMs, leftMs) : pauseMs);
    }
  } finally {
    step.clear();
  }
}

const partsInTurn: readonly (readonly LookPart[])[] = [
  ['replicas', 'app'],
  ['replicas', 'runs'],
];
