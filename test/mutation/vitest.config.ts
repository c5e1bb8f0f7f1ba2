import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The tests that call `src/` in their own process; what starts the built program never meets a mutant. */
const rooms = [
  'api',
  'commands',
  'completion',
  'config',
  'contract',
  'deploys',
  'disk',
  'emulator',
  'flags',
  'mcp',
  'operations',
  'output',
  'program',
  'project',
  'receiver',
  'transfer',
  'views',
];

export default mergeConfig(
  { ...base, test: { ...base.test, include: rooms.map((room) => `test/${room}/**/*.test.ts`) } },
  {
    test: {
      // What looks at how the process was started, and at where its files are.
      exclude: ['test/commands/completion.test.ts', 'test/commands/switching.test.ts', 'test/commands/version.test.ts'],
      // A slow machine must not look like a test that fails.
      testTimeout: 120_000,
      retry: 2,
      // What is compiled here is of no use to anyone else.
      experimental: { fsModuleCache: false },
    },
  },
);
