import { expect, test } from 'vitest';
import { wrapCommand } from '../../../src/kernel/output/wrap-text.ts';

const command = "printf 'a header: with spaces' | curl -H @- http://127.0.0.1:4100/v4/p-1/web/run -d '{}'";

test('a command that fits, or is printed to a pipe, stays on one line', () => {
  expect(wrapCommand(command, command.length)).toBe(command);
  expect(wrapCommand(command, Number.POSITIVE_INFINITY)).toBe(command);
});

test('a long command continues on lines that fit, and is the same command for a shell', () => {
  const lines = wrapCommand(command, 50).split('\n');
  expect(lines).toEqual([
    "printf 'a header: with spaces' | curl -H @- \\",
    "  http://127.0.0.1:4100/v4/p-1/web/run -d '{}'",
  ]);
  expect(lines.join('\n').replace(/ \\\n {2}/g, ' ')).toBe(command);
});

test('a flag keeps its value, and the first line has more than the name of the program', () => {
  expect(wrapCommand(command, 24).split('\n')).toEqual([
    "printf 'a header: with spaces' \\",
    '  | curl -H @- \\',
    '  http://127.0.0.1:4100/v4/p-1/web/run \\',
    "  -d '{}'",
  ]);
});

test('a word that is wider than the terminal stays whole', () => {
  expect(wrapCommand(command, 20).split('\n')).toContain('  http://127.0.0.1:4100/v4/p-1/web/run \\');
});
