import { describe, expect, test } from 'vitest';
import { coldStartsOf, fitModel, latencyOf } from '../../../src/insight/tune/fit-model.ts';
import { PastCalls } from '../../../src/insight/tune/past-calls.ts';
import { replayCalls } from '../../../src/insight/tune/replay.ts';
import { isWhole } from '../../support/extent.ts';
import { playTraffic } from '../../support/run-platform/played-traffic.js';
import { tracesFrom, tracesTo, trafficShapes } from '../../support/run-platform/traffic-shapes.js';
import type { PlayedCall, TrafficShape } from '../../support/run-platform/types.ts';

const shapes = trafficShapes(1).filter(({ name }) => isWhole || /^(bursts|one long tail|now and then)$/.test(name));
const lastWeek = tracesTo - 7 * 86_400_000;

/** The numbers of a whole measurement. */
const tell = (text: string) => void (isWhole && process.stderr.write(`${text}\n`));

/** The calls that a platform would show, of a pool that shares no code with ours. */
function played(shape: TrafficShape) {
  const { settings, startMs, balancing, bindsStarts } = shape;
  const arrivals = shape.arrivals.toSorted((a, b) => a - b).map((at) => ({ at, runtimeMs: shape.runtimeOf() }));
  const play = (from: number, changed: Partial<TrafficShape['settings']> = {}) => {
    const wanted = arrivals.filter(({ at }) => at >= from);
    const changedSettings = { ...settings, ...changed };
    return playTraffic({
      arrivals: wanted,
      settings: changedSettings,
      startMs,
      balancing,
      bindsStarts,
      from,
      to: tracesTo,
    });
  };
  return { all: play(tracesFrom), again: (changed: Partial<TrafficShape['settings']>) => play(lastWeek, changed) };
}

function pastOf(calls: readonly PlayedCall[], since: number, until: number): PastCalls {
  const past = new PastCalls(since, until);
  for (const { at, runtimeMs, coldStartMs, queueMs, replica } of calls) {
    if (at >= since && at < until) past.addCall(at, runtimeMs, { coldStartMs, queueMs, replica });
  }
  return past;
}

const scalingOf = ({ cooldownSeconds, ...settings }: TrafficShape['settings']) => ({
  ...settings,
  cooldownMs: 1_000 * cooldownSeconds,
});

/** Counts that are off by less than a few calls are not held against it. */
function expectNear(what: string, predicted: number, actual: number, share: number, slack = 0): void {
  tell(`${what}: ${Math.round(predicted)} of ${Math.round(actual)}`);
  expect(Math.abs(predicted - actual), what).toBeLessThanOrEqual(share * actual + slack);
}

describe.each(shapes)('$name: a week that was not seen', (shape) => {
  const { all, again } = played(shape);
  const past = pastOf(all.calls, tracesFrom, lastWeek);
  const held = pastOf(all.calls, lastWeek, tracesTo);
  const { model, error, isOff } = fitModel(past, past.trace(), scalingOf(shape.settings));

  test('is predicted: cold starts within 10 %, p90 within 15 %', () => {
    const { days } = replayCalls(held.trace(), scalingOf(shape.settings), model);
    expect([isOff, error.days]).toEqual([false, 21]);
    expectNear(`${shape.name}, cold starts`, coldStartsOf(days), coldStartsOf(held.days), 0.1, 3);
    expectNear(`${shape.name}, p90`, latencyOf(days).quantile(0.9), latencyOf(held.days).quantile(0.9), 0.15);
  });

  test.each([
    { cooldownSeconds: 600 },
    { cooldownSeconds: 30 },
    { minReplicas: 1 },
    { maxReplicas: 6, cooldownSeconds: 300 },
  ])('is predicted with other settings, too: %j', (changed) => {
    const real = again(changed);
    const actual = pastOf(real.calls, lastWeek, tracesTo).days;
    const replayed = replayCalls(held.trace(), scalingOf({ ...shape.settings, ...changed }), model);
    const name = `${shape.name}, ${JSON.stringify(changed)}`;
    expectNear(`${name}, cold starts`, coldStartsOf(replayed.days), coldStartsOf(actual), 0.15, 10);
    expectNear(`${name}, p90`, latencyOf(replayed.days).quantile(0.9), latencyOf(actual).quantile(0.9), 0.15);
    expectNear(`${name}, seconds`, replayed.replicaSeconds, real.replicaSeconds, 0.15);
  });
});

test('a pool of other rules is not predicted', () => {
  const past = new PastCalls(tracesFrom, lastWeek);
  // Every tenth call waits for a start, whatever was before it.
  for (let call = 0; call < 3_000; call++) {
    const [at, coldStartMs] = [tracesFrom + call * 500_000, call % 2 ? 0 : 9_000];
    past.addCall(at, 1_000, { coldStartMs, queueMs: coldStartMs, replica: `r-${call}` });
  }
  expect(
    fitModel(past, past.trace(), scalingOf({ minReplicas: 1, maxReplicas: 2, cooldownSeconds: 60, concurrency: 1 }))
      .isOff,
  ).toBe(true);
});
