import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Draw } from '../chaos/draw.js';
import type { AppPlatform } from '../support/app-platform/index.js';
import { drawnCases } from '../support/extent.ts';
import type { Outcome } from '../support/gantry.ts';
import { type Machine, type Stage, staged } from './stage.ts';

const afterwards = drawnCases(10, 20);
const meanwhile = drawnCases(12, 20);
const seed = Number(process.env.FUZZ_SEED ?? 24);

test(`of ${afterwards} single changes after a plan, each is refused and named, or changes nothing`, async () => {
  const planned = await Planned.make();
  const draw = new Draw(seed);
  for (let number = 0; number < afterwards; number++) {
    const kind = draw.pick(Object.keys(changes));
    const named = await changes[kind]?.(draw, planned);
    const { code, stderr } = await planned.apply();
    const expected = named === undefined ? [0, true] : [7, false];
    expect([kind, code, planned.isUploaded()], stderr).toEqual([kind, ...expected]);
    expect(stderr).toMatch(named === undefined ? 'web is live' : new RegExp(`not as planned: .*${named}`));
    if (code === 7) expect(stderr).toContain('each flag that decides what is sent');
    await planned.reset();
  }
}, 600_000);

test(`of ${meanwhile} single changes while a plan is applied, none is uploaded over`, async () => {
  const planned = await Planned.make();
  const draw = new Draw(seed + 1);
  const codes: number[] = [];
  for (let number = 0; number < meanwhile; number++) {
    if (draw.chance(0.3)) await planned.forget();
    // The first plan is applied before anything changes.
    const [kind, at] = [draw.pick(othersDo), number === 0 ? Number.POSITIVE_INFINITY : draw.int(1, 8)];
    const before = planned.state();
    let [requests, seen] = [0, before];
    planned.platform.before = async ({ point }) => {
      if (point === 'upload') seen = planned.state();
      else if (++requests === at) await changes[kind]?.(draw, planned);
    };
    const { code, stderr } = await planned.apply();
    codes.push(code);
    expect({ kind, at, seen }, stderr).toEqual({ kind, at, seen: before });
    await planned.reset();
  }
  expect(codes.filter((code) => code === 7).length).toBeGreaterThan(meanwhile / 4);
  expect(codes).toContain(0);
}, 600_000);

/** An app that is deployed, and a plan for it. Whatever happens to them is undone by `reset`. */
class Planned {
  #state: { apps: AppPlatform['world']['apps']; builds: AppPlatform['world']['builds'] } | undefined;
  /** What has been uploaded before. */
  #uploads = 0;
  #plan = '../plan.json';

  private constructor(
    readonly stage: Stage,
    readonly machine: Machine,
  ) {}

  static async make(): Promise<Planned> {
    const { stage, machine } = await staged();
    const planned = new Planned(stage, machine);
    await machine.write({ scaling: 'min_replicas = 0\ncooldown = 90\n' });
    expect((await machine.run('deploy --dry-run --save-plan ../new-plan.json')).code).toBe(0);
    expect((await machine.run('deploy')).code).toBe(0);
    expect((await machine.run('deploy --dry-run --save-plan ../plan.json')).code).toBe(0);
    for (const folder of [machine.home, machine.folder]) await cp(folder, `${folder}.before`, { recursive: true });
    const { apps, builds } = planned.platform.world;
    planned.#state = structuredClone({ apps, builds });
    await planned.reset();
    return planned;
  }

  get platform(): AppPlatform {
    return this.stage.platform;
  }

  apply(): Promise<Outcome> {
    return this.machine.run(`deploy --apply-plan ${this.#plan}`);
  }

  isUploaded(): boolean {
    return this.#counted() > this.#uploads;
  }

  /** What the plan is bound to. A new app has the settings of its first build from its creation on. */
  state() {
    const app = this.platform.app('web');
    const fresh = { minReplicaCount: 0, maxReplicaCount: 1, cooldownPeriodSeconds: 90 };
    const { minReplicaCount, maxReplicaCount, cooldownPeriodSeconds } = app?.settings ?? fresh;
    const others = app?.builds.filter(({ ended, body }) => !ended && body.cliVersion === '1.0') ?? [];
    return {
      live: this.platform.live(),
      minReplicaCount,
      maxReplicaCount,
      cooldownPeriodSeconds,
      others: others.length,
    };
  }

  /** The app was never deployed. */
  async forget(): Promise<void> {
    this.#plan = '../new-plan.json';
    this.platform.world.apps.clear();
    await rm(this.machine.home, { recursive: true, force: true });
  }

  async reset(): Promise<void> {
    this.platform.before = () => {};
    this.#plan = '../plan.json';
    Object.assign(this.platform.world, structuredClone(this.#state));
    this.#uploads = this.#counted();
    for (const folder of [this.machine.home, this.machine.folder]) {
      await rm(folder, { recursive: true, force: true });
      await cp(`${folder}.before`, folder, { recursive: true, preserveTimestamps: true });
    }
  }

  #counted(): number {
    const builds = [...this.platform.world.builds.values()];
    return builds.filter(({ uploadedAt, body }) => uploadedAt !== undefined && body.cliVersion !== '1.0').length;
  }
}

/** What a change does, and how the refusal names it; undefined if a plan holds all the same. */
const changes: Record<string, (draw: Draw, planned: Planned) => Promise<string | undefined>> = {
  byte: async (draw, { machine }) => {
    const file = join(machine.folder, 'main.py');
    const bytes = await readFile(file);
    const at = draw.int(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << draw.int(0, 6));
    await writeFile(file, bytes);
    return 'main.py';
  },
  'new file': async (draw, { machine }) => {
    const name = `new${draw.int(0, 9)}.py`;
    await writeFile(join(machine.folder, name), '');
    return name;
  },
  mode: async (_, { machine }) => {
    await chmod(join(machine.folder, 'main.py'), 0o755);
    return 'main.py';
  },
  comment: async (draw, { machine }) => {
    const file = join(machine.folder, 'cerebrium.toml');
    await writeFile(file, `${await readFile(file, 'utf8')}# ${draw.int(0, 9)}\n`);
    return 'the config file';
  },
  setting: async (draw, { machine }) => {
    await machine.write({ scaling: `min_replicas = 0\ncooldown = ${draw.int(91, 200)}\n` });
    return 'setting cooldown';
  },
  'most replicas': async (draw, planned) => scale(planned, 'max_replicas', { maxReplicaCount: draw.int(3, 9) }),
  'fewest replicas': async (_, planned) => scale(planned, 'min_replicas', { minReplicaCount: 1 }),
  cooldown: async (draw, planned) => scale(planned, 'cooldown', { cooldownPeriodSeconds: draw.int(1, 80) }),
  'a build in progress': async (_, { stage, platform }) => {
    const body = platform.app('web')?.builds[0]?.body ?? {};
    return `build ${await stage.stranger({ ...body, cliVersion: '1.0' }, { buildMs: 60_000 })} in progress`;
  },
  'another live build': async (_, { stage, platform }) => {
    const body = platform.app('web')?.builds[0]?.body ?? {};
    await stage.stranger({ ...body, cliVersion: '1.0' }, { buildMs: 0 });
    stage.pass(1);
    return 'the live build';
  },
  deletion: async (_, { platform }) => {
    platform.world.apps.delete('web');
    return 'web is not deployed any more';
  },
  'nothing but the status': async (_, { platform }) => {
    const app = platform.app('web');
    if (app) app.status = 'error';
    return undefined;
  },
  'a build that was canceled': async (_, { stage, platform }) => {
    const body = platform.app('web')?.builds[0]?.body ?? {};
    const build = platform.world.builds.get(await stage.stranger(body));
    if (build) build.canceledAt = stage.clock.now;
    return undefined;
  },
};

/** Those of somebody who has no file of ours. */
const othersDo = [
  'most replicas',
  'fewest replicas',
  'cooldown',
  'a build in progress',
  'another live build',
  'deletion',
];

async function scale({ platform }: Planned, key: string, settings: Record<string, number>): Promise<string> {
  Object.assign(platform.app('web')?.settings ?? {}, settings);
  return `deployed ${key}`;
}
