import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Behavior, Quirks } from '../support/app-platform/types.ts';
import { drawnCases } from '../support/extent.ts';
import { Stage, staged, verdictOf } from './stage.ts';

/** What shows that a run is a job: the list of runs, the list of containers, or both. */
const shows: Quirks[] = [
  {},
  { hidesMethods: true },
  { refuses: { runs: 404 } },
  { restarts: 'start times', hasStatuses: true },
  { pageSize: 7, hasText: true },
];
/** How the new build is, and what becomes of the deploy. */
const builds: [Behavior, code: number, verdict: string][] = [
  [{}, 0, 'healthy'],
  [{ calls: { everyMs: 1_000 } }, 0, 'healthy'],
  [{ calls: { everyMs: 1_000, failing: 2 } }, 12, 'sick'],
  [{ replicas: 'crash' }, 12, 'sick'],
  [{ replicas: 'waiting' }, 8, 'unknown'],
];

/** Jobs from a time on, half of which fail. */
function addJobs({ platform: { world }, clock }: Stage, everyMs: number, until: number): void {
  for (let at = clock.now; at < until; at += everyMs) {
    const number = world.jobs.length;
    world.jobs.push({ app: 'web', at, code: number % 2 === 0 ? 500 : 200, id: `job-${number}` });
  }
}

describe.each(shows.map((quirks, at) => ({ quirks, at })))('jobs on a platform of $quirks', ({ quirks, at }) => {
  const cases = drawnCases(2, 5);

  test(`touch none of ${cases} verdicts`, async () => {
    const found: unknown[] = [];
    for (let seed = 0; seed < cases; seed++) {
      const [behaves, code, verdict] = builds[(seed + at) % builds.length] as (typeof builds)[number];
      const { stage, machine } = await staged({}, quirks);
      if (seed % 3 > 0) await machine.deploys({ behaves: { calls: { everyMs: 2_000 } } });
      stage.pass(60_000);
      addJobs(stage, 700 + 400 * seed, stage.clock.now + 120_000);
      await machine.write({ behaves, version: 2 });
      const outcome = await machine.run('deploy --watch 35s --json');
      if (outcome.code !== code || verdictOf(outcome) !== verdict) found.push([seed, outcome.code, outcome.stderr]);
    }
    expect(found).toEqual([]);
  });
});

test('jobs that this machine has started are no calls, where nothing else tells them', async () => {
  const stage = await Stage.open({ hidesMethods: true, refuses: { containers: 404 } });
  const { world } = stage.platform;
  const machine = await stage.machine();
  await machine.deploys({ behaves: { calls: { everyMs: 1_000 } } });
  addJobs(stage, 1_000, stage.clock.now + 60_000);
  stage.pass(60_000);
  const asked = () => machine.json<{ lastHour: { calls: number } }>('status');
  const at = stage.clock.now;
  const { calls } = (await asked()).lastHour;
  const history = join(machine.home, 'state', 'history');
  const own = world.jobs.map(({ id }) => ({ at: new Date(stage.clock.now), event: 'job', by: 'ada@laptop', run: id }));
  const [file = ''] = await readdir(history);
  await appendFile(join(history, file), own.map((event) => `\n${JSON.stringify(event)}`).join(''));
  // A command takes time, in which the app is called.
  stage.clock.now = at;
  expect(calls - (await asked()).lastHour.calls).toBe(own.length);
});
