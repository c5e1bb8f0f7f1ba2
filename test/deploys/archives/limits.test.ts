import { existsSync, readdirSync } from 'node:fs';
import { stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  archiveFile,
  filesFolder,
  type KeptArchive,
  recordName,
  recordsFolder,
  removeRecord,
  writeRecord,
} from '../../../src/deploys/archives/archive-store.ts';
import { enforceLimits, keepLimits } from '../../../src/deploys/archives/keep-archive.ts';
import { recordEvent, recordLook } from '../../../src/deploys/history/index.ts';
import { makePrivateFolder } from '../../../src/kernel/disk/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import type { App } from '../../../src/platform/contract/apps.ts';
import { Draw } from '../../chaos/draw.js';
import { drawnCases } from '../../support/extent.ts';
import { newFolder } from '../../support/files.ts';

const dayMs = 86_400_000;
const places = [
  ['https://one.test', 'p-1', 'shop'],
  ['https://one.test', 'p-1', 'web'],
  ['https://one.test', 'p-2', 'web'],
  ['https://two.test', 'p-1', 'shop'],
  ['https://two.test', 'p-1', 'rare'],
] as const;

test.each(Array.from({ length: drawnCases(1) }, (_, at) => at + 1))(
  'of 200 archives of several apps, those of what serves and served before it stay (seed %i)',
  async (seed) => {
    const machine = new Machine(seed);
    for (let step = 0; step < 200; step++) {
      await machine.step();
      expect(machine.missing(), `seed ${seed}, step ${step}`).toEqual([]);
    }
    // Nothing else stays for ever.
    expect(machine.removed).toBeGreaterThan(50);
    expect(await machine.countOld()).toBeLessThanOrEqual(places.length * 5);
  },
);

/** An app as it is, whatever this machine has seen of it. */
class Deployed {
  /** The builds that served, the latest last. */
  served: string[] = [];
  kept = new Map<string, KeptArchive>();
  readonly context: Context;

  constructor(
    readonly platform: string,
    readonly project: string,
    readonly app: string,
    state: string,
    now: () => number,
  ) {
    const settings = {
      folders: { state },
      addresses: { management: { value: platform } },
      teamState: { value: 'off' },
    };
    this.context = { settings, project, now, platformNow: now, env: {}, trace: () => {} } as unknown as Context;
  }

  /** What any command writes down that reads the app. */
  async look(): Promise<void> {
    const live = this.served.at(-1);
    if (live !== undefined) await recordLook(this.context, this.app, { latestReadyBuildId: live } as App);
  }
}

class Machine {
  removed = 0;
  readonly #random: Draw;
  readonly #state = newFolder();
  readonly #apps: Deployed[];
  #now = Date.parse('2026-01-01T00:00:00Z');
  #builds = 0;

  constructor(seed: number) {
    this.#random = new Draw(seed);
    this.#apps = places.map(([platform, project, app]) => {
      return new Deployed(platform, project, app, this.#state, () => this.#now);
    });
    makePrivateFolder(recordsFolder(this.#state));
    makePrivateFolder(filesFolder(this.#state));
  }

  /** One deploy, by this machine or another one, and what it removes. */
  async step(): Promise<void> {
    const random = this.#random;
    this.#now += random.pick([0.01, 0.2, 1, 4, random.chance(0.05) ? 120 : 1]) * dayMs;
    const at = this.#apps[random.chance(0.02) ? 4 : Math.floor(random.next() * 4)] as Deployed;
    const event = random.next();
    if (event < 0.15) at.served.push(this.#build());
    else if (event < 0.17) await this.#delete(at);
    else await this.#deploy(at);
  }

  /** The archives that a rollback would miss. */
  missing(): string[] {
    return this.#apps.flatMap(({ served, kept }) =>
      served.slice(-2).filter((build) => {
        const record = kept.get(build);
        return record && !(existsSync(this.#recordOf(record)) && existsSync(archiveFile(this.#state, record.sha256)));
      }),
    );
  }

  async countOld(): Promise<number> {
    const times = this.#records().map(async (name) => (await stat(join(recordsFolder(this.#state), name))).mtimeMs);
    return (await Promise.all(times)).filter((time) => time < this.#now - keepLimits.ageMs).length;
  }

  async #deploy(at: Deployed): Promise<void> {
    const random = this.#random;
    await at.look();
    const build = this.#build();
    await this.#keep(at, build, build);
    const outcome = random.next();
    if (outcome < 0.15) {
      await recordEvent(at.context, at.app, 'failed', { build, status: 'build_failure', reason: '' });
      at.kept.delete(build);
      await removeRecord(this.#state, { ...at, build });
    } else {
      const before = at.served.at(-1);
      at.served.push(build);
      // With --detach, nobody sees it serve.
      if (random.chance(0.8)) await at.look();
      const target = before === undefined ? undefined : at.kept.get(before);
      if (outcome < 0.4 && target) await this.#rollBack(at, build, target);
    }
    const count = this.#records().length;
    await enforceLimits(at.context);
    this.removed += count - this.#records().length;
  }

  async #rollBack(at: Deployed, from: string, target: KeptArchive): Promise<void> {
    const checks = { reason: '', watchedMs: 0, watchMs: 0, seen: {} };
    await recordEvent(at.context, at.app, 'verdict', { build: from, verdict: 'sick', ...checks });
    // It is there: a rollback needs it.
    expect(existsSync(archiveFile(this.#state, target.sha256))).toBe(true);
    const as = this.#build();
    await this.#keep(at, as, target.sha256, target.build);
    at.served.push(as);
    await recordEvent(at.context, at.app, 'rolled-back', { from, to: target.build, as, reason: '' });
    await at.look();
  }

  async #keep(at: Deployed, build: string, content: string, restored?: string): Promise<void> {
    const { platform, project, app } = at;
    const sha256 = content.padStart(64, '0');
    const time = new Date(this.#now).toISOString();
    const sent = { build, settingsDigest: '', filesDigest: 'sha256:', settings: {}, ...(restored && { restored }) };
    const kept = { platform, project, app, build, keptAt: time, sha256, bytes: 1, entries: [], baseImages: [] };
    const record: KeptArchive = { ...kept, body: { name: app } };
    await writeRecord(this.#state, record);
    await utimes(this.#recordOf(record), this.#now / 1000, this.#now / 1000);
    const file = archiveFile(this.#state, sha256);
    if (!existsSync(file)) {
      await writeFile(file, '');
      await truncate(file, Math.floor(this.#random.pick([0.001, 0.01, 0.1, 0.6, 0.99]) * keepLimits.bytes));
    }
    at.kept.set(build, record);
    await recordEvent(at.context, app, 'sent', sent);
  }

  async #delete(at: Deployed): Promise<void> {
    await recordEvent(at.context, at.app, 'deleted', {});
    at.served = [];
    at.kept.clear();
  }

  #build(): string {
    return `${++this.#builds}`;
  }

  #records(): string[] {
    return readdirSync(recordsFolder(this.#state));
  }

  #recordOf(record: KeptArchive): string {
    return join(recordsFolder(this.#state), recordName(record));
  }
}
