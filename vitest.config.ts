import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What waits for started programs comes first: last, it would keep one processor waiting. Then what starts many: a worker
 * grows with each file, and what it starts begins as a copy of it.
 */
class StartedProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranks = new Map(sorted.map(({ moduleId }) => [moduleId, rankOf(moduleId)]));
    const rank = ({ moduleId }: TestSpecification) => ranks.get(moduleId) ?? 0;
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}

function rankOf(file: string): number {
  if (/\/(e2e\/|followed-advice)/.test(file)) return 0;
  const text = readFileSync(file, 'utf8');
  // Git is started hundreds of times.
  if (/repositoryOf|\/clone/.test(text)) return 1;
  const starts = /child_process|machine\(|emulatorFor(Each|All)\(\)/;
  return /\/emulator\//.test(file) || starts.test(text) ? 2 : 3;
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/own-machine.ts'],
    setupFiles: [
      'test/support/own-user.cjs',
      'test/support/own-temporary-folder.ts',
      'test/support/outcomes.ts',
      'test/support/seed.ts',
    ],
    // They end what hangs, and measure nothing. On a busy machine the first test of a run waits long for the sources.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Loading the sources anew for each file took a third of the time. Nothing in them is kept between two calls.
    isolate: false,
    // Threads that collect garbage beside the workers only take the processors from them.
    execArgv: ['--single-threaded-gc'],
    // A quarter of the time is spent waiting: also on two processors, three files run at a time.
    maxWorkers: 3,
    // Tests that say so run two at a time: documents, each a shell on a network of its own (test/e2e/docs.test.ts).
    maxConcurrency: 2,
    sequence: { sequencer: StartedProgramsFirst },
    // A spy keeps the results of all calls, also once it is restored: those of one file were 250 MB.
    clearMocks: true,
    // Style sheets are read as text (src/kernel/output/chart-page); they would else be empty.
    css: true,
    // What was compiled is kept for the next run. Nothing compiles but Vite itself: a changed file is compiled anew.
    experimental: { fsModuleCache: true },
    // Vitest sets them for its workers. The rest of the environment is made by own-machine.ts.
    env: { GANTRY_CONFIG_DIR: '/nonexistent', NO_COLOR: '', FORCE_COLOR: '' },
  },
});
