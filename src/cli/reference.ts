import { Command as Commander } from 'commander';
import { gantryCommand, sentence } from '../kernel/command-line.ts';
import { type ExitName, exitCodes, UsageError } from '../kernel/errors.ts';
import type { FailureDocument } from '../kernel/output/failure.ts';
import { eventTypes } from '../kernel/output/progress.ts';
import { version } from '../kernel/version.ts';
import { commands, type Leaf, namedCommand } from './commands/index.ts';
import { buildProgram, configureCommand } from './program/command-tree.ts';
import {
  type CommandReference,
  commandFields,
  describeCommand,
  describeExitCodes,
  describeFlag,
  exitCodeShape,
  type FlagReference,
  flagShape,
} from './program/describe-command.ts';
import type { GroupHelp, ProgramHelp } from './program/help.ts';
import {
  anything,
  arrayOf,
  boolean,
  choice,
  document,
  integer,
  type JsonSchema,
  list,
  type ObjectOf,
  object,
  optional,
  type ResultSchema,
  record,
  sharedFields,
  text,
  warningsShape,
  withType,
} from './result-schema.ts';

export { flagMeaning, helpView } from './program/help.ts';
export type { CommandReference, FlagReference, OutputSchema };

/** The whole program as data: for agents, for completion, for the site. */
export const referenceFields = {
  name: text('gantry'),
  version: text('its version'),
  flags: arrayOf(flagShape, 'flags of every command'),
  commands: arrayOf(object(commandFields), 'each command'),
  groups: record(text('summary'), 'summary of each command group'),
  exitCodes: arrayOf(exitCodeShape, 'each exit code'),
};

export type Reference = ObjectOf<typeof referenceFields>;

export function globalFlags(): FlagReference[] {
  const { options } = buildProgram({ run: ignore, onHelp: () => {} });
  const help = {
    flags: '-h, --help',
    description: 'show help for a command',
    type: 'boolean',
    valueRequired: false,
  } as const;
  return [help, ...options.map((option) => describeFlag(option))];
}

export async function reference(): Promise<Reference> {
  const groups = Object.values(commands).flatMap((entries) => Object.entries(entries));
  return {
    name: 'gantry',
    version,
    flags: globalFlags(),
    commands: await Promise.all(listCommands().map(describe)),
    groups: Object.fromEntries(groups.flatMap(([name, entry]) => (entry.load ? [] : [[name, entry.summary]]))),
    exitCodes: describeExitCodes(Object.keys(exitCodes) as ExitName[]),
  };
}

/** What the help of a command or of a group is made from; of the program, for an empty line. Throws UsageError for another. */
export async function helpSourceOf(line: string): Promise<CommandReference | GroupHelp | ProgramHelp> {
  if (line === '') return { categories: summariesByCategory() };
  return groupOf(line) ?? referenceOf(line);
}

function groupOf(name: string): GroupHelp | undefined {
  const { load, summary = '', commands } = namedCommand(name) ?? {};
  return load || !commands ? undefined : { group: name, summary, commands: summariesOf(commands) };
}

export function summariesByCategory(): ProgramHelp['categories'] {
  return Object.fromEntries(Object.entries(commands).map(([category, entries]) => [category, summariesOf(entries)]));
}

function summariesOf(entries: Record<string, { summary: string }>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([name, { summary }]) => [name, summary]));
}

export async function referenceOf(line: string): Promise<CommandReference> {
  return describe(findCommand(line));
}

export async function outputSchemaOf(line: string): Promise<OutputSchema> {
  const { commander, command } = await load(findCommand(line));
  if (!command.json) throw new UsageError(`gantry ${line} prints raw bytes: its output has no schema`);
  const hasEvents = commander.options.some(({ long }) => long === '--events');
  return outputSchema(line, command.json, hasEvents || command.json.events !== undefined);
}

type ListedCommand = Leaf & { line: string; category: string };

function listCommands(): ListedCommand[] {
  return Object.entries(commands).flatMap(([category, entries]) =>
    Object.entries(entries).flatMap(([name, { load, summary, commands = {} }]) => [
      ...(load ? [{ line: name, category, load, summary }] : []),
      ...Object.entries(commands).map(([child, leaf]) => ({ ...leaf, line: `${name} ${child}`, category })),
    ]),
  );
}

function findCommand(line: string): ListedCommand {
  const command = listCommands().find((listed) => listed.line === line);
  if (command) return command;
  const example = listCommands().find((listed) => listed.line.startsWith(line && `${line} `));
  if (!example) throw new UsageError(`unknown command "${line}"`, { fix: gantryCommand`help --all` });
  const fix = sentence`name a command, such as ${gantryCommand`help ${example.line.split(' ')} --schema`}`;
  throw new UsageError(line ? `${line} is a group of commands` : 'missing command', { fix });
}

async function describe(listed: ListedCommand): Promise<CommandReference> {
  const { commander, command } = await load(listed);
  return describeCommand(commander, command, listed.line, listed.category);
}

async function load({ line, summary, load }: ListedCommand) {
  const commander = new Commander(line).summary(summary);
  return { commander, command: await configureCommand(commander, load, ignore) };
}

async function ignore(): Promise<void> {}

/** A JSON Schema document, draft 2020-12. */
interface OutputSchema extends JsonSchema {
  $schema: string;
  title: string;
  anyOf: readonly JsonSchema[];
  $defs: Record<string, JsonSchema>;
}

/** What `--json` prints: a result, or an error. What is printed as lines, also with `--events`, is in `$defs.line`. */
function outputSchema(command: string, json: ResultSchema, hasEvents: boolean): OutputSchema {
  const error = failure.schema;
  const documents: Record<string, JsonSchema> = json.form === 'stream' ? { error } : { result: json.schema, error };
  const line = json.form === 'stream' ? streamLine(json.schema, error) : eventLine(json, error);
  const $defs = { ...documents, ...((hasEvents || json.form === 'stream') && { line }) };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${titles[json.form]} of gantry ${command}`,
    anyOf: Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs,
  };
}

const titles = {
  document: 'the document of --json, or a line of --events,',
  list: 'the document of --json',
  stream: 'each line of --json',
};

/** The last line has the type `result`, or it is an error. */
function streamLine(item: JsonSchema, error: JsonSchema): JsonSchema {
  const ends: JsonSchema = { properties: { type: { enum: ['result', 'error'] } }, required: ['type'] };
  const result: JsonSchema = { type: 'object', properties: sharedFields, additionalProperties: false };
  return { anyOf: [{ ...item, not: ends }, withType(result, 'result'), withType(error, 'error')] };
}

function eventLine({ schema, events }: ResultSchema, error: JsonSchema): JsonSchema {
  const type: JsonSchema = { type: 'string', enum: eventTypes };
  const progress: JsonSchema = { type: 'object', properties: { type }, required: ['type'], description: 'progress' };
  const values = events ? [withType(events, 'event')] : [];
  return { anyOf: [withType(schema, 'result'), withType(error, 'error'), ...values, progress] };
}

const failure: ResultSchema<FailureDocument> = document({
  error: object({
    code: choice(Object.keys(exitCodes) as ExitName[], 'name of the exit code'),
    message: text('what happened'),
    why: optional(text('why it happened, if known')),
    fix: optional(text('what to do about it')),
    next: optional(
      list(text('argument'), 'the command to run next, as a list of arguments: that of fix, or one that usually helps'),
    ),
    exitCode: integer('exit code of the process'),
    statusCode: optional(integer('HTTP status of the reply that caused it')),
    requestId: optional(text('request id, for the support of the platform')),
    retryable: boolean('whether the same command may succeed later'),
    retryAfterMs: optional(integer('when to try again, in ms')),
    details: optional(record(anything('value'), 'ids and other facts of this error')),
  }),
  warnings: optional(warningsShape),
});
