import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Behavior, Quirks } from '../support/app-platform/types.ts';
import { half, halves } from '../support/extent.ts';
import { machine as environment, type Outcome } from '../support/index.ts';
import { type AppOf, crash, deployed, type Machine, Stage, safeLine, staged, verdictOf } from './stage.ts';

const crashing: AppOf = { behaves: crash, version: 2 };
const idle = 'min_replicas = 0\n';

interface Failure {
  message: string;
  details?: { rollback?: { outcome: string; serves: string; restored?: string } };
}

const errorOf = ({ json }: Outcome) => (json() as { error?: Failure }).error;

describe('the line of the documents, typed again on a fresh machine', () => {
  test('goes on with the watch after the platform was away', async () => {
    const { stage, machine } = await staged(crashing);
    stage.at('containers', 4, () => Object.assign(stage.platform, { isDown: true }));
    const first = await machine.run(safeLine);
    expect(first).toExit(8, 'whether it is healthy is not known');
    const [, next = ''] = /fix (gantry .*)/.exec(first.stderr) ?? [];
    stage.calm();
    expect(next).toContain('--if-changed');
    expect((await machine.run(next.replace('gantry ', ''))).code).toBe(12);
  });

  test('does not call an app unchanged whose status says otherwise', async () => {
    const { stage } = await deployed({});
    for (const status of ['error', 'not_ready']) {
      Object.assign(stage.web, { status });
      const said = `web is unchanged, but its status is ${status}: deploying`;
      expect(await (await stage.machine()).run('deploy --if-changed')).toExit(0, said);
    }
  });
});

describe('scaling by hand', () => {
  test('to no replica is what is watched, and is not sick', async () => {
    const { stage, machine } = await deployed({});
    await machine.run('apps scale web --min-replicas 0');
    await machine.write({ version: 2 });
    const outcome = await machine.run('deploy --keep-scaling --watch 40s --or-rollback --json');
    expect(outcome).toExit(8, 'no replica and no call of it was seen', /fix gantry deploy .*--smoke \S+/);
    expect(verdictOf(outcome)).toBe('unknown');
    expect(stage.web.settings).toMatchObject({ minReplicaCount: 0 });
  });

  test.each([
    ['an automatic rollback', crashing, 'deploy --watch 40s --or-rollback', 12],
    ['a rollback', { version: 2 }, 'rollback web --yes', 0],
  ])('survives %s', async (_, next, line, expected) => {
    const { stage, machine, build: first } = await deployed({});
    if (expected === 0) await machine.deploys(next);
    await machine.run('apps scale web --min-replicas 10 --max-replicas 40');
    await machine.write(next);
    expect(await machine.run(line)).toExit(expected, first);
    expect(stage.web.settings).toMatchObject({ minReplicaCount: 10, maxReplicaCount: 40 });
  });
});

test.each(['nothing', 'start times'] as const)('restarts that are not counted are not zero: %s', async (restarts) => {
  const stage = await Stage.open({ restarts });
  const { stderr, json } = await (await stage.machine()).run('deploy --watch 40s --json');
  expect(stderr).toMatch(/web is healthy .*restarts are not shown/);
  expect(json()).toMatchObject({ health: { verdict: 'healthy', restarts: null } });
});

test('an app with a status that nobody knows is not called healthy', async () => {
  const { stage, machine } = await deployed({});
  for (const [at, status] of ['suspended', 'FAILED', 'unhealthy', 'degraded'].entries()) {
    Object.assign(stage.web, { status });
    await machine.write({ version: 2 + at });
    const outcome = await machine.run('deploy --watch 10s --json');
    expect([outcome.code, verdictOf(outcome)]).toEqual([8, 'unknown']);
    expect(outcome.stderr).toContain(`the status of the app is ${status}`);
  }
});

test('Ctrl-C during a watch says what serves and how to go on', async () => {
  const { stage, machine } = await staged();
  const line = 'deploy --watch 40s --or-rollback --json';
  const { code, stderr, json } = await machine.run(line, { stop: /Watching web/ });
  expect(code).toBe(130);
  expect(stderr).toContain(`web serves build ${stage.platform.live()}, which was not watched to the end`);
  expect(stderr).toContain('fix gantry deploy --if-changed --watch 40s --or-rollback');
  expect(json()).toMatchObject({ error: { next: expect.arrayContaining(['--if-changed', '--or-rollback']) } });
  expect(stderr).not.toMatch(/cancel/);
});

test('SIGTERM during the automatic rollback says that the sick build serves', async () => {
  const { stage, machine } = await deployed({});
  await machine.write(crashing);
  const told = join(machine.folder, '..', 'told');
  const env = { PATH: environment().PATH ?? '', GITHUB_OUTPUT: told, GITHUB_STEP_SUMMARY: `${told}.md` };
  const line = ['deploy', '--watch', '40s', '--or-rollback', '--json'];
  const { code, stderr, json } = await machine.run(line, { env, stop: { at: /rollback of web/, signal: 'SIGTERM' } });
  const sick = stage.platform.live();
  const truth = `interrupted: build ${sick} of web was found sick; build ${sick} serves, and nothing was rolled back`;
  expect([code, stderr]).toEqual([143, expect.stringContaining(truth)]);
  const details = { verdict: 'sick', rollback: { outcome: 'interrupted', serves: sick } };
  expect(json()).toMatchObject({ error: { message: truth, details } });
  expect(await readFile(told, 'utf8')).toMatch(/status=failed\nbuild-status=succeeded/);
  expect(await readFile(`${told}.md`, 'utf8')).toContain(truth);
});

/** What the new build is and is called, after a build that was well and was called. */
type Case = [title: string, behaves: Behavior, more?: { quirks?: Quirks }];
const busy: Behavior = { calls: { everyMs: 1_000 } };
const seldom = { everyMs: 8_000, failing: 1 };
const onceOf99 = { everyMs: 300, failing: 99 };
const quirks = { hasStatuses: true };

// What the verdict follows from is a table of watch-build.test.ts. Here is what a platform sends.
const sick: Case[] = [
  ['runs whose status code is text', { calls: seldom }, { quirks: { hasText: true } }],
  ['failing runs on a platform that has only the chart', { calls: seldom }, { quirks: { refuses: { runs: 404 } } }],
  ['replicas that come back under other names', { replicas: 'renamed' }],
  ['the same where only its start time shows it', { replicas: 'crash' }, { quirks: { restarts: 'start times' } }],
];
const unknown: Case[] = [
  ['runs of a replica that was never listed fail', { replicas: 'unlisted', calls: seldom }],
  ['calls fail, and replicas are not listed', { calls: seldom }, { quirks: { refuses: { containers: 403 } } }],
  ['nothing of it is listed', busy, { quirks: { refuses: { containers: 403, runs: 404, chart: 404 } } }],
];
const healthy: Case[] = [
  ['one failed call of many, which is its caller’s', { calls: { ...onceOf99, code: 422 } }, { quirks }],
];

describe.each([
  ['healthy', 0, healthy],
  ['sick', 12, sick],
  ['unknown', 8, unknown],
])('%s', (verdict, expected, cases) => {
  test.each(cases)('%s', async (_, behaves, { quirks = {} } = {}) => {
    const { stage, machine } = await deployed({ behaves: busy }, quirks);
    stage.pass(120_000);
    await machine.write({ behaves, version: 2 });
    const outcome = await machine.run('deploy --watch 40s --json');
    expect([outcome.code, verdictOf(outcome)]).toEqual([expected, verdict]);
  });
});

test('a healthy build is said with what was seen of it', async () => {
  const { machine } = await staged({ behaves: { calls: { everyMs: 10_000 } } });
  const { stderr, json } = await machine.run('deploy --watch 40s --json');
  expect(stderr).toMatch(/web is healthy after .*: 1 replica, [34] runs, 0 failed/);
  const seen = { replicas: 1, restarts: 0, failedRuns: 0, watchedMs: expect.any(Number) };
  expect(json()).toMatchObject({ changed: true, health: { verdict: 'healthy', ...seen } });
});

describe('a call of --smoke', () => {
  const asleep: AppOf = { scaling: idle };
  const answers: Behavior[] = [{}, { calls: { everyMs: 90_000, failing: 1 } }];
  const smoke = 'deploy --smoke run --or-rollback --json';

  /** A platform that lists neither a replica with its build, nor the replica of a run. */
  async function opened(quirks: Quirks = {}, app: AppOf = asleep): Promise<{ stage: Stage; machine: Machine }> {
    const { stage, machine } = await staged(app, quirks);
    const { world } = stage.platform;
    const runs = world.runs.bind(world);
    if (app === asleep) world.runs = (of) => runs(of).map((run) => ({ ...run, pod: '' }));
    return { stage, machine };
  }

  const unlisted =
    /which build answered is not known: (its replica is not listed with a build|replicas are not listed \(.*\))/;
  const unnamed = /its run names no replica/;
  const listing = (quirks: Quirks, alter?: Parameters<Stage['alter']>[0]) => async (behaves: Behavior) => {
    const { stage, machine } = await opened(quirks, {});
    await machine.deploys({});
    if (alter) stage.alter(alter);
    await machine.write({ behaves, version: 2 });
    return machine.run(smoke);
  };

  test.each<[string, says: RegExp, ask: (behaves: Behavior) => Promise<Outcome>]>([
    ...half<[string, RegExp, (behaves: Behavior) => Promise<Outcome>]>([
      ['replicas are refused', unlisted, listing({ refuses: { containers: 403 } })],
      ['replicas are not found', unlisted, listing({ refuses: { containers: 404 } })],
      ['no replica is listed', unlisted, listing({}, () => [])],
      ['replicas have no build', unlisted, listing({}, (each) => [{ ...each, build: '' }])],
    ]),
    [
      'a run names no replica, and another build had one when the deploy looked',
      unnamed,
      async (behaves) => {
        const { machine } = await opened();
        await machine.deploys({});
        await machine.write({ behaves, version: 2 });
        return machine.run(smoke);
      },
    ],
    [
      'a run names no replica, and another build was woken while the new one was made',
      unnamed,
      async (behaves) => {
        const { machine } = await opened();
        await machine.deploys(asleep);
        await machine.write({ ...asleep, behaves, version: 2 });
        return machine.run(smoke);
      },
    ],
    [
      'a run names no replica, and another build was deployed by somebody else while the new one was made',
      unnamed,
      async (behaves) => {
        const { stage, machine } = await opened();
        stage.at('upload', 1, () => stage.stranger({}, { buildMs: 500 }));
        await machine.write({ ...asleep, behaves, version: 2 });
        return machine.run(smoke);
      },
    ],
    [
      'a run names no replica, and another build served before an unchanged one, as a fresh machine finds it',
      unnamed,
      async (behaves) => {
        const { stage, machine } = await opened();
        await machine.deploys(asleep);
        await machine.deploys({ ...asleep, behaves, version: 2 });
        return (await stage.machine({ ...asleep, behaves, version: 2 })).run(`${smoke} --if-changed`);
      },
    ],
  ])('says nothing where %s', async (_, says, ask) => {
    for (const behaves of half(answers)) {
      const outcome = await ask(behaves);
      expect([outcome.code, verdictOf(outcome)]).toEqual([8, 'unknown']);
      expect(errorOf(outcome)?.message).toMatch(says);
    }
  });

  test.each<[string, Behavior?]>([['no other build was made'], ['another one failed', { ends: 'build_failure' }]])(
    'is of the first build that serves, though its run names no replica: %s',
    async (_, failing) => {
      for (const behaves of answers) {
        const { machine } = await opened();
        if (failing) await machine.write({ ...asleep, behaves: failing });
        if (failing) await machine.run('deploy');
        await machine.write({ ...asleep, behaves, version: 2 });
        const outcome = await machine.run(smoke);
        expect([outcome.code, verdictOf(outcome)]).toEqual(behaves.calls ? [12, 'sick'] : [0, 'healthy']);
      }
    },
  );
});

describe('a call of --smoke that the gateway refuses', () => {
  const [refused, refusedByServer] = halves([302, 401, 402, 403, 404, 429, 502, 503, 504]);
  const [failed, failedOfServer] = halves([401, 403, 404, 422, 429, 500, 503]);
  /** A server of its own, with other words for what it refuses than the platform. */
  const server = { more: '[cerebrium.runtime.custom]\nentrypoint = ["python", "main.py"]\nport = 8000\n' };
  const [brief, briefly] = halves([404, 429, 503]);
  const apps: [string, AppOf, string, number[], number[], number[]][] = [
    ['functions', {}, 'run', refused, failed, brief],
    ['a server', server, '/health', refusedByServer, failedOfServer, briefly],
  ];

  describe.each(apps)('%s', (_, app, path, refused, failed, brief) => {
    const line = `deploy --smoke ${path} --or-rollback --json`;

    test.each([
      ['the first', refused.slice(0, 1)],
      ['the next', refused],
    ])('says nothing of a build that has no run of it: of %s, with %j', async (which, statuses) => {
      const { stage, machine } = await staged();
      if (which === 'the next') await machine.deploys(app);
      for (const [at, status] of statuses.entries()) {
        await machine.write({ ...app, version: 2 + at });
        stage.platform.callAnswer = () => {
          stage.platform.world.calls.pop();
          return { status, json: { message: 'from the gateway' } };
        };
        const outcome = await machine.run(line);
        expect([status, outcome.code, verdictOf(outcome)]).toEqual([status, 8, 'unknown']);
        expect(errorOf(outcome)?.message).toContain('no run of the app has failed by this call');
      }
    });

    test.each(brief)('with %i for a moment is made again', async (status) => {
      const { stage, machine } = await staged(app);
      let calls = 0;
      stage.platform.callAnswer = (id) => {
        if (calls++ > 1) return { json: { run_id: id, run_time_ms: 1, result: 'ok' } };
        stage.platform.world.calls.pop();
        return { status, json: { message: 'from the gateway' } };
      };
      expect(await machine.run(`deploy --smoke ${path}`)).toMatchObject({ code: 0 });
    });

    test.each(failed)('with %i because the app has failed, is sick', async (code) => {
      const { machine } = await staged();
      const first = await machine.deploys(app);
      await machine.write({ ...app, version: 2, behaves: { calls: { everyMs: 1e9, failing: 1, code } } });
      const outcome = await machine.run(line);
      expect([outcome.code, verdictOf(outcome)]).toEqual([12, 'sick']);
      expect(errorOf(outcome)?.details?.rollback).toMatchObject({ outcome: 'rolled-back', restored: first });
    });
  });
});

describe('a replica of the build before that is not listed any more, and still answers calls', () => {
  const lingering: AppOf = { behaves: { calls: { everyMs: 300 }, lingersMs: 9_000 } };

  test.each(['deploy --watch 20s --or-rollback --json', 'deploy --smoke run --watch 20s --or-rollback --json'])(
    'says nothing against the new one: %s',
    async (line) => {
      const { stage, machine } = await deployed(lingering);
      stage.pass(60_000);
      await machine.write({ version: 2 });
      const outcome = await machine.run(line);
      expect([outcome.code, verdictOf(outcome)]).toEqual([0, 'healthy']);
      expect(outcome.json()).toMatchObject({ health: { failedRuns: 0 } });
    },
  );

  test('says nothing for it', async () => {
    const { machine } = await staged(lingering, { refuses: { containers: 404 } });
    await machine.deploys(lingering);
    await machine.write({ version: 2, behaves: crash });
    expect(verdictOf(await machine.run('deploy --watch 20s --json'))).toBe('unknown');
  });
});

describe('an app that is late to show which build serves', () => {
  test.each<[string, Quirks, AppOf, number, string]>([
    ['at first', { lagsMs: 8_000 }, {}, 0, 'healthy'],
    ['now and then', { lagsMs: 300_000, flickers: true }, {}, 0, 'healthy'],
    ['now and then, and the build is sick', { lagsMs: 300_000, flickers: true }, crashing, 12, 'sick'],
  ])('is not superseded: %s', async (_, quirks, app, code, verdict) => {
    const { stage, machine } = await deployed({}, quirks);
    const first = stage.platform.live();
    stage.pass(600_000);
    await machine.write({ version: 2, ...app });
    const outcome = await machine.run('deploy --smoke run --watch 40s --or-rollback --json');
    expect([outcome.code, verdictOf(outcome)]).toEqual([code, verdict]);
    if (code !== 0) expect(errorOf(outcome)?.details?.rollback).toMatchObject({ restored: first });
  });

  test('for the whole watch: unknown', async () => {
    const { stage, machine } = await deployed({});
    stage.pass(600_000);
    await machine.write({ version: 2 });
    stage.at('containers', 3, () => Object.assign(stage.quirks, { lagsMs: 300_000 }));
    const outcome = await machine.run('deploy --watch 20s --or-rollback --json');
    expect([outcome.code, verdictOf(outcome)]).toEqual([8, 'unknown']);
    const text = /^whether build \S+ of web is healthy is not known: the app shows build \S+, which served before$/;
    expect(errorOf(outcome)?.message).toMatch(text);
  });
});

test.each([
  ['min_replicas = 1\n', 'deploy --watch 40s --or-rollback --json'],
  [idle, 'deploy --watch 40s --json'],
])('superseded: another build goes live during the watch: %j', async (scaling, line) => {
  const { stage, machine } = await staged({ scaling });
  const next = stage.othersAt('containers', 5, 500);
  const outcome = await machine.run(line);
  expect([outcome.code, verdictOf(outcome)]).toEqual([7, 'superseded']);
  expect(errorOf(outcome)?.message).toContain(`build ${next.id} serves now`);
  expect(stage.platform.live()).toBe(next.id);
});

test('an app that is scaled to zero by hand during the watch is no alarm', async () => {
  const { stage, machine } = await staged();
  stage.at('containers', 5, () => Object.assign(stage.web.settings, { minReplicaCount: 0 }));
  const outcome = await machine.run('deploy --watch 40s --or-rollback --json');
  expect([0, 8]).toContain(outcome.code);
  expect(verdictOf(outcome)).not.toBe('sick');
});
