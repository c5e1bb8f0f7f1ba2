import { parseArgsStringToArgv } from 'string-argv';
import { expect, test } from 'vitest';
import { foundCommands, isSuitable } from '../../../src/cli/mcp/offered.ts';
import { readToolCall } from '../../../src/cli/mcp/tools.ts';
import { parseLine } from '../../../src/cli/program/complete-fix.ts';
import { reference } from '../../../src/cli/reference.ts';

const whole = reference();

async function read(name: string, input: Record<string, unknown>) {
  const { commands } = await whole;
  return readToolCall(name, input, commands, { allowed: ['reads', 'changes', 'destroys'], inPlace: (line) => line });
}

/** The command line that `call` makes of these words. */
async function lineOf(argv: readonly string[]): Promise<string> {
  const asked = await read('call', { argv });
  return 'command' in asked ? asked.argv.join(' ') : '';
}

test('every example of a command is a line of gantry', async () => {
  const lines = (await whole).commands.flatMap(({ examples }) => examples);
  const wrong: string[] = [];
  for (const line of lines.map((example) => example.replace(/ (?:[|<>]|&&) .*$/, '')))
    await parseLine(parseArgsStringToArgv(line)).catch(({ message }) => wrong.push(`${line}: ${message}`));
  expect(wrong).toEqual([]);
});

test('find shows examples of each command, and call takes every one', async () => {
  const { commands } = await whole;
  const wrong: string[] = [];
  for (const { command, examples } of foundCommands(commands).filter(isSuitable)) {
    const asked = await read('find', { query: command });
    const shown: string[] = JSON.parse('text' in asked ? asked.text : '{}').examples;
    if (shown.length === 0 && examples.length > 0) wrong.push(`no example of ${command}`);
    for (const line of shown)
      await lineOf(parseArgsStringToArgv(line)).catch(({ message }) => wrong.push(`${line}: ${message}`));
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['-C hello status web', '-C hello status web'],
  ['-p p-1 --local apps get web', '-p p-1 --project=local apps get web'],
  ['app list --json=name,status --region us-east-1', 'apps list --json=name,status --region us-east-1'],
  ['run --gpu A10 train.py --epochs 3 -p 1 --json=run', 'run --gpu A10 train.py --epochs 3 -p 1 --json=run'],
  ['run train.py -- --epochs 3 --json --local', 'run train.py -- --epochs 3 --json --local'],
])('call takes %s as the command line does', async (line, expected) => {
  expect(await lineOf(line.split(' '))).toBe(expected);
});
