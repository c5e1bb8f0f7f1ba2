import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';
import { testLateMs } from './gantry.ts';

/** An emulator of its own for each test: what is asked of it is asked of that of the test that runs. */
export function emulatorForEach(options?: EmulatorOptions): Emulator {
  return emulatorFrom(beforeEach, afterEach, options);
}

/** One emulator for all tests of a file or block. */
export function emulatorForAll(options?: EmulatorOptions): Emulator {
  return emulatorFrom(beforeAll, afterAll, options);
}

type Hook = (work: () => Promise<void>) => void;

function emulatorFrom(before: Hook, after: Hook, options: EmulatorOptions | undefined): Emulator {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator({ late: testLateMs, ...options });
  });
  after(() => emulator.close());
  return new Proxy({} as Emulator, { get: (_, name) => Reflect.get(emulator, name) });
}
