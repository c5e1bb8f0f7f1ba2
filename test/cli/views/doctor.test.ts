import { describe, expect, test } from 'vitest';
import command from '../../../src/cli/commands/doctor.ts';
import type { Check } from '../../../src/local/doctor/index.ts';
import { markedPage, plainPage } from '../../support/page.ts';

const checks: Check[] = [
  { check: 'node', status: 'ok', message: 'Node 20' },
  { check: 'project', status: 'warning', message: 'not checked' },
  { check: 'clock', status: 'failed', message: '2 h ahead', fix: 'set the clock', code: 'failed' },
];

describe('the checks of doctor', () => {
  test('are one line each, the fix below', () => {
    expect(command.view(checks, {})(plainPage()).split('\n')).toEqual([
      '✓  node     Node 20',
      '!  project  not checked',
      '✗  clock    2 h ahead',
      '            fix set the clock',
    ]);
  });

  test('have plain marks on a terminal without symbols, in line with each other', () => {
    expect(
      command
        .view(
          checks,
          {},
        )(plainPage({ ascii: true }))
        .split('\n'),
    ).toEqual([
      'ok  node     Node 20',
      '!   project  not checked',
      'x   clock    2 h ahead',
      '             fix set the clock',
    ]);
  });

  test('are green, yellow and red', () => {
    const colors = command
      .view(
        checks,
        {},
      )(markedPage())
      .match(/(?<=^<)\w+/gm);
    expect(colors).toEqual(['green', 'yellow', 'red']);
  });

  test('wrap below their own message on a narrow terminal', () => {
    const long: Check = { check: 'node', status: 'ok', message: 'one two three four five six seven eight' };
    const lines = command
      .view(
        [long],
        {},
      )(plainPage({ columns: 40 }))
      .split('\n');
    expect(lines).toEqual(['✓  node  one two three four five six', '         seven eight']);
  });
});
