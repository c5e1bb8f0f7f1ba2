import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AppPlatform } from '../support/app-platform/index.js';
import type { App, Behavior, Build, Quirks, Service } from '../support/app-platform/types.ts';
import type { World } from '../support/app-platform/world.js';
import { gantry, type Line, type Outcome, type Setting, withGit } from '../support/index.ts';

/** The line that the documents recommend for pipelines, without its call: strangers call, or nobody does. */
export const safeLine = 'deploy --if-changed --if-busy wait --watch 2m --or-rollback';

export const crash: Behavior = { replicas: 'crash' };

/** What an app is: how it behaves, and its part of the config file after the name. */
export interface AppOf {
  behaves?: Behavior;
  scaling?: string;
  more?: string;
  /** Another version of the same app. */
  version?: number;
}

/** A stage, and a machine that has never deployed. */
export async function staged(app?: AppOf, quirks?: Quirks) {
  const stage = await Stage.open(quirks);
  return { stage, machine: await stage.machine(app) };
}

/** A stage with a machine that has deployed this app, or these versions of it, and the build that serves. */
export async function deployed(apps: AppOf | AppOf[], quirks?: Quirks) {
  const { stage, machine } = await staged({}, quirks);
  for (const app of [apps].flat()) await machine.deploys(app);
  return { stage, machine, build: stage.platform.live() ?? '' };
}

/** What a deploy has found of its build, by the JSON that it prints. */
export function verdictOf({ json }: Outcome): string | undefined {
  const { health, error } = json() as { [Name in 'health' | 'error']?: { verdict?: string; details?: Verdict } };
  return health?.verdict ?? error?.details?.verdict;
}

type Verdict = { verdict?: string };
export type Replica = ReturnType<World['replicas']>[number];

/** A platform that shares no code with gantry, and machines that deploy to it. All go by one clock, which leaps. */
export class Stage {
  readonly clock = { now: Date.UTC(2026, 10, 23, 12) };
  readonly platform: AppPlatform;
  #root = '';
  #machines = 0;

  private constructor(readonly quirks: Quirks) {
    this.platform = new AppPlatform({ now: () => this.clock.now, quirks });
  }

  static async open(quirks: Quirks = {}): Promise<Stage> {
    const stage = new Stage(quirks);
    await stage.platform.start();
    stage.#root = await mkdtemp(join(tmpdir(), 'gantry-stage-'));
    onTestFinished(async () => {
      stage.platform.close();
      await rm(stage.#root, { recursive: true, force: true });
    });
    return stage;
  }

  get builds(): Build[] {
    return [...this.platform.world.builds.values()];
  }

  /** Of all builds, the one that was created first first. */
  get ids(): string[] {
    return this.builds.map(({ id }) => id);
  }

  /** The app `web`, which was deployed. */
  get web(): App {
    const app = this.platform.app('web');
    if (!app) throw new Error('web was not deployed');
    return app;
  }

  /** Lets something happen after the platform has done what the nth request of a kind asked for, and before its answer. */
  at(point: string, nth: number | 'next', act: () => unknown): void {
    let isDone = false;
    this.platform.after = async (call) => {
      if (call.point !== point || isDone || (nth !== 'next' && call.nth !== nth)) return;
      isDone = true;
      await act();
    };
  }

  /** A build of somebody else that begins at a request. Gives its id once there is one. */
  othersAt(point: string, nth: number | 'next', buildMs: number): { id: string } {
    const theirs = { id: '' };
    this.at(point, nth, async () => {
      // A look between the two would be right to say that theirs is in progress.
      this.pass(1);
      theirs.id = await this.stranger(this.builds[0]?.body ?? {}, { buildMs });
      if (point !== 'upload') this.pass(2_000);
    });
    return theirs;
  }

  /** Somebody lets the first build serve again. */
  putBack(): void {
    const { services } = this.web;
    Object.assign(services.at(-1) ?? {}, { until: this.clock.now });
    services.push({ ...(services[0] as Service), from: this.clock.now, until: Number.POSITIVE_INFINITY });
  }

  /** The platform answers again, and nothing else happens. */
  calm(): void {
    Object.assign(this.platform, { isDown: false, before: () => {}, after: () => {} });
  }

  /** Lists other replicas than there are. */
  alter(change: (replica: Replica) => Replica[]): void {
    const { world } = this.platform;
    const replicas = world.replicas.bind(world);
    world.replicas = (app) => replicas(app).flatMap(change);
  }

  /** A machine that has never deployed: a home and a clone of its own. Or another clone on the machine of this one. */
  async machine(app: AppOf = {}, sameAs?: Machine): Promise<Machine> {
    const root = join(this.#root, `machine-${this.#machines++}`);
    await mkdir(join(root, 'work'), { recursive: true });
    const machine = new Machine(this, root, sameAs?.home);
    await machine.write(app);
    return machine;
  }

  /** What a machine would have on its disk if all that runs on it were killed now. */
  async killed(machine: Machine): Promise<Machine> {
    const left = await this.machine();
    await cp(machine.home, left.home, { recursive: true });
    const history = join(left.home, 'state', 'history');
    for (const name of await readdir(history)) {
      const lines = await readFile(join(history, name), 'utf8');
      // Pids of 2^22 and more are never given.
      await writeFile(join(history, name), lines.replaceAll(/"process":"\d+/g, '"process":"4194999'));
    }
    return left;
  }

  /** A deploy of somebody who does not use gantry. Gives the build, which is not uploaded if there is nothing to. */
  async stranger(settings: Record<string, unknown>, behaves?: Behavior): Promise<string> {
    const { world } = this.platform;
    const build = world.create({ name: 'web', cliVersion: '1.0', ...settings });
    if (behaves) Object.assign(build, { uploadedAt: this.clock.now, behavior: behaves });
    return build.id;
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.clock.now += ms;
    this.platform.world.settle();
  }
}

export class Machine {
  readonly folder: string;

  constructor(
    private readonly stage: Stage,
    root: string,
    readonly home = join(root, 'home'),
  ) {
    this.folder = join(root, 'work');
  }

  /** Makes the clone have this app. */
  async write({ behaves = {}, scaling = 'min_replicas = 1\n', more = '', version = 1 }: AppOf): Promise<void> {
    const config = `[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n[cerebrium.scaling]\n${scaling}${more}`;
    const main = `# behaves ${JSON.stringify(behaves)}\ndef run():\n    return {"version": ${version}}\n`;
    await writeFile(join(this.folder, 'cerebrium.toml'), config);
    await writeFile(join(this.folder, 'main.py'), main);
  }

  run(line: Line, setting: Setting = {}): Promise<Outcome> {
    const { clock, platform } = this.stage;
    const env = { ...withGit, ...platform.env, GANTRY_CONFIG_DIR: this.home, ...setting.env };
    return gantry(line, { cwd: this.folder, clock, ...setting, env });
  }

  /** What a line prints as JSON. */
  async json<Json = unknown>(line: string): Promise<Json> {
    return (await this.run(`${line} --json`)).json() as Json;
  }

  /** What the list of builds says that was found of one. */
  async found(build: string | undefined): Promise<string | null | undefined> {
    const builds = await this.json<{ id: string; found: string | null }[]>('builds list web');
    return builds.find(({ id }) => id === build)?.found;
  }

  /** Makes the clone a repository, with all of it in a commit. */
  commit(): void {
    const settings = ['user.name=t', 'user.email=t@example.test', 'commit.gpgsign=false'].flatMap((word) => [
      '-c',
      word,
    ]);
    const git = (...words: string[]) =>
      execFileSync('git', [...settings, ...words], { cwd: this.folder, stdio: 'pipe' });
    git('init', '--quiet', '--template=');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'first');
  }

  /** Deploys, and gives the build that serves. */
  async deploys(app: AppOf, line = 'deploy'): Promise<string> {
    await this.write(app);
    const { code, stderr } = await this.run(line);
    if (code !== 0) throw new Error(stderr);
    return this.stage.platform.live() ?? '';
  }
}
