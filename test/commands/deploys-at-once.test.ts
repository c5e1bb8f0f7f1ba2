import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

/** `TRIALS=50 npx vitest run test/commands/deploys-at-once.test.ts` for more than a look. */
const trials = Number(process.env.TRIALS ?? 1);
const deploys = 8;

const home = newFolder();

/** The clock of a command leaps: on a busy machine, it would pass the time that another one has for its upload. */
const meanwhile = () => setTimeout(20);

// Builds overlap: each takes a few of these.
const emulator = emulatorForAll({ real: false, pace: 15 });

test.each(Array.from({ length: trials }, (_, trial) => trial))(
  'of eight deploys at once the last one created serves (%i)',
  async () => {
    await emulator.reset();
    const outcomes = await Promise.all(
      Array.from({ length: deploys }, async (_, index) => {
        const app = newFolder({ ...smallApp(), 'data.txt': String(index) });
        const words = ['deploy', '--if-busy', 'wait', '--json'];
        return await gantry(words, { emulator, cwd: app, env: { GANTRY_CONFIG_DIR: home }, meanwhile });
      }),
    );
    expect(outcomes.map(({ code, stderr }) => (code === 0 ? 'deployed' : stderr))).toEqual(
      Array.from({ length: deploys }, () => 'deployed'),
    );
    const builds = emulator.store.getAppBuilds(`${emulator.project}-web`);
    const { json } = await gantry(['apps', 'get', 'web', '--json'], { emulator });
    expect(builds).toHaveLength(deploys);
    expect((json() as { latestReadyBuildId: string }).latestReadyBuildId).toBe(builds[0]?.id);
    // They also start in that order, as far as their times tell it, so that the last one serves on a platform that goes by
    // the end of a build.
    for (const build of builds) {
      const later = builds.filter(({ createdAt }) => createdAt > build.createdAt);
      expect(later.filter(({ startedAt = 0 }) => startedAt < (build.startedAt ?? 0))).toEqual([]);
    }
  },
  120_000,
);
