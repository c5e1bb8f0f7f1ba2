import { roundCents } from '../../kernel/output/format.ts';
import type { Scaling } from '../../platform/scaling.ts';
import { monthMs } from '../cost/index.ts';
import type { Outcome, ScalingSettings } from './advice.ts';
import { settingsKey } from './choose-options.ts';
import { coldStartsOf, latencyOf } from './fit-model.ts';
import { type CallTrace, type ReplicaModel, replayCalls } from './replay.ts';

interface ReplayOptions {
  model: ReplicaModel;
  /** US cents per second. */
  price: number | undefined;
  /** Awaited before each replay. */
  onReplay: (done: number) => Promise<void>;
}

/** Returns what tells what settings would have meant. Those that cannot differ from others are not replayed. */
export function replayer(
  trace: CallTrace,
  { model, price, onReplay }: ReplayOptions,
): (settings: ScalingSettings) => Promise<Outcome> {
  let done = 0;
  /** Where no call was held back by the most replicas that there may be: more of them change nothing. */
  const unlimited = new Map<string, Outcome>();
  return async ({ minReplicas, maxReplicas, cooldownSeconds, concurrency }) => {
    const settings = { minReplicas, maxReplicas, cooldownSeconds, concurrency };
    const others = settingsKey({ ...settings, maxReplicas: 0 });
    const same = unlimited.get(others);
    if (same && same.maxReplicas <= maxReplicas) return { ...same, ...settings };
    await onReplay(done++);
    const { isLimited, outcome } = replayed(trace, settings, { model, price });
    if (!isLimited) unlimited.set(others, outcome);
    return outcome;
  };
}

export function scalingToReplay({ minReplicas, maxReplicas, cooldownSeconds, concurrency }: ScalingSettings): Scaling {
  return { minReplicas, maxReplicas, concurrency, cooldownMs: cooldownSeconds * 1000 };
}

function replayed(
  trace: CallTrace,
  settings: ScalingSettings,
  { model, price }: Pick<ReplayOptions, 'model' | 'price'>,
): { isLimited: boolean; outcome: Outcome } {
  const { days, replicaSeconds, isLimited } = replayCalls(trace, scalingToReplay(settings), model);
  const latency = latencyOf(days);
  const month = monthMs / (trace.until - trace.since);
  const at = (share: number) => Math.round(latency.quantile(share));
  const outcome = {
    ...settings,
    coldStarts: coldStartsOf(days),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    replicaSeconds,
    centsPerMonth: price === undefined ? null : roundCents(price * replicaSeconds * month),
  };
  return { isLimited, outcome };
}
