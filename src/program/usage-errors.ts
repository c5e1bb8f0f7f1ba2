import type { CommanderError } from 'commander';
import { gantryCommand } from '../command-line.ts';
import { commands } from '../commands/index.ts';
import { UsageError } from '../errors.ts';

type Facts = { message: string; why?: string; fix?: string };

/** Commander's complaint in our form; its own "did you mean" becomes the fix. */
export function usageError(error: CommanderError, argv: string[]): UsageError {
  const help = gantryCommand`${called(argv)} --help`;
  const [said = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const meant = hint?.match(/Did you mean (?:one of )?(.+)\?/)?.[1];
  const { message, ...facts } = inOurWords(said);
  return new UsageError(message, { fix: meant ? `did you mean ${meant}?` : help, ...facts });
}

/** What commander says, and what we say instead. What none of them knows is said as it came. */
const rewordings: [RegExp, (...found: string[]) => Facts][] = [
  [
    /^option '(?:-\w, )?(--[\w-]+)[^']*' (?:argument|value) '(.*)'(?: from env '.*')? is invalid\. (.+)$/s,
    (flag, value, expected) => notUsable(value, flag, expected),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+?)'\. (.+)$/s,
    (value, name, expected) => notUsable(value, `<${name}>`, expected),
  ],
  [/^option '(.+)' argument missing$/, (flag) => ({ message: `${flag} needs a value` })],
  [/^required option '(.+)' not specified$/, (flag) => ({ message: `${flag} is missing` })],
  [/^missing required argument '(.+)'$/, (name) => ({ message: `<${name}> is missing` })],
  [
    /^too many arguments(?: for '.*')?\. Expected (\d+) arguments? but got (\d+)/,
    (most, got) => ({
      message: `too many arguments: ${got}, where ${most === '0' ? 'none is' : `${most} can be`} taken`,
    }),
  ],
];

function inOurWords(said: string): Facts {
  for (const [pattern, reword] of rewordings) {
    const [whole, ...found] = pattern.exec(said) ?? [];
    if (whole !== undefined) return reword(...found);
  }
  return { message: said };
}

/** What to write is the next thing to type; what there is to choose from is a reason. */
function notUsable(value = '', taker = '', expected = ''): Facts {
  const said = expected.charAt(0).toLowerCase() + expected.slice(1).replace(/\.$/, '');
  const message = `${taker} cannot be "${value}"`;
  return said.startsWith('write ') ? { message, fix: said } : { message, why: said.replace(/^allowed /, 'the ') };
}

/** The words of a command line that name a group or a command. */
function called(argv: string[]): string[] {
  const [first = '', second = ''] = argv.filter((word) => !word.startsWith('-'));
  const entry = Object.values(commands).find((entries) => first in entries)?.[first];
  if (!entry) return [];
  return 'commands' in entry && second in entry.commands ? [first, second] : [first];
}
