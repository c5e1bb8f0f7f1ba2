import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default mergeConfig(
  // Not the runner's own list of files: with it, a change of what is loaded once would be made after it was loaded.
  // StrykerJS runs tests in threads, which take no flag of V8.
  { ...base, test: { ...base.test, include: process.env.MUTATION_TESTS?.split(',') ?? [], execArgv: [] } },
  {
    test: {
      setupFiles: ['test/mutation/load-first.ts'],
      // A slow machine must not look like a test that fails.
      testTimeout: 120_000,
      retry: 2,
      // What is compiled here is of no use to anyone else.
      experimental: { fsModuleCache: false },
    },
  },
);
