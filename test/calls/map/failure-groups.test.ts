import { expect, test } from 'vitest';
import { FailureGroups } from '../../../src/calls/map/map-progress.ts';

test('a group has the first of its inputs, whichever ended first', async () => {
  const groups = await FailureGroups.create();
  for (const index of [7, 2, 5]) groups.add(index, { code: 'app-error', message: `no ${index}`, statusCode: 500 });
  expect(groups.all).toMatchObject([{ inputs: 3, index: 2, indexes: [7, 2, 5] }]);
});
