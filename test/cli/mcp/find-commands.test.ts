import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alsoCalled, findCommands } from '../../../src/cli/mcp/find-commands.ts';
import { foundCommands } from '../../../src/cli/mcp/offered.ts';
import { reference } from '../../../src/cli/reference.ts';

/** What an agent asks that knows no command, and the commands that are a right answer. */
const questions = readFileSync(`${import.meta.dirname}/questions.txt`, 'utf8')
  .trim()
  .split('\n')
  .map((line): [question: string, right: string[]] => {
    const [question = '', right = ''] = line.split(': ');
    return [question, right.split(', ')];
  });

test('finds the command first for at least 19 in 20 questions', async () => {
  const commands = foundCommands((await reference()).commands);
  const wrong = questions.filter(
    ([question, right]) => !right.includes(findCommands(question, commands)[0]?.command ?? ''),
  );
  expect(wrong.length / questions.length, wrong.join('; ')).toBeLessThanOrEqual(0.05);
});

test('every command that has other words exists', async () => {
  const names = new Set((await reference()).commands.map(({ command }) => command));
  expect(Object.keys(alsoCalled).filter((name) => !names.has(name))).toEqual([]);
});
