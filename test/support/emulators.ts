import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator as start } from '../../src/emulator/index.ts';

export type { Emulator, EmulatorOptions } from '../../src/emulator/index.ts';

/** `GANTRY_TEST_LATE=300`: emulators of tests show what happens so many ms later. */
export const testLateMs = Number(process.env.GANTRY_TEST_LATE ?? 0);

/** For tests whose subject is which requests are sent, or what is shown when: a late platform is asked again. */
export const prompt = { late: 0 };

/** Starts one that is so late, unless `late` says otherwise. */
export function startEmulator(options?: EmulatorOptions): Promise<Emulator> {
  return start({ late: testLateMs, ...options });
}

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
    emulator = await startEmulator(options);
  });
  after(() => emulator.close());
  return new Proxy({} as Emulator, { get: (_, name) => Reflect.get(emulator, name) });
}
