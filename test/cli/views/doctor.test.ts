import { expect, test } from 'vitest';
import command from '../../../src/cli/commands/doctor.ts';
import type { Check } from '../../../src/local/doctor/index.ts';
import { markedPage } from '../../support/page.ts';

const checks: Check[] = [
  { check: 'node', status: 'ok', message: 'Node 20' },
  { check: 'project', status: 'warning', message: 'not checked' },
  { check: 'clock', status: 'failed', message: '2 h ahead', fix: 'set the clock', code: 'failed' },
];

test('the checks of doctor are green, yellow and red', () => {
  const colors = command
    .view(
      checks,
      {},
    )(markedPage())
    .match(/(?<=^<)\w+/gm);
  expect(colors).toEqual(['green', 'yellow', 'red']);
});
