import type { CommanderError } from 'commander';
import { gantryCommand } from '../command-line.ts';
import { UsageError } from '../errors.ts';
import { readTypedCommand } from './typed-command.ts';

type UsageFacts = { message: string; why?: string; fix?: string };

/** Rewords commander's error; its "did you mean" becomes the fix. */
export function usageError(error: CommanderError, argv: string[]): UsageError {
  const help = gantryCommand`${readTypedCommand(argv).path} --help`;
  const [original = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = hint?.match(/Did you mean (?:one of )?(.+)\?/)?.[1];
  const { message, ...facts } = reword(original);
  return new UsageError(message, { fix: suggestion ? `did you mean ${suggestion}?` : help, ...facts });
}

const rewordings: [RegExp, (...found: string[]) => UsageFacts][] = [
  [
    /^option '(?:-\w, )?(--[\w-]+)[^']*' (?:argument|value) '(.*)'(?: from env '.*')? is invalid\. (.+)$/s,
    (flag, value, expected) => invalidValue(value, flag, expected),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+?)'\. (.+)$/s,
    (value, name, expected) => invalidValue(value, `<${name}>`, expected),
  ],
  [
    /^unknown (command|option) '(.+)'$/s,
    (kind, word) => ({ message: `unknown ${kind === 'option' ? 'flag' : kind} "${word}"` }),
  ],
  [
    /^option '(?:-\w, )?(--[\w-]+)[^']*' cannot be used with option '(?:-\w, )?(--[\w-]+)[^']*'$/,
    (flag, other) => ({ message: `${flag} and ${other} cannot be combined` }),
  ],
  [/^option '(.+)' argument missing$/, (flag) => ({ message: `${flag} requires a value` })],
  [/^required option '(.+)' not specified$/, (flag) => ({ message: `missing required flag ${flag}` })],
  [/^missing required argument '(.+)'$/, (name) => ({ message: `missing argument <${name}>` })],
];

/** Messages without a rewording stay as they are. */
function reword(original: string): UsageFacts {
  for (const [pattern, facts] of rewordings) {
    const [match, ...found] = pattern.exec(original) ?? [];
    if (match !== undefined) return facts(...found);
  }
  return { message: original };
}

function invalidValue(value = '', flag = '', reason = ''): UsageFacts {
  const message = `invalid ${flag} "${value}"`;
  const text = (reason.charAt(0).toLowerCase() + reason.slice(1)).replace(/\.$/, '');
  const expected = /^(?:write|expected) (.+)$/s.exec(text.replace(/^allowed choices are /, 'expected one of '))?.[1];
  return expected === undefined ? { message, why: text } : { message: `${message}: expected ${expected}` };
}
