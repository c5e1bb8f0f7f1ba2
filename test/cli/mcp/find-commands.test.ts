import { expect, test } from 'vitest';
import { alsoCalled, findCommands } from '../../../src/cli/mcp/find-commands.ts';
import { suitableCommands } from '../../../src/cli/mcp/tools.ts';
import { reference } from '../../../src/cli/reference.ts';

/** What an agent asks that knows no command, and the commands that are a right answer. */
const questions: [question: string, ...commands: string[]][] = [
  ['why did my deployment fail', 'explain'],
  ['deploy the current directory', 'deploy'],
  ['tail logs live', 'logs'],
  ['call my endpoint with JSON', 'invoke'],
  ['upload a file to a volume', 'cp'],
  ['download model weights from Hugging Face', 'cp'],
  ['delete a file on the volume', 'rm'],
  ['which files are in the bucket', 'ls'],
  ['set an environment variable', 'secrets set'],
  ['list the names of secrets', 'secrets list'],
  ['scale to zero', 'apps scale'],
  ['undeploy an application', 'apps delete'],
  ['go back to the previous version', 'rollback'],
  ['how much did I spend this month', 'cost'],
  ['GPU utilization', 'metrics'],
  ['stop a running job', 'runs cancel'],
  ['run a python script on a GPU once', 'run'],
  ['batch inference over a jsonl file', 'map'],
  ['which account am I logged in as', 'whoami'],
  ['invite a teammate', 'users invite'],
  ['load test', 'apps bench'],
  ['latency percentiles of the last day', 'metrics', 'runs chart'],
  ['restart the app to pick up a new secret', 'apps restart'],
  ['validate the config file', 'check'],
  ['abort a build', 'builds cancel'],
  ['move staging to production', 'promote'],
  ['test the app on my machine before deploying', 'dev'],
  ['is the platform down', 'status'],
  ['download an invoice', 'plan invoices'],
];

test('finds the command first for at least 26 of 29 questions', async () => {
  const commands = suitableCommands((await reference()).commands);
  const wrong = questions.filter(
    ([question, ...right]) => !right.includes(findCommands(question, commands)[0]?.command ?? ''),
  );
  expect(questions).toHaveLength(29);
  expect(wrong.map(([question]) => question).slice(3), wrong.join('; ')).toEqual([]);
});

test('every command that has other words exists', async () => {
  const names = new Set((await reference()).commands.map(({ command }) => command));
  expect(Object.keys(alsoCalled).filter((name) => !names.has(name))).toEqual([]);
});
