import { expect, test } from 'vitest';
import { type CommandReference, reference } from '../../src/cli/reference.ts';

/** Verbs of commands that remove or replace what gantry cannot bring back. */
const destroying = new Set([
  ...['api', 'cancel', 'cp', 'delete', 'logout', 'profiles', 'prune', 'revoke', 'rm'],
  ...['mcp serve', 'set', 'set-grants', 'stop', 'sync', 'unset'],
]);

test('says of each command that removes or replaces something that it destroys', async () => {
  const { commands } = await reference();
  const verbOf = ({ command }: CommandReference) => command.split(' ').at(-1) ?? '';
  const isDestroying = (one: CommandReference) => destroying.has(verbOf(one)) || destroying.has(one.command);
  const wrong = commands.filter((command) => (command.effect === 'destroys') !== isDestroying(command));
  expect(wrong.map(({ command, effect }) => `${command} ${effect}`)).toEqual([]);
  const verbs = new Set(commands.flatMap((one) => [verbOf(one), one.command]));
  expect([...destroying].filter((verb) => !verbs.has(verb))).toEqual([]);
});
