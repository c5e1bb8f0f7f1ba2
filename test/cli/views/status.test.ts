import { expect, test } from 'vitest';
import { paintStatus, statusCell } from '../../../src/cli/views/status.ts';
import { markedPage } from '../../support/page.ts';

test.each([
  ['ready', 'green'],
  ['not_ready', 'yellow'],
  ['notready', 'yellow'],
  ['NotReady', 'yellow'],
  ['not running', 'yellow'],
  ['not_failed', 'red'],
  ['RuntimeError', 'red'],
  ['imagepullerror', 'red'],
  ['cold', undefined],
])('%s is %s', (status, color) => {
  expect(paintStatus(status, markedPage())).toBe(color === undefined ? status : `<${color}>${status}</${color}>`);
});

test('a canceled run or build is spelled as everywhere else', () => {
  const cell = statusCell('cancelled');
  expect(typeof cell === 'function' && cell(markedPage())).toContain('canceled');
});
