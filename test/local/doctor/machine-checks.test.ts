import { expect, test } from 'vitest';
import { checkNode } from '../../../src/local/doctor/machine-checks.ts';

test.each([
  ['20.19.0', 'ok'],
  ['20.20.1', 'ok'],
  ['21.0.0', 'ok'],
  ['24.1.0', 'ok'],
  ['20.18.9', 'failed'],
  ['18.20.0', 'failed'],
])('doctor judges Node %s: %s', (version, status) => {
  expect(checkNode(version)).toMatchObject({ check: 'node', status });
});
