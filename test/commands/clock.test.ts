import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, gantry, newFolder, smallApp, startEmulator } from '../support/index.ts';

const dayMs = 86_400_000;

let emulator: Emulator;
/** What really passes; the wall clock of gantry jumps beside it. */
let clock: { now: number };

beforeEach(async () => {
  clock = { now: Date.UTC(2026, 10, 20, 9, 30) };
  emulator = await startEmulator({ real: false, pace: 2_000, now: () => clock.now });
});

afterEach(() => emulator.close());

describe.each([
  ['is set back by a day', -dayMs],
  ['leaps ahead by a day, as after a suspended laptop', dayMs],
])('a clock that %s during a wait', (_, byMs) => {
  /** The clock jumps once the build has been polled. */
  const jumping = () => {
    const polled = () => emulator.calls.some(({ endpoint }) => endpoint === 'getBuild');
    return { emulator, clock: Object.assign(clock, { jumps: () => (polled() ? byMs : 0) }) };
  };

  test('does not end a deploy early or falsify a duration', async () => {
    const { code, stderr, json } = await gantry(['deploy', '--timeout', '10m', '--json'], {
      ...jumping(),
      cwd: newFolder(smallApp()),
    });
    expect(code, stderr).toBe(0);
    expect(stderr).not.toMatch(/ (in|building,) (-|\d+[hd])/);
    const { packMs, uploadMs, buildMs } = json() as Record<string, number>;
    for (const ms of [packMs, uploadMs, buildMs]) {
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThan(600_000);
    }
  });
});

test('a signed URL stays valid although the clock jumps ahead after it was received', async () => {
  const app = newFolder(smallApp());
  await gantry(['deploy'], { emulator, clock, cwd: app });
  emulator.fail('part', 500);
  const asked = () => emulator.calls.filter(({ endpoint }) => endpoint === 'initializeUpload').length;
  const { code, stderr } = await gantry(['cp', 'main.py', ':/main.py'], {
    emulator,
    cwd: app,
    clock: Object.assign(clock, {
      jumps: () => (emulator.calls.some(({ endpoint }) => endpoint === 'part') ? dayMs : 0),
    }),
  });
  expect(code, stderr).toBe(0);
  expect(asked()).toBe(1);
});
