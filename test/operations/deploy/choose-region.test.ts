import { expect, test } from 'vitest';
import type { Setting } from '../../../src/config/settings.ts';
import { chooseRegion } from '../../../src/operations/deploy/app-settings.ts';

test.each<[value: string | undefined, origin: string, fromFile: string | undefined, region: string | undefined]>([
  ['flag', 'flag', 'file', 'flag'],
  ['env', 'environment (GANTRY_REGION)', 'file', 'env'],
  ['profile', 'profile', 'file', 'file'],
  ['profile', 'profile', undefined, 'profile'],
  [undefined, 'default', 'file', 'file'],
  [undefined, 'default', undefined, undefined],
])('region %s of the %s and %s in the file: deploys to %s', (value, origin, fromFile, region) => {
  expect(chooseRegion({ value, origin } as Setting, fromFile)).toBe(region);
});
