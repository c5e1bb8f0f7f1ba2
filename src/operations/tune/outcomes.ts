import type { Scaling } from '../../scaling/index.ts';
import type { Outcome, ScalingSettings } from './advice.ts';
import { coldStartsOf, latencyOf } from './fit-model.ts';
import { type CallTrace, type ReplicaModel, replayCalls } from './replay.ts';

interface ReplayOptions {
  model: ReplicaModel;
  /** US cents per second. */
  price: number | undefined;
  /** Awaited before each replay. */
  onReplay: (done: number) => Promise<void>;
}

/** What each of the settings would have meant, in their order. */
export async function replayAll(
  trace: CallTrace,
  candidates: readonly ScalingSettings[],
  { model, price, onReplay }: ReplayOptions,
): Promise<Outcome[]> {
  const outcomes = new Map<ScalingSettings, Outcome>();
  /** Where no call was held back by the most replicas that there may be: more of them change nothing. */
  const unlimited = new Map<string, Outcome>();
  for (const settings of candidates.toSorted((a, b) => a.maxReplicas - b.maxReplicas)) {
    const { minReplicas, cooldown, concurrency } = settings;
    const others = [minReplicas, cooldown, concurrency].join('/');
    const same = unlimited.get(others);
    if (same) {
      outcomes.set(settings, { ...same, ...settings });
      continue;
    }
    await onReplay(outcomes.size);
    const { isLimited, outcome } = replayed(trace, settings, { model, price });
    outcomes.set(settings, outcome);
    if (!isLimited) unlimited.set(others, outcome);
  }
  return candidates.map((settings) => outcomes.get(settings) as Outcome);
}

export function scalingToReplay({ minReplicas, maxReplicas, cooldown, concurrency }: ScalingSettings): Scaling {
  return { minReplicas, maxReplicas, concurrency, cooldownMs: cooldown * 1000 };
}

const dayMs = 86_400_000;

function replayed(
  trace: CallTrace,
  settings: ScalingSettings,
  { model, price }: Pick<ReplayOptions, 'model' | 'price'>,
): { isLimited: boolean; outcome: Outcome } {
  const { days, replicaSeconds, isLimited } = replayCalls(trace, scalingToReplay(settings), model);
  const latency = latencyOf(days);
  const month = (30 * dayMs) / (trace.until - trace.since);
  const at = (share: number) => Math.round(latency.quantile(share));
  const outcome = {
    ...settings,
    coldStarts: coldStartsOf(days),
    ...{ p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), replicaSeconds },
    monthCents: price === undefined ? null : price * replicaSeconds * month,
  };
  return { isLimited, outcome };
}
