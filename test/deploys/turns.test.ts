import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Quirks } from '../support/app-platform/types.ts';
import { part } from '../support/extent.ts';
import { crash, deployed, type Machine, Stage, staged } from './stage.ts';

const savePlan = 'deploy --dry-run --save-plan';
const applyPlan = 'deploy --apply-plan';
/** Other settings than a client may expect where a request has none. */
const defaults = {
  cooldownPeriodSeconds: 1800,
  maxReplicaCount: 5,
  memory: 8,
  region: 'eu-west-2',
  pythonVersion: '3.12',
};

const uploaded = ({ builds }: Stage): string[] => builds.flatMap(({ id, uploadedAt }) => (uploadedAt ? [id] : []));
const waiting = ({ builds }: Stage): string[] =>
  builds.flatMap(({ id, uploadedAt, canceledAt }) => (uploadedAt || canceledAt ? [] : [id]));

/** Requests that are held back until so many have arrived. */
function gate(needed: number): () => Promise<void> {
  const arrived: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      if (arrived.push(resolve) === needed) for (const go of arrived) go();
    });
}

describe('a plan', () => {
  async function planned(file = '../plan.json'): Promise<{ stage: Stage; machine: Machine }> {
    const { stage, machine } = await deployed({});
    await machine.write({ version: 2 });
    expect((await machine.run(`${savePlan} ${file}`)).code).toBe(0);
    return { stage, machine };
  }

  test('is not applied over a build in progress, nor after it', async () => {
    const { stage, machine } = await planned();
    await stage.stranger(stage.builds[0]?.body ?? {}, { buildMs: 20_000 });
    const before = uploaded(stage);
    for (const flags of ['', ' --if-busy wait']) {
      expect(await machine.run(`${applyPlan} ../plan.json${flags}`)).toExit(7, 'not as planned');
      expect([uploaded(stage), waiting(stage)]).toEqual([before, []]);
    }
  });

  test('holds although our own create app resets what was scaled by hand', async () => {
    const { machine } = await deployed({});
    await machine.run('apps scale web --cooldown 5s --max-replicas 7');
    expect((await machine.run(`${savePlan} ../plan.json`)).code).toBe(0);
    expect(await machine.run(`${applyPlan} ../plan.json`)).toMatchObject({ code: 0 });
  });

  test('with --if-changed is done once it serves, and refused where the folder has another app', async () => {
    const { machine } = await planned();
    const line = `${applyPlan} ../plan.json --if-changed --json`;
    await machine.write({});
    expect(await machine.run(line)).toExit(7, 'not as planned: main.py');
    await machine.write({ version: 2 });
    for (const changed of [true, false]) expect((await machine.run(line)).json()).toMatchObject({ changed });
  });

  test('of a sick build says that it is, and is not unchanged', async () => {
    const { machine } = await planned();
    const behaves = { calls: { everyMs: 1e9, failing: 1, code: 503 } };
    await machine.write({ behaves });
    expect((await machine.run('deploy --smoke run')).code).toBe(12);
    const { stderr } = await machine.run(`${savePlan} ../again.json`);
    expect(stderr).toContain('was found sick: a deploy would send it again');
    const applied = await machine.run(`${applyPlan} ../again.json --if-changed --json`);
    expect(applied.json()).toMatchObject({ changed: true });
  });

  test.each([2, 3])('is applied by one of %i machines at the same moment', async (number) => {
    const { stage, machine } = await planned();
    const [toCreate, toGoOn] = [gate(number), gate(number)];
    const others = await Promise.all(Array.from({ length: number - 1 }, () => stage.machine({ version: 2 }, machine)));
    stage.platform.before = async ({ point }) => point === 'create-app' && (await toCreate());
    stage.platform.after = async ({ point }) => point === 'create-app' && (await toGoOn());
    const plan = join(machine.folder, '../plan.json');
    const outcomes = await Promise.all([machine, ...others].map((each) => each.run(`${applyPlan} ${plan}`)));
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, ...Array(number - 1).fill(7)]);
    const [, ...made] = stage.builds;
    expect(made.map(({ ended }) => ended).sort()).toEqual([...Array(number - 1).fill('cancelled'), 'success']);
  });

  test('is not applied after its upload URL has expired and the app was scaled', async () => {
    const { stage, machine } = await planned();
    const before = uploaded(stage);
    stage.platform.before = ({ point, nth }) => {
      if (point !== 'upload' || nth !== 2) return;
      stage.pass(660_000);
      Object.assign(stage.web.settings, { maxReplicaCount: 9 });
      // Our own create app would hide it.
      stage.platform.after = ({ point: at }) => {
        if (at === 'create-app') Object.assign(stage.web.settings, { maxReplicaCount: 9 });
      };
    };
    expect(await machine.run(`${applyPlan} ../plan.json`)).toExit(7, 'max_replicas');
    expect([uploaded(stage), waiting(stage)]).toEqual([before, []]);
  });
});

describe('a rollback', () => {
  const automatic = 'deploy --watch 40s --or-rollback';
  const byHand = 'rollback web --yes';

  /** Two deploys at once: the one that was created first takes longer, and serves in the end. */
  async function crossed(): Promise<{ stage: Stage; machine: Machine; first: string }> {
    const { stage, machine } = await deployed({});
    const other = await stage.machine({ version: 3 }, machine);
    await machine.write({ version: 2, behaves: { buildMs: 30_000 } });
    let second: Promise<unknown> | undefined;
    stage.at('upload', 2, () => {
      stage.pass(1_000);
      // Waiting for the first build moves the clock: it goes on when the second one has been created.
      return new Promise<void>((isCreated) => {
        stage.at('upload', 'next', isCreated);
        second = other.run('deploy');
      });
    });
    await machine.run('deploy');
    await second;
    stage.calm();
    const [, first = ''] = stage.ids;
    expect([stage.platform.live(), stage.ids.length]).toEqual([first, 3]);
    return { stage, machine, first };
  }

  test.each([
    ['of a sick build', { version: 4, behaves: crash }, automatic, 12],
    ['by hand', { version: 4 }, byHand, 0],
  ])('returns to what served, not to what was created last: %s', async (_, next, line, expected) => {
    const { stage, machine, first } = await crossed();
    await machine.write(next);
    if (expected === 0) await machine.run('deploy');
    expect(await machine.run(line)).toExit(expected, `-> ${first}`);
    expect(String(stage.platform.world.live(stage.web)?.files.get('main.py'))).toContain('"version": 2');
  });

  test('never deploys the build again that was found sick, and every list says what it was', async () => {
    const { stage, machine } = await deployed([{ version: 1 }, { version: 2 }]);
    await machine.write({ version: 3, behaves: crash });
    await machine.run(automatic);
    const [first, , sick] = stage.ids;
    expect(await machine.found(sick)).toBe('rolled back');
    expect(await machine.json(`builds get web ${sick}`)).toMatchObject({ found: 'rolled back' });
    for (const line of ['explain web', `explain web ${sick}`]) {
      expect(await machine.json(line)).toMatchObject({ build: sick, failed: true, status: 'sick' });
      expect((await machine.run(line)).stdout).toContain(`replica ${sick}-0 restarted 2 times`);
    }
    expect(await machine.run(byHand)).toExit(0, `-> ${first}`);
  });

  /** What others do meanwhile, and what each kind of rollback says of it. */
  type Meanwhile = [
    line: string,
    lagsMs: number,
    at: [string, number | 'next'],
    ms: number,
    code: number,
    says: string,
  ];
  const meanwhile: Meanwhile[] = [
    [automatic, 0, ['create-app', 3], 1_000, 12, 'build THEIRS serves now: it is not replaced'],
    [byHand, 0, ['create-app', 3], 1_000, 7, 'build THEIRS serves now: it is not replaced'],
    [automatic, 6_000, ['create-app', 3], 500, 12, 'build THEIRS serves now: it is not replaced'],
    [byHand, 6_000, ['create-app', 3], 500, 7, 'build THEIRS serves now: it is not replaced'],
    [automatic, 0, ['upload', 3], 1_000, 12, 'replaced: build THEIRS( of web)? serves'],
    [byHand, 0, ['upload', 3], 1_000, 0, 'replaced: build THEIRS( of web)? serves'],
    [automatic, 6_000, ['containers', 'next'], 600_000, 12, 'THEIRS was created meanwhile and is in progress: it is'],
    [byHand, 6_000, ['create-app', 3], 600_000, 7, 'THEIRS was created meanwhile and is in progress: it is'],
  ];

  test.each(part(3, meanwhile))(
    '%s of an app that is %i ms late, and a build of others at %j that takes %i ms',
    async (...row) => {
      const [line, lagsMs, at, buildMs, code, says] = row;
      const { stage, machine } = await deployed({ version: 1 });
      await machine.write({ version: 2, ...(line === automatic && { behaves: crash }) });
      if (line === byHand) await machine.run('deploy');
      if (lagsMs > 0) stage.pass(60_000);
      stage.quirks.lagsMs = lagsMs;
      const theirs = stage.othersAt(...at, buildMs);
      expect(await machine.run(line)).toExit(code, new RegExp(says.replace('THEIRS', theirs.id)));
      if (buildMs < 10_000) expect([stage.platform.live(), waiting(stage)]).toEqual([theirs.id, []]);
    },
  );

  test.each<[what: string, line: string, quirks?: Quirks]>([
    ['automatic and by hand', automatic],
    ['both by hand', byHand],
    ['both by hand, without times', byHand, { hasNoTimes: true }],
  ])('at the same moment as another one, only one of them yields: %s', async (_, line, quirks = {}) => {
    const { stage, machine } = await deployed({ version: 1 }, quirks);
    const sick = { version: 2, behaves: crash };
    await machine.write(sick);
    const other = await stage.machine(sick, machine);
    if (line === byHand) await machine.run('deploy');
    const [toCreate, toGoOn] = [gate(2), gate(2)];
    let second: ReturnType<Machine['run']> | undefined;
    stage.platform.before = async ({ point, nth }) => {
      if (point !== 'create-app' || nth < 3) return;
      second ??= other.run(byHand);
      await toCreate();
    };
    stage.platform.after = async ({ point, nth }) => {
      if (point === 'create-app' && nth > 2) await toGoOn();
    };
    const outcomes = [await machine.run(line), await second];
    const [, , ...made] = stage.builds;
    expect(made.map(({ ended }) => ended).sort()).toEqual(['cancelled', 'success']);
    const serves = made.find(({ ended }) => ended === 'success')?.id ?? '';
    expect(stage.platform.live()).toBe(serves);
    // The automatic one finds the app rolled back if the other one is ready by the time that it looks.
    const goneOn = outcomes.filter((outcome) => !outcome?.stderr.includes('meanwhile'));
    expect(goneOn).not.toHaveLength(0);
    for (const outcome of goneOn) expect(outcome?.stderr).toContain(serves);
  });

  test('a history that is there and cannot be read is not an empty one', async () => {
    const { stage, machine } = await deployed({ version: 1 });
    await machine.write({ version: 2 });
    const folder = join(machine.home, 'state', 'history');
    for (const name of await readdir(folder)) {
      await rm(join(folder, name));
      await mkdir(join(folder, name));
    }
    for (const line of [automatic, byHand]) expect(await machine.run(line)).toExit(1, 'which builds were found sick');
    expect(stage.builds).toHaveLength(1);
  });

  test('is refused if the archive is damaged', async () => {
    const { machine } = await deployed({ version: 1 });
    const folder = join(machine.home, 'state', 'archives', 'files');
    for (const name of await readdir(folder)) await appendFile(join(folder, name), 'more');
    await machine.write({ version: 2, behaves: crash });
    expect((await machine.run(automatic)).stderr).toContain(
      '(its archive is damaged, or was changed after the deploy)',
    );
  });
});

describe('a platform with other defaults', () => {
  test('is not told that somebody changed them', async () => {
    const { stage, machine } = await deployed({}, { defaults });
    await machine.write({ version: 2 });
    const { code, stderr } = await machine.run('deploy --fail-on-drift');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('changed outside')]);
    expect(await machine.json('deploy --if-changed')).toMatchObject({ changed: false });
    const fresh = await stage.machine({ version: 2 });
    expect(await fresh.json('deploy --if-changed')).toMatchObject({ changed: false });
    expect((await fresh.run('deploy --fail-on-drift --dry-run')).code).toBe(0);
  });
});

test('--if-busy wait that takes too long leaves the build of the other, and is to be typed again', async () => {
  const { stage, machine } = await deployed({});
  const other = await stage.stranger({ minReplicaCount: 1 }, { buildMs: 30_000 });
  await machine.write({ version: 2 });
  const { code, json } = await machine.run('deploy --if-busy wait --timeout 5s --json');
  const next = ['gantry', 'deploy', '--if-busy', 'wait', '--json', '--timeout', '2h'];
  const details = expect.objectContaining({ builds: [other], status: 'canceled' });
  expect([code, json()]).toMatchObject([8, { error: { next, details } }]);
  expect((await machine.run(next.slice(1).join(' '))).code).toBe(0);
});

test('--if-busy wait waits for others on a platform without times', async () => {
  const { stage, machine } = await deployed({}, { hasNoTimes: true });
  const other = await stage.stranger({ minReplicaCount: 1 }, { buildMs: 30_000 });
  await machine.write({ version: 2 });
  expect(await machine.run('deploy --if-busy wait')).toExit(0, /Waited \d+ s for other builds of web/);
  expect(stage.web.services.slice(-2).map(({ build }) => build.id)).toEqual([other, stage.platform.live()]);
});

describe('a lost reply', () => {
  const history = async (machine: Machine) => (await machine.run('history web')).stdout;

  test.each<[string, number[]]>([
    ['once', [2]],
    ['each time', [2, 3, 4, 5, 6, 7]],
  ])('of the upload is no failure once the build has started: %s', async (_, cuts) => {
    const { stage, machine } = await deployed({}, { uploadsOnce: true });
    await machine.write({ version: 2, behaves: { buildMs: 60_000 } });
    stage.platform.after = ({ point, nth }) => (point === 'upload' && cuts.includes(nth) ? 'cut' : undefined);
    expect(await machine.run('deploy')).toExit(0, 'the reply was lost');
    expect([stage.builds.length, stage.platform.live()]).toEqual([2, stage.builds[1]?.id]);
    expect(await history(machine)).toMatch(/serves; before it: .*\n.*sent b-/);
    expect(await machine.json('deploy --if-changed')).toMatchObject({ changed: false });
  });

  test('of the upload, and then of everything, leaves a record of what was sent', async () => {
    const { stage, machine } = await deployed({});
    await machine.write({ version: 2 });
    stage.at('upload', 2, () => Object.assign(stage.platform, { isDown: true }));
    expect((await machine.run('deploy')).code).toBe(69);
    const sent = stage.builds[1]?.id ?? '';
    stage.platform.isDown = false;
    expect(await history(machine)).toContain(`sent ${sent}: whether it arrived is not known`);
    stage.pass(10_000);
    expect(stage.platform.live()).toBe(sent);
    expect(await machine.json('deploy --if-changed')).toMatchObject({ changed: false, build: sent });
    expect(await history(machine)).not.toMatch(/not known|not deployed from here|no upload/);
    await machine.write({ version: 3, behaves: crash });
    expect((await machine.run('deploy --watch 40s --or-rollback')).stderr).toContain(`rolled back to build ${sent}`);
  });
});

test('without times and a history, nobody knows which build served before', async () => {
  const { stage, machine } = await staged({}, { hasNoTimes: true });
  for (const version of [1, 2, 3]) await machine.deploys({ version });
  const outcome = await (await stage.machine()).run('rollback web --dry-run');
  expect(outcome).toExit(6, /which build of web served before \S+ is not known/);
});

describe('a list of files', () => {
  test('has checksums also in hexadecimal', async () => {
    const stage = await Stage.open({ hasHexChecksums: true });
    await (await stage.machine()).deploys({});
    const fresh = await stage.machine();
    expect(await fresh.json('deploy --if-changed')).toMatchObject({ changed: false });
    await fresh.write({ version: 2 });
    expect((await fresh.run('deploy --if-changed')).stderr).toContain('main.py changed: deploying');
  });

  test('without checksums does not show that the folder is as deployed', async () => {
    const stage = await Stage.open({ hasNoChecksums: true });
    await (await stage.machine()).deploys({});
    const fresh = await stage.machine({ version: 2 });
    expect((await fresh.run('status')).stdout).toMatch(/here\s+the same names and sizes; 2 files without a checksum/);
    const { stderr } = await (await stage.machine()).run('deploy --if-changed');
    expect(stderr).toContain('cannot prove that web is unchanged');
  });
});

test('part of the files cannot be sent', async () => {
  const { stage, machine } = await staged();
  expect((await machine.run('deploy --partial')).code).toBe(2);
  expect(stage.builds).toEqual([]);
});
