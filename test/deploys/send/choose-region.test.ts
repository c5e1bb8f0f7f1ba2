import { expect, test } from 'vitest';
import { chooseRegion } from '../../../src/deploys/send/app-settings.ts';
import type { Setting } from '../../../src/platform/config/settings.ts';

const isNew = { isNew: true };
const deployed = { isNew: false, region: 'own' };
const unknown = { isNew: false };

test.each<[string | undefined, string, string | undefined, Parameters<typeof chooseRegion>[2], string | undefined]>([
  ['flag', 'flag', 'file', deployed, 'flag'],
  ['env', 'environment (GANTRY_REGION)', 'file', deployed, 'env'],
  ['profile', 'profile', 'file', deployed, 'file'],
  ['profile', 'profile', undefined, isNew, 'profile'],
  ['profile', 'profile', undefined, deployed, 'own'],
  ['profile', 'profile', undefined, unknown, undefined],
  [undefined, 'not set', 'file', deployed, 'file'],
  [undefined, 'not set', undefined, deployed, 'own'],
  [undefined, 'not set', undefined, isNew, undefined],
])('region %s of the %s and %s in the file, of an app %j: deploys to %s', (value, origin, fromFile, app, region) => {
  expect(chooseRegion({ value, origin } as Setting, fromFile, app)).toBe(region);
});
