import { UsageError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import type { ArgumentReference, CommandReference, FlagReference } from '../reference.ts';

/** A property of a tool's input: an argument or a flag of a command. */
export interface InputProperty {
  name: string;
  required: boolean;
  /** The long flag, `--limit`; undefined for arguments. */
  flag?: string;
  schema: PropertySchema;
}

export type InputSchema = {
  type: 'object';
  properties: Record<string, PropertySchema>;
  required?: string[];
};

type PropertySchema = {
  type: string | string[];
  description?: string;
  enum?: string[];
  items?: { type: string; enum?: string[] };
  examples?: string[];
};

/** Every call may have these, whatever its command. Only `describe` lists them all: each would be in every tool. */
const sharedProperties = [
  globalFlag('jq', 'jq filter for the result'),
  globalFlag('cwd', 'folder to run in'),
  globalFlag('project', 'project id'),
  globalFlag('region', 'region'),
  globalFlag('json', 'fields of the result, as a,b'),
  globalFlag('config-file', 'config file'),
];

/** The answer to a question of a command that changes something. */
const confirmation = globalFlag('yes', 'answer yes to prompts', 'boolean');

function globalFlag(name: string, description: string, type = 'string'): InputProperty {
  return { name, required: false, flag: `--${name}`, schema: { type, description } };
}

/**
 * Never ends, prints what a tool's result cannot hold, shows secret values, opens or writes a page (a tool that only reads
 * must not write files), gives exit codes another meaning, or shows the lines of any file of this machine.
 */
const hiddenFlags = new Set([
  ...['--live', '--clear', '--events', '--show-values', '--raw', '--show-headers', '--schema'],
  ...['--open', '--html', '--forward-exit-code', '--file'],
]);

export function knownProperties(command: CommandReference): InputProperty[] {
  return [...propertiesOf(command), ...sharedPropertiesOf(command)];
}

/**
 * The input of a tool, in few words. With several commands, `command` chooses one, the others are the properties of any,
 * and only `describe` explains them.
 */
export function toolInput(commands: readonly CommandReference[]): InputSchema {
  const properties = commands.flatMap(propertiesOf);
  if (commands.some(({ effect }) => effect !== 'reads')) properties.push(confirmation);
  if (commands.length === 1) {
    return inputSchema(properties.map(properties.length > maxExplained ? unexplained : shortened));
  }
  const choice = { type: 'string', enum: commands.map(({ command }) => command) };
  return inputSchema([
    { name: 'command', required: true, schema: choice },
    ...properties.map((property) => ({ ...unexplained(property), required: false })),
  ]);
}

/** A command with more properties has names that tell enough. */
const maxExplained = 8;

export function inputSchema(properties: readonly InputProperty[]): InputSchema {
  const required = properties.filter((property) => property.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
  };
}

function shortened(property: InputProperty): InputProperty {
  const { description = '' } = property.schema;
  const [clause = ''] = description.split(/[,:;(]/);
  return { ...property, schema: { ...property.schema, description: clause.trim() } };
}

function unexplained(property: InputProperty): InputProperty {
  const { description: _, ...schema } = property.schema;
  return { ...property, schema };
}

export function propertiesOf(command: CommandReference): InputProperty[] {
  // What is of use with a hidden flag only is hidden, too.
  const offered = command.flags.filter(({ requires }) => !requires?.every((flag) => isHidden(flag, command)));
  const flags = offered.map(flagProperty).filter(({ flag = '' }) => !isHidden(flag, command));
  return [...command.arguments.map(argumentProperty), ...flags];
}

function isHidden(flag: string, { effect }: CommandReference): boolean {
  return hiddenFlags.has(flag) || (effect === 'reads' && flag === '--output');
}

/** `project` is not the flag where it is what the command is for: `projects use`. */
function sharedPropertiesOf(command: CommandReference): InputProperty[] {
  const own = new Set(propertiesOf(command).map(({ name }) => name));
  const shared = command.effect === 'reads' ? sharedProperties : [...sharedProperties, confirmation];
  return shared.filter(({ name }) => !own.has(name));
}

/** `project...` of `service-accounts grant` is called `projects`: its flag is the project of the service account. */
function argumentProperty(argument: ArgumentReference): InputProperty {
  const { description, required, variadic, choices } = argument;
  const [word = ''] = /^[\w-]+/.exec(argument.name) ?? [];
  const isTaken = variadic && sharedProperties.some(({ name }) => name === word);
  const name = isTaken ? `${word}s` : word;
  const text = { type: 'string', ...defined({ enum: choices }) };
  return { name, required, schema: { ...(variadic ? { type: 'array', items: text } : text), description } };
}

function flagProperty({ flags, description, type, value, valueRequired, choices }: FlagReference): InputProperty {
  const [flag = ''] = /--[\w-]+/.exec(flags) ?? [];
  return { name: flag.slice(2), required: false, flag, schema: { ...valueSchema(), description } };

  function valueSchema(): PropertySchema {
    if (type === 'boolean') return { type: 'boolean' };
    const kind = value === 'number' || value === 'integer' ? value : 'string';
    const scalar = { type: kind, ...defined({ enum: choices, examples: examples[value ?? ''] }) };
    if (type === 'list') return { type: 'array', items: scalar };
    return valueRequired ? scalar : { ...scalar, type: [scalar.type, 'boolean'] };
  }
}

/** Where the name does not tell the unit. */
const examples: Readonly<Record<string, string[]>> = { duration: ['30s'], size: ['20MB'], time: ['2h'] };

/** The command line of a call, without `gantry`. Throws UsageError for properties that the command has not. */
export function argvOf(command: CommandReference, input: Record<string, unknown>): string[] {
  const known = knownProperties(command);
  const unknown = Object.keys(input).find((name) => !known.some((property) => property.name === name));
  if (unknown !== undefined) {
    throw new UsageError(`${command.command} has no property "${unknown}"`, {
      why: `its properties: ${known.map(({ name }) => name).join(', ')}`,
    });
  }
  refuseEndless(setIn(input));
  const words = (property: InputProperty) => wordsOf(property, input[property.name]);
  const positional = known.filter(({ flag }) => flag === undefined);
  const last = positional.findLastIndex((property) => words(property).length > 0);
  const missing = positional.slice(0, Math.max(last, 0)).find((property) => words(property).length === 0);
  if (missing) {
    throw new UsageError(`${command.command} requires "${missing.name}" before "${positional[last]?.name}"`);
  }
  return [
    ...command.command.split(' '),
    ...known.filter(({ flag }) => flag !== undefined).flatMap(words),
    // What follows is never taken for a flag.
    '--',
    ...positional.flatMap(words),
  ];
}

/** The names of what is set. */
export function setIn(input: Record<string, unknown>): string[] {
  return Object.keys(input).filter((name) => ![undefined, null, false].includes(input[name] as never));
}

/** The log of an app has no end. */
export function refuseEndless(set: readonly string[]): void {
  if (!set.includes('follow') || set.includes('run') || set.includes('build')) return;
  throw new UsageError('follow needs run or build', {
    why: 'the log of an app has no end',
    fix: 'name a run or a build, or leave follow out',
  });
}

function wordsOf({ name, flag, schema }: InputProperty, value: unknown): string[] {
  const isSwitch = flag !== undefined && [schema.type].flat().includes('boolean');
  if (value === undefined || value === null || (value === false && isSwitch)) return [];
  const values = Array.isArray(value) && schema.type === 'array' ? value : [value];
  return values.flatMap((each) => {
    if (each === true && isSwitch) return [flag];
    if (typeof each !== 'string' && typeof each !== 'number') {
      throw new UsageError(`invalid property "${name}": expected ${[schema.type].flat().join(' or ')}`);
    }
    if (Number.isInteger(each) && !Number.isSafeInteger(each)) {
      throw new UsageError(`invalid property "${name}": the number is too large to be exact`, {
        fix: 'pass it as text',
      });
    }
    return [flag === undefined ? String(each) : `${flag}=${each}`];
  });
}
