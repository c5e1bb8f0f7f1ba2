import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, gantry, newFolder, noise, type Setting, startEmulator } from '../support/index.ts';

let platforms: [Emulator, Emulator];
let home: string;
let here: string;

/** They have the same project, and give files the same times. */
beforeEach(async () => {
  const options = { real: false, seed: 1, now: () => Date.UTC(2026, 0, 1) };
  platforms = [await startEmulator(options), await startEmulator(options)];
  home = newFolder();
  here = newFolder();
});

afterEach(async () => {
  for (const platform of platforms) await platform.close();
});

const bytes = 11 * 2 ** 20;
const inParts = ['--part-size', '5MiB', '--concurrency', '1'];
const on = (emulator: Emulator, words: string[], setting: Setting = {}) =>
  gantry(words, { emulator, cwd: here, env: { GANTRY_CONFIG_DIR: home }, ...setting });

test('a download that was interrupted on one platform does not resume on another', async () => {
  const [one, other] = platforms;
  one.volume().write('/big', noise(bytes, 'one'));
  other.volume().write('/big', noise(bytes, 'other'));
  one.fail('object', 'none', 'reset-during');
  const words = ['cp', ':/big', 'big', ...inParts];
  expect((await on(one, words, { stop: /trying again|retrying/ })).code).toBe(130);
  const { code, stderr } = await on(other, words);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('resuming')]);
  expect(readFileSync(join(here, 'big')).equals(noise(bytes, 'other'))).toBe(true);
});

test('the same upload runs on two platforms at once', async () => {
  writeFileSync(join(here, 'big'), noise(bytes));
  const outcomes = await Promise.all(platforms.map((platform) => on(platform, ['cp', 'big', ':/big', ...inParts])));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
  for (const platform of platforms) expect(platform.volume().read('/big')).toHaveLength(bytes);
});
