import type { CommanderError } from 'commander';
import { closestName } from '../../kernel/closest-name.ts';
import { CommandLine, gantryCommand, type Sentence, sentence } from '../../kernel/command-line.ts';
import { type CorrectedWord, UsageError } from '../../kernel/errors.ts';
import { commands, namedCommand } from '../commands/index.ts';
import { groupsWith, hasChild } from './command-tree.ts';
import { readTypedCommand } from './typed-command.ts';

type UsageFacts = { message: string; why?: string; corrected?: CorrectedWord };

/** Rewords commander's error; its "did you mean" becomes the line to type. */
export async function usageError(error: CommanderError & { examples?: string[]; flags?: string[] }, argv: string[]) {
  const { examples: [example] = [] } = error;
  const isIncomplete = /missingArgument|missingMandatory/.test(error.code) && example !== undefined;
  const { path, operand } = readTypedCommand(argv);
  const help = isIncomplete ? `for example: gantry ${example}` : gantryCommand`${path} --help`;
  const [original = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const { message, ...facts } = reword(original);
  const retryWith = operand && example ? sampleOf(original, example.split(' ')) : undefined;
  if (retryWith) return new UsageError(message, { fix: 'for example', retryWith });
  const fields = fieldsAfterJson(original, argv);
  if (fields) return new UsageError(message, { why: 'the fields are written directly after --json=', fix: fields });
  const [, typed = ''] = /^unknown (?:command|option) '([^=]+).*'$/s.exec(original) ?? [];
  const suggestions = (similarWords(hint, typed) ?? similarFlags(typed, error.flags))?.filter(
    (word) => !isOpposite(word, typed),
  );
  if (!suggestions?.length)
    return new UsageError(message, { fix: (await lineInstead(path, typed, argv)) ?? help, ...facts });
  const next = argv[argv.indexOf(typed) + 1] ?? '';
  const meant = suggestions.find((word) => hasChild(word, next)) ?? suggestions[0] ?? '';
  return new UsageError(`${message}: did you mean ${suggestions.join(' or ')}?`, {
    fix: help,
    ...facts,
    corrected: { typed, meant },
  });
}

/** `--yes` of `--no-yes`: who types one does not mean the other. */
function isOpposite(flag: string, other: string): boolean {
  return bare(flag) === `no-${bare(other)}` || bare(other) === `no-${bare(flag)}`;
}

/** A required flag, as the example of its command has it. */
function sampleOf(original: string, words: readonly string[]): readonly string[] | undefined {
  const [, flag = ''] = /^required option '(.+)' not specified$/.exec(original) ?? [];
  const at = words.findIndex((word) => flag.split(/[ ,]+/).includes(word));
  return at < 0 ? undefined : words.slice(at, at + 2);
}

/** What commander suggests is up to three letters away: in a short word that is another word, and `rm` is near many. */
function similarWords(hint: string | undefined, typed: string): string[] | undefined {
  const words = hint?.match(/Did you mean (?:one of )?(.+)\?/)?.[1]?.split(', ') ?? [];
  const similar = words.filter(
    (word) => word.startsWith(typed) || (word.length > 2 && closestName(bare(typed), [bare(word)])),
  );
  return similar.length > 0 ? similar : undefined;
}

/** Without the dashes of a flag, which are the same in every one. */
function bare(word: string): string {
  return word.replace(/^--/, '');
}

/** A flag that begins with what was typed, or one or two that have its words: `--only-if-changed` is `--if-changed`. */
function similarFlags(typed: string, flags: readonly string[] = []): string[] | undefined {
  const wordsOf = (flag: string) => bare(flag).split('-');
  const isWithin = (some: string[], all: string[]) => some.every((word) => all.includes(word));
  const typedWords = wordsOf(typed);
  const begun = flags.filter((flag) => flag.startsWith(typed));
  const alike = flags.filter((flag) => isWithin(wordsOf(flag), typedWords) || isWithin(typedWords, wordsOf(flag)));
  return /^--[a-z]/.test(typed)
    ? [begun, alike].find((names, at) => names.length > 0 && names.length <= 1 + at)
    : undefined;
}

/** A command elsewhere than it is; for a word that is no command of gantry, those that have to do with it. */
async function lineInstead(path: string[], typed: string, argv: string[]) {
  const line = lineElsewhere(path, typed, argv);
  if (line || path.length > 0 || !/^\w/.test(typed)) return line;
  const [{ reference }, { helpAbout }] = await Promise.all([
    import('../reference.ts'),
    import('../mcp/find-commands.ts'),
  ]);
  return helpAbout(typed, (await reference()).commands);
}

/** A command elsewhere than it is: `restart web`, `secrets rm A`, `apps logs web`, `auth login`. */
export function lineElsewhere(
  [group]: readonly string[],
  typed: string,
  argv: string[],
): CommandLine | Sentence | undefined {
  if (/^(-|$)/.test(typed)) return undefined;
  const at = argv.indexOf(typed);
  const without = (extra: number) => new CommandLine(['gantry', ...argv.toSpliced(extra, 1)]);
  if (group === undefined) {
    const next = argv[at + 1] ?? '';
    // In a group of another client, `ls` lists no files.
    return lineInGroup(typed, argv) ?? (namedCommand(next) && next !== 'ls' ? without(at) : undefined);
  }
  if (removals.includes(typed)) {
    const removal = removals.find((word) => hasChild(group, word));
    return removal === undefined ? undefined : new CommandLine(['gantry', ...argv.toSpliced(at, 1, removal)]);
  }
  return withoutGroup[group]?.some((category) => Object.hasOwn(commands[category] ?? {}, typed))
    ? without(argv.indexOf(group))
    : undefined;
}

/** Words with one meaning in all groups, where `rm` removes no files. */
const removals = ['rm', 'delete', 'unset', 'remove'];

/** The categories whose commands are about what a group has, too; those of other groups are about something else. */
const withoutGroup: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['apps', 'builds', 'runs'].map((group) => [group, ['Get started', 'Manage']])),
  volumes: ['Files'],
};

/** A command without its group. Words that many groups have are not meant for one. */
function lineInGroup(typed: string, argv: string[]): CommandLine | Sentence | undefined {
  const groups = groupsWith(typed);
  const [a, b] = groups.map((group) => new CommandLine(['gantry', ...argv.toSpliced(argv.indexOf(typed), 0, group)]));
  if (!a || groups.length > 2) return undefined;
  return b ? sentence`${a}, or ${b}` : a;
}
/** `--json name`, as other programs have it, where `--json=name` is meant. */
function fieldsAfterJson(original: string, argv: readonly string[]): CommandLine | undefined {
  const [, word = ''] = /^unexpected argument "(\w+)"$/.exec(original) ?? [];
  const at = argv.findIndex((each, index) => each === '--json=' && argv[index + 1] === word);
  return at < 0 ? undefined : new CommandLine(['gantry', ...argv.toSpliced(at, 2, `--json=${word}`)]);
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
  [/^required option '(.+)' not specified$/, (flag) => ({ message: `missing required flag ${flag}` })],
  [/^missing required argument '(.+)'$/, (name) => ({ message: `missing argument <${name}>` })],
];

function reword(original: string): UsageFacts {
  for (const [pattern, facts] of rewordings) {
    const [match, ...groups] = pattern.exec(original) ?? [];
    if (match !== undefined) return facts(...groups);
  }
  return { message: original };
}

function invalidValue(value = '', flag = '', reason = ''): UsageFacts {
  const message = `invalid ${flag} "${value}"`;
  const text = (reason.charAt(0).toLowerCase() + reason.slice(1)).replace(/\.$/, '');
  const choices = /^allowed choices are (.+)$/.exec(text)?.[1]?.split(', ');
  const expected = /^(?:write|expected) (.+)$/s.exec(choices ? `expected one of ${choices.join(', ')}` : text)?.[1];
  if (expected === undefined) return { message, why: text };
  const similar = value && choices && (closestName(value, choices) ?? choices.find((word) => word.startsWith(value)));
  const [, sample] = /such as '?([\w@.:</-]*\w)/.exec(expected) ?? /from (-?\d+\w*) (?:up|to)/.exec(expected) ?? [];
  const suggested = similar || (choices?.[0] ?? sample);
  // The next word was taken for the value that is missing.
  const meant = /\.py(::|$)/.test(value) && suggested ? [suggested, value] : suggested;
  return {
    message: `${message}: expected ${expected}`,
    ...(meant !== undefined && { corrected: { typed: value, meant, flag, isExample: !similar } }),
  };
}
