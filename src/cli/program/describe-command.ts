import type { Argument, Command as Commander, Option } from 'commander';
import { type ExitName, exitCodes } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import type { ArgumentRules, Command, FlagRules } from '../command.ts';
import {
  anything,
  arrayOf,
  boolean,
  choice,
  fieldsOf,
  integer,
  nullable,
  type ObjectOf,
  object,
  optional,
  record,
  text,
  type ValueOf,
} from '../result-schema.ts';
import { partnersOf } from './command-tree.ts';

export const flagShape = object({
  flags: text('as typed, with the name of its value'),
  description: text('what it does'),
  type: choice(['boolean', 'value', 'list'], 'whether it takes no value, one, or may be repeated'),
  value: optional(
    choice(['integer', 'number', 'duration', 'size', 'time'], 'what kind of value it takes; absent: any text'),
  ),
  valueRequired: boolean('whether its value may not be omitted'),
  group: optional(text('what it is about, if the flags of the command are in groups')),
  seldom: optional(boolean('true if few need it: --help leaves it out')),
  requires: optional(arrayOf(text('flag'), 'it has no effect without one of these, and is refused')),
  choices: optional(arrayOf(text('value'), 'the values that it accepts, if they are known')),
  default: optional(anything('its value if it is omitted')),
});

const argumentShape = object({
  name: text('name'),
  description: text('what it is'),
  required: boolean('whether it may not be omitted'),
  variadic: boolean('whether there may be several'),
  choices: optional(arrayOf(text('value'), 'the values that it accepts, if they are known')),
});

export const exitCodeShape = object({
  name: text('name, the code of an error in JSON'),
  code: integer('number'),
  when: text('when a command exits with it'),
});

/** A command as data: what its help, `gantry help COMMAND --json` and the site are made from. */
export const commandFields = {
  command: text('as typed, without gantry'),
  category: text('section of the help'),
  summary: text('one line'),
  details: arrayOf(text('paragraph'), 'paragraphs'),
  usage: text('how it is called'),
  arguments: arrayOf(argumentShape, 'arguments'),
  flags: arrayOf(flagShape, 'its own flags'),
  effect: choice(['reads', 'changes', 'destroys'], 'what it does to what exists, locally or on the platform'),
  unattended: boolean('whether it ends by itself and asks nothing that a flag cannot answer'),
  output: nullable(choice(['document', 'list', 'stream'], 'what --json prints; null if the output is raw bytes')),
  json: record(object({ type: text('type'), description: text('meaning') }), 'the fields of the output, by name'),
  exitCodes: arrayOf(exitCodeShape, 'the exit codes that it may end with'),
  examples: arrayOf(text('command line'), 'command lines, without gantry'),
};

export type CommandReference = ObjectOf<typeof commandFields>;
export type FlagReference = ValueOf<typeof flagShape>;
export type ArgumentReference = ValueOf<typeof argumentShape>;
type ExitCodeReference = ValueOf<typeof exitCodeShape>;

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
  };
}

function usageOf(commander: Commander, line: string): string {
  const inputs = commander.usage().replace(/\[(options|command)\] ?/g, '');
  return ['gantry', line, inputs, inputs.includes('[flags]') ? '' : '[flags]'].filter(Boolean).join(' ');
}

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
