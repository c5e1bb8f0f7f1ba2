/**
 * Tests of apps on the emulator, for vitest, node:test and others: `import { startPlatform } from 'gantry/testing'`.
 * Imports nothing of the program, which runs in a process of its own.
 */
export { CallFailed, GantryFailed } from './gantry-process.ts';
export {
  type Delivery,
  startPlatform,
  type TestApp,
  type TestClock,
  type TestPlatform,
  type TestPlatformOptions,
  type TestWebhooks,
} from './platform.ts';
