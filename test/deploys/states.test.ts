import { expect, test } from 'vitest';
import type { Behavior } from '../support/app-platform/types.ts';
import { half } from '../support/extent.ts';
import { type AppOf, crash, type Machine, Stage } from './stage.ts';

/** The line of the documents and of the pipelines that `ci init` writes. */
const line = 'deploy --if-changed --if-busy wait --smoke run --watch 40s --or-rollback --timeout 20m';

const failing: Behavior = { calls: { everyMs: 2_000, failing: 1 } };

/** What the app is before the line is typed, and what everybody's files are. */
interface State {
  app?: AppOf;
  /** What everybody's exit code must be. */
  code: number;
  arrange: (stage: Stage, first: Machine) => Promise<unknown>;
}

const deployed = (stage: Stage, first: Machine) => first.run('deploy').then(() => stage.pass(60_000));
const withStatus = (status: string) => async (stage: Stage, first: Machine) => {
  await deployed(stage, first);
  Object.assign(stage.web, { status });
};
const others = { minReplicaCount: 1, disableAuth: false };

const unknownWords = ['running', 'live', 'idle'];

const states: Record<string, State> = {
  'never deployed': { code: 0, arrange: async () => {} },
  'live and healthy': { code: 0, arrange: deployed },
  'crash-looping': { code: 12, app: { behaves: crash }, arrange: deployed },
  'failing its calls': { code: 12, app: { behaves: failing }, arrange: deployed },
  'status error': { code: 8, arrange: withStatus('error') },
  'status not_ready': { code: 8, arrange: withStatus('not_ready') },
  ...Object.fromEntries(
    unknownWords.map((word) => [`status ${word}, which no document has`, { code: 0, arrange: withStatus(word) }]),
  ),
  'scaled to zero': { code: 0, app: { scaling: 'min_replicas = 0\n' }, arrange: deployed },
  'a build in progress': {
    code: 0,
    arrange: async (stage, first) => {
      await deployed(stage, first);
      await stage.stranger(others, { buildMs: 30_000 });
    },
  },
  'another deploy that was killed': {
    code: 0,
    arrange: async (stage, first) => {
      await deployed(stage, first);
      await stage.stranger(others);
    },
  },
  'rolled back': {
    code: 12,
    app: { behaves: crash, version: 2 },
    arrange: async (_, first) => {
      await first.deploys({});
      await first.write({ behaves: crash, version: 2 });
      await first.run('deploy --watch 40s --or-rollback');
    },
  },
  'found sick, and nothing to return to': {
    code: 12,
    app: { behaves: crash },
    arrange: async (_, first) => first.run('deploy --watch 40s --or-rollback'),
  },
  'a build that fails': { code: 11, app: { behaves: { ends: 'build_failure' } }, arrange: async () => {} },
  'being deleted': { code: 8, arrange: withStatus('deleting') },
};

test.each(half(Object.entries(states)))('%s: the line is typed twice by two people at once', async (_, state) => {
  const { app, arrange, code } = state;
  const stage = await Stage.open();
  await arrange(stage, await stage.machine(app));
  for (let time = 0; time < 2; time++) {
    const people = await Promise.all([stage.machine(app), stage.machine(app)]);
    const typed = people.map(async (person) => ({ ...(await person.run(line)), isWell: isWell(stage, app) }));
    for (const outcome of await Promise.all(typed)) {
      expect(outcome, outcome.stderr).toMatchObject({ code, isWell: code === 0 });
      // It is said what serves.
      if (code !== 0) expect(outcome.stderr).toContain(stage.platform.live() ?? 'failed');
    }
  }
  const left = stage.builds.filter(({ ended, body }) => !ended && body.cliVersion !== '1.0');
  expect(left).toEqual([]);
});

/** Whether the build that serves is that of everybody's files, and nothing is wrong with it. */
function isWell({ platform }: Stage, { behaves, version = 1 }: AppOf = {}): boolean {
  const app = platform.app('web');
  const main = String(app && platform.world.live(app)?.files.get('main.py'));
  return (
    main.includes(`"version": ${version}`) &&
    behaves === undefined &&
    [undefined, ...unknownWords].includes(app?.status)
  );
}
