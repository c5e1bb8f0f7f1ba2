import { expect, test } from 'vitest';
import { replayer } from '../../../src/insight/tune/choose-options.ts';
import { PastCalls } from '../../../src/insight/tune/past-calls.ts';
import { Draw } from '../../chaos/draw.js';

const since = Date.UTC(2026, 9, 5);

/** Calls in threes at odd distances: some settings have too few replicas for them, and some have enough. */
function pastCalls(): PastCalls {
  const draw = new Draw(1);
  const past = new PastCalls(since, since + 86_400_000);
  for (let at = since; at < since + 80_000_000; at += draw.int(30_000, 600_000)) {
    for (const later of [0, 200, 900]) {
      past.addCall(at + later, draw.int(100, 9_000), { coldStartMs: 0, queueMs: 5, replica: undefined });
    }
  }
  return past;
}

// A start takes 7 s, a call 1 s, and a replica lives for 100 s after its last one.
test.each([
  [3, 1, 3, 3 * 108],
  [2, 2, 3, 2 * 108],
  [1, 3, 3, 108],
  [2, 1, 2, 108 + 109],
])(
  'three calls at once start %i replicas of %i calls each, of at most %i',
  async (_, concurrency, maxReplicas, seconds) => {
    const past = new PastCalls(since, since + 86_400_000);
    for (let call = 0; call < 3; call++) past.addCall(since, 1_000, { coldStartMs: 0, queueMs: 0, replica: undefined });
    const model = { routing: 'first', sharesStarts: true, starts: () => 7_000 } as const;
    const settings = { minReplicas: 0, maxReplicas, cooldownSeconds: 100, concurrency };
    const replay = replayer(past.trace(), { model, price: 1, onReplay: async () => {} });
    expect((await replay(settings)).replicaSeconds).toBe(seconds);
  },
);

test.each([true, false])(
  'settings that cannot differ are replayed once, and come as by themselves',
  async (sharesStarts) => {
    const trace = pastCalls().trace();
    const model = { routing: 'first', sharesStarts, starts: () => 7_000 } as const;
    const candidates = [6, 3, 2, 1].flatMap((maxReplicas) =>
      [0, 1].flatMap((minReplicas) =>
        [10, 90, 600].map((cooldownSeconds) => ({ minReplicas, maxReplicas, cooldownSeconds, concurrency: 1 })),
      ),
    );
    let replays = 0;
    const counted = { model, price: 1, onReplay: async () => void replays++ };
    const all = async (order: typeof candidates) => {
      const replay = replayer(trace, counted);
      const outcomes = [];
      for (const each of order) outcomes.push(await replay(each));
      return outcomes;
    };
    const together = await all(candidates.toReversed());
    expect(replays).toBeLessThan(candidates.length);
    const alone = await Promise.all(candidates.map((each) => all([each])));
    expect(together.toReversed()).toEqual(alone.flat());
    // Whatever they are asked in.
    expect(await all(candidates)).toEqual(alone.flat());
    // More replicas do change something where there were too few.
    expect(new Set(together.map(({ p90Ms }) => p90Ms)).size).toBeGreaterThan(5);
  },
);
