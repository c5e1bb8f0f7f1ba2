import { describe, expect, test } from 'vitest';
import type { ScalingSettings } from '../../../src/insight/tune/advice.ts';
import {
  chooseOptions,
  replayer,
  scalingToReplay,
  searchSettings,
  wishesOf,
} from '../../../src/insight/tune/choose-options.ts';
import { fitModel } from '../../../src/insight/tune/fit-model.ts';
import { PastCalls } from '../../../src/insight/tune/past-calls.ts';
import { isWhole } from '../../support/extent.ts';
import { playTraffic } from '../../support/run-platform/played-traffic.js';
import { tracesFrom, trafficShapes } from '../../support/run-platform/traffic-shapes.js';

const minute = 60;
const until = tracesFrom + 14 * 86_400_000;
/** Where the best cooldown of each world is about, in minutes. */
const between = [4, 7, 9, 13, 14, 16, 22, 26, 37, 44];
const worlds = trafficShapes(2).map((shape, at) => ({ ...shape, about: minute * (between[at] ?? 10) }));

/** What settings mean in two weeks of a world that shares no code with ours. */
function player({ arrivals, runtimeOf, startMs, balancing, bindsStarts, settings: now }: (typeof worlds)[number]) {
  const all = arrivals.filter((at) => at < until).sort((a, b) => a - b);
  const calls = all.map((at) => ({ at, runtimeMs: runtimeOf() }));
  return (settings: ScalingSettings = now) => {
    const played = playTraffic({
      arrivals: calls,
      settings,
      startMs,
      balancing,
      bindsStarts,
      from: tracesFrom,
      to: until,
    });
    const waits = played.calls.map(({ queueMs, runtimeMs }) => queueMs + runtimeMs).sort((a, b) => a - b);
    return { ...played, p90: waits[Math.ceil(0.9 * waits.length) - 1] ?? 0 };
  };
}

describe.each(worlds.filter(({ name }) => isWhole || /launch|office hours|now and then/.test(name)))(
  '$name',
  (world) => {
    const { settings, about } = world;
    const concurrencies = [...new Set([settings.concurrency, Math.ceil(settings.concurrency / 2)])];
    const play = player(world);
    const slo = { quantile: 'p90', ms: Math.ceil(1.01 * play({ ...settings, cooldownSeconds: about }).p90) } as const;

    /** What the cheapest cost that keep a limit, of those whose cooldownSeconds is whole minutes; at most what is known. */
    function best(limit: number, known: number): number {
      let least = known;
      for (const maxReplicas of new Set([
        Math.ceil(settings.maxReplicas / 2),
        settings.maxReplicas,
        2 * settings.maxReplicas,
      ])) {
        for (const minReplicas of [0, 1, 2].filter((kept) => kept <= maxReplicas)) {
          for (const concurrency of concurrencies)
            for (let cooldownSeconds = minute; cooldownSeconds <= 60 * minute; cooldownSeconds += minute) {
              const { p90, replicaSeconds } = play({ concurrency, minReplicas, maxReplicas, cooldownSeconds });
              // A longer one costs more.
              if (replicaSeconds >= least) break;
              if (p90 <= limit) least = replicaSeconds;
            }
        }
      }
      return least;
    }

    test('the cheapest settings cost at most 5 % more than the cheapest that there are', async () => {
      const past = new PastCalls(tracesFrom, until);
      for (const { at, runtimeMs, ...waited } of play().calls) past.addCall(at, runtimeMs, waited);
      const trace = past.trace();
      const { model } = fitModel(past, trace, scalingToReplay(settings));
      const replay = replayer(trace, { model, price: 1, onReplay: async () => {} });
      const now = await replay(settings);
      const wishes = wishesOf(now, { slo, budgetCents: undefined });
      const outcomes = await searchSettings(replay, now, { concurrencies, wishes });
      const cheapest = chooseOptions(outcomes, { app: 'web', wishes }).options.find(
        ({ option }) => option === 'cheapest',
      );
      if (!cheapest) throw new Error('no settings keep the limit');
      const { replicaSeconds, p90 } = play(cheapest);
      const share = replicaSeconds / best(Math.max(slo.ms, p90), replicaSeconds);
      if (isWhole)
        process.stderr.write(
          `${world.name}: ${share.toFixed(3)} of the best cost, p90 ${p90} of ${slo.ms} ms, ${outcomes.length} tried\n`,
        );
      expect(share).toBeLessThanOrEqual(1.05);
      expect(p90).toBeLessThanOrEqual(1.1 * slo.ms);
    }, 120_000);
  },
);
