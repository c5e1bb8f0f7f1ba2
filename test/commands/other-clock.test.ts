import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { half } from '../support/extent.ts';
import { emulatorForAll, gantry, newFolder } from '../support/index.ts';

const minute = 60_000;
const now = Date.UTC(2026, 10, 18, 12);
/** The platform's: it goes as the machine's does, which is ahead. */
const clock = { now, jumps: () => 0 };

const emulator = emulatorForAll({ real: false, seed: 1, now: () => clock.now });

/** What a command prints on a machine whose clock is ahead of the platform's. */
async function shown(line: string, aheadMs: number) {
  const { code, stdout, stderr } = await gantry(line.split(' '), {
    emulator,
    clock: Object.assign(clock, { now, jumps: () => aheadMs }),
    env: { GANTRY_CONFIG_DIR: join(newFolder({}), 'home'), TZ: 'UTC' },
  });
  return { code, stdout, warnings: stderr.match(/^(?:warning|error).*$/gm) };
}

const lines = [
  'runs list web',
  'runs list web --since 30m --json=id',
  'runs chart web --since 6h --json',
  'runs export web --since 3h',
  'cost web --since 3d --by day --json',
  'metrics web --since 2h --json',
  'apps list --json',
  'status --json',
  'builds list web',
  'apps containers web',
  'metrics web --until rate>=0 --json=value',
];

describe.each([
  ['a minute behind', -minute],
  ['three months ahead', 90 * 1_440 * minute],
])('on a machine whose clock is %s', (_, aheadMs) => {
  test.each(half(lines))('%s shows the same', async (line) => {
    const same = await shown(line, 0);
    expect(same).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d/) });
    expect(await shown(line, aheadMs)).toEqual(same);
  });
});
