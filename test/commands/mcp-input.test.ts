import { expect, test } from 'vitest';
import { argvOf, inputSchema, knownProperties, toolInput } from '../../src/cli/mcp/input.ts';
import { commandTools } from '../../src/cli/mcp/tools.ts';
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

test('passes each property that a tool lists to the command, once and in its place', async () => {
  const { commands } = await reference();
  const tools = commandTools(commands);
  expect(tools.length).toBeGreaterThan(15);
  for (const { commands: offered } of tools) {
    const unknown = new Set(Object.keys(toolInput(offered).properties));
    if (offered.length > 1) unknown.delete('command');
    for (const command of offered) {
      const input = sampleInput(command);
      const argv = argvOf(command, input);
      const end = argv.indexOf('--');
      const wrong = Object.entries(input).filter(([name, value]) => {
        const isWord = (word: string) =>
          value === true ? word === `--${name}` : word.split('=').at(-1) === `${value}`;
        return argv.filter(isWord).length !== 1;
      });
      expect([command.command, wrong]).toEqual([command.command, []]);
      const flags = argv.slice(0, end).flatMap((word) => /^--[\w-]+/.exec(word) ?? []);
      expect([command.command, flags.length]).toEqual([command.command, new Set(flags).size]);
      expect([command.command, argv.slice(end + 1).length]).toEqual([command.command, command.arguments.length]);
      for (const name of Object.keys(input)) unknown.delete(name);
    }
    expect([...unknown]).toEqual([]);
  }
});

/** Every property, each with a value that no other one has. */
function sampleInput(command: CommandReference): Record<string, unknown> {
  const { properties } = inputSchema(knownProperties(command));
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }], index) => {
      const [kind] = [type].flat();
      if (kind === 'boolean') return [name, true];
      const value = kind === 'integer' ? 1000 + index : `value-${index}`;
      return [name, kind === 'array' ? [value] : value];
    }),
  );
}

test('refuses an argument without the one before it', async () => {
  const { commands } = await reference();
  const rollback = commands.find(({ command }) => command === 'rollback') as CommandReference;
  expect(() => argvOf(rollback, { build: 'b-1' })).toThrow('rollback requires "app" before "build"');
});

test('shows how a duration, a size and a time are written', async () => {
  const { commands } = await reference();
  const untold = commandTools(commands).flatMap(({ name, commands: offered }) =>
    Object.entries(toolInput(offered).properties).flatMap(([property, { examples }]) => {
      const isTold = examples !== undefined || !/timeout|cooldown|grace-period|since|older-than/.test(property);
      return isTold ? [] : [`${name} ${property}`];
    }),
  );
  expect(untold).toEqual([]);
});
