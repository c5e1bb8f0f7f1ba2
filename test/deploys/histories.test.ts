import { expect, test } from 'vitest';
import { readHistory, recordEvent, recordLook } from '../../src/deploys/history/index.ts';
import { type Before, lookBefore } from '../../src/deploys/observed-build.ts';
import { candidatesOf, lastWell } from '../../src/deploys/rollback/choose-build.ts';
import { pastOf, servedBefore } from '../../src/deploys/serving.ts';
import { verifyBuild } from '../../src/deploys/verify.ts';
import { gantryCommand } from '../../src/kernel/command-line.ts';
import { NotFoundError } from '../../src/kernel/errors.ts';
import { KnownSecrets } from '../../src/kernel/output/known-secrets.ts';
import { createApi } from '../../src/platform/api/client.ts';
import { resolveSettings } from '../../src/platform/config/settings.ts';
import type { Context } from '../../src/platform/context.ts';
import { listBuilds } from '../../src/platform/contract/builds.ts';
import { fetchApp } from '../../src/platform/replies/index.ts';
import { AppPlatform } from '../support/app-platform/index.js';
import { project } from '../support/app-platform/shown.js';
import type { Build } from '../support/app-platform/types.ts';
import { drawnCases } from '../support/extent.ts';
import { newFolder } from '../support/files.ts';
import { type Drawn, drawHistory } from './draw-history.js';

const cases = drawnCases(15, 30);
const firstSeed = Number(process.env.FUZZ_SEED ?? 24);
const watchMs = 30_000;

test(`in ${cases} random histories, no sick build is healthy and no healthy one is rolled back`, async () => {
  const counts: Record<string, number> = {};
  for (let seed = firstSeed; seed < firstSeed + cases; seed++) {
    const { builds, quirks } = drawHistory(seed);
    const history = new History(new AppPlatform({ now: () => clock.now, quirks }), newFolder());
    for (const drawn of builds) {
      const { said, expected, ...returned } = await history.deploy(drawn);
      expect({ seed, quirks, drawn, said, ...returned }).toEqual({
        seed,
        quirks,
        drawn,
        said: expected,
        ...returned,
        to: returned.from,
      });
      counts[said] = (counts[said] ?? 0) + 1;
    }
  }
  for (const verdict of ['healthy', 'sick', 'unknown', 'superseded'])
    expect(counts[verdict]).toBeGreaterThan(cases / 20);
}, 600_000);

const clock = { now: Date.UTC(2026, 10, 23, 12) };
const expectedOf = { healthy: 'healthy', sick: 'sick', idle: 'unknown', superseded: 'superseded' } as const;

/** An app whose builds are watched, and rolled back if they are sick, without a connection or a real wait. */
class History {
  readonly #context: Context;
  /** What is true of each build. */
  readonly #labels = new Map<string, Drawn['label']>();
  #before: Before | undefined;

  constructor(
    private readonly platform: AppPlatform,
    folder: string,
  ) {
    this.#context = contextOf(platform, folder);
  }

  /** What is said of a new build, and where a rollback would lead (`to`) and must lead (`from`). */
  async deploy(
    drawn: Drawn,
  ): Promise<{ said: string; expected: string; from?: string | undefined; to?: string | undefined }> {
    // The app is late to show what serves, by less than that.
    clock.now += 10_000;
    const before = this.#live();
    if (before) await recordLook(this.#context, 'web', await this.#read());
    const build = await this.#build(drawn, drawn.label);
    if (drawn.isStrangers) return { said: 'healthy', expected: 'healthy' };
    const { world } = this.platform;
    if (drawn.othersAfterMs !== undefined) {
      const others = world.create({ ...build.body });
      this.#labels.set(others.id, 'healthy');
      Object.assign(others, { uploadedAt: clock.now, behavior: { buildMs: drawn.othersAfterMs } });
    }
    const said = await this.#verdict(build);
    // What lingers is no measure for the next build.
    if (before?.behavior.lingersMs) clock.now += 300_000;
    const expected = expectedOf[drawn.label];
    if (said !== 'sick' || drawn.label !== 'sick') return { said, expected };
    const { api } = this.#context;
    const builds = await api(listBuilds, { project, app: 'web' });
    const history = await readHistory(this.#context, 'web');
    const served = servedBefore(pastOf(builds, history), build.id);
    const { build: to } = lastWell(candidatesOf({ builds, history, live: build.id }, served));
    const from = this.#servedBefore(build);
    if (to && from) await this.#restore(from, build);
    return { said, expected, to, from: from?.id };
  }

  /** Builds an app, lets it go live and writes down what a deploy would. */
  async #build(
    { behaves, minReplicas }: Pick<Drawn, 'behaves' | 'minReplicas'>,
    label: Drawn['label'],
    restored?: string,
  ): Promise<Build> {
    const build = this.platform.world.create({ name: 'web', minReplicaCount: minReplicas });
    this.#before = await lookBefore(this.#context, 'web');
    this.#labels.set(build.id, label);
    Object.assign(build, { uploadedAt: clock.now, behavior: behaves });
    const digests = { settingsDigest: '', filesDigest: build.id, settings: {}, ...(restored && { restored }) };
    await recordEvent(this.#context, 'web', 'sent', { build: build.id, ...digests });
    clock.now += (behaves.buildMs ?? 1_000) + 500;
    await recordLook(this.#context, 'web', await this.#read());
    return build;
  }

  async #verdict({ id: build }: Build): Promise<string> {
    const minReplicas = Number(this.platform.app('web')?.settings.minReplicaCount);
    const asked = { watchMs, smokeTests: [], goOn: gantryCommand`deploy`, calling: async () => gantryCommand`deploy` };
    const about = { app: 'web', build, minReplicas, isNew: true, before: this.#before };
    const { finding, explained } = await verifyBuild(this.#context, { ...asked, ...about });
    // It reads the log beside, and would move the clock of the next build.
    await explained?.();
    return finding;
  }

  /** What the automatic rollback does with a build. */
  async #restore(restored: Build, sick: Build): Promise<void> {
    const drawn = { behaves: restored.behavior, minReplicas: Number(restored.body.minReplicaCount) };
    const label = this.#labels.get(restored.id) ?? 'healthy';
    const { id } = await this.#build(drawn, label, restored.id);
    await recordEvent(this.#context, 'web', 'rolled-back', { from: sick.id, to: restored.id, as: id, reason: '' });
    clock.now += 60_000;
  }

  /** The last build that served before this one and is not sick. */
  #servedBefore(build: Build): Build | undefined {
    const services = this.platform.app('web')?.services ?? [];
    const earlier = services.map((service) => service.build).filter((each) => each !== build);
    return earlier.findLast(({ id }) => this.#labels.get(id) !== 'sick');
  }

  #live(): Build | undefined {
    const app = this.platform.app('web');
    return app && this.platform.world.live(app);
  }

  #read() {
    return fetchApp(this.#context.api, { project, app: 'web' });
  }
}

/** What an operation needs of a context, with an API that asks the platform directly. */
function contextOf(platform: AppPlatform, folder: string): Context {
  const env = { ...platform.env, GANTRY_API_URL: 'http://127.0.0.1:1', GANTRY_CONFIG_DIR: folder };
  const settings = resolveSettings(env, {});
  const quiet = { update() {}, done() {}, fail() {}, clear() {} };
  const context = {
    env,
    settings,
    project,
    signal: new AbortController().signal,
    interruption: {},
    cwd: folder,
    trace() {},
    now: () => clock.now,
    platformNow: () => clock.now,
    elapsed: () => clock.now,
    delay: async (ms: number) => {
      clock.now += ms;
    },
    progress: { step: () => quiet, note() {}, warn() {}, event() {} },
    secrets: new KnownSecrets(),
    openLog: () => Promise.reject(new NotFoundError('there are no live logs', {})),
  };
  const api = createApi({
    addresses: settings.addresses,
    token: () => 'token',
    headers: {},
    silenceMs: 1_000,
    ...context,
    onRetry() {},
    trace() {},
    send: async ({ method, url, body }) => {
      const {
        status = 200,
        json,
        text = JSON.stringify(json) ?? '',
      } = platform.answer(method, url, Buffer.from(body ?? ''));
      return { status, headers: { 'content-type': 'application/json' }, body: text };
    },
  });
  return { ...context, api, apiWithSignal: () => api } as unknown as Context;
}
