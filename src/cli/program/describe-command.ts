import type { Argument, Command as Commander, Option } from 'commander';
import { type ExitName, exitCodes } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import type { ArgumentRules, Command, Effect, FlagRules } from '../command.ts';
import { type Field, fieldsOf, type ResultSchema } from '../result-schema.ts';
import { partnersOf } from './command-tree.ts';
import { usualCommands } from './next-commands.ts';

/** A command as data: what its help, `gantry help COMMAND --json` and the site are made from. */
export interface CommandReference {
  /** As typed, without the leading `gantry`. */
  command: string;
  category: string;
  summary: string;
  details: string[];
  usage: string;
  arguments: ArgumentReference[];
  flags: FlagReference[];
  /** What it does to what exists, on this machine or the platform. */
  effect: Effect;
  /** Whether it ends by itself and asks nothing that a flag cannot answer. */
  unattended: boolean;
  /** What `--json` prints; null if the output is raw bytes only. */
  output: ResultSchema['form'] | null;
  json: Record<string, Field>;
  exitCodes: ExitCodeReference[];
  examples: string[];
  /** The commands that usually follow, as in `builds get <app> <build>`. */
  followedBy: { command: string; when: string }[];
}

export interface ExitCodeReference {
  name: ExitName;
  code: number;
  when: string;
}

export interface ArgumentReference {
  name: string;
  description: string;
  required: boolean;
  variadic: boolean;
  choices?: string[];
}

export interface FlagReference {
  flags: string;
  description: string;
  type: 'boolean' | 'value' | 'list';
  /** What kind of value it takes, if it is not any text. */
  value?: 'number' | 'duration' | 'size' | 'time';
  valueRequired: boolean;
  /** What it is about, if the flags of the command are in groups. */
  group?: string;
  /** Few need it: `--help` leaves it out. */
  seldom?: true;
  /** It has no effect without one of these. */
  requires?: string[];
  choices?: string[];
  default?: unknown;
}

/** Describes a command that has its arguments and flags. `line` is what is typed, `apps get`. */
export function describeCommand(
  commander: Commander,
  { details, examples, json, effect, exits, unattended }: Command,
  line: string,
  category: string,
): CommandReference {
  return {
    command: line,
    category,
    summary: commander.summary(),
    details,
    usage: usageOf(commander, line),
    arguments: commander.registeredArguments.map(describeArgument),
    flags: commander.options
      .filter(({ hidden }) => !hidden)
      .map((option) => describeFlag(option, partnersOf(commander, option))),
    effect,
    unattended,
    output: json?.form ?? null,
    json: json ? fieldsOf(json) : {},
    exitCodes: describeExitCodes(exits),
    examples,
    followedBy: (usualCommands[line] ?? []).map(({ line, when }) => ({ command: line, when })),
  };
}

function usageOf(commander: Commander, line: string): string {
  const inputs = commander.usage().replace(/\[(options|command)\] ?/g, '');
  return ['gantry', line, inputs, inputs.includes('[flags]') ? '' : '[flags]'].filter(Boolean).join(' ');
}

/** In the order of their numbers. */
export function describeExitCodes(names: readonly ExitName[]): ExitCodeReference[] {
  return (Object.keys(exitCodes) as ExitName[])
    .filter((name) => names.includes(name))
    .map((name) => ({ name, ...exitCodes[name] }));
}

function describeArgument(argument: Argument): ArgumentReference {
  const { description, variadic, argChoices } = argument;
  const required = argument.required || Boolean((argument as Partial<ArgumentRules>).isNeeded);
  return { name: argument.name(), description, required, variadic, ...defined({ choices: argChoices }) };
}

export function describeFlag(option: Option, partners: readonly Option[] = []): FlagReference {
  const { required, helpGroupHeading: group, argChoices: choices } = option;
  const kind = valueKindOf(option);
  const { isSeldom } = option as Partial<FlagRules>;
  const takesValue = required || option.optional;
  const requires = partners.map(({ long }) => `${long}`);
  const needsOthers = requires.length > 0;
  return {
    flags: option.long === '--json' ? '--json[=fields]' : option.flags,
    description: needsOthers ? `with ${requires.join(' or ')}: ${option.description}` : option.description,
    type: kind === 'list' ? 'list' : takesValue ? 'value' : 'boolean',
    ...defined({ value: kind === 'list' ? undefined : kind }),
    valueRequired: required,
    ...defined({ group, seldom: isSeldom || undefined, requires: needsOthers ? requires : undefined }),
    ...defined({ choices, default: option.defaultValue }),
  };
}

function valueKindOf({ variadic, parseArg }: Option): FlagReference['value'] | 'list' {
  return variadic ? 'list' : (parseArg as { valueKind?: FlagReference['value'] | 'list' } | undefined)?.valueKind;
}
