import { defineCommand } from '../command.ts';
import { UsageError } from '../errors.ts';
import { stringifyJson } from '../json-text.ts';
import type { CommandReference, OutputSchema, Reference } from '../reference.ts';
import {
  anything,
  boolean,
  choice,
  document,
  integer,
  list,
  nullable,
  object,
  optional,
  record,
  text,
} from '../result-schema.ts';
import { commandReferenceView, referenceView } from '../views/reference.ts';

const flagShape = object({
  flags: text('as typed, with the name of its value'),
  description: text('what it does'),
  type: choice(['boolean', 'value', 'list'], 'whether it takes no value, one, or may be repeated'),
  value: optional(choice(['number', 'duration', 'size', 'time'], 'what kind of value it takes; absent: any text')),
  valueRequired: boolean('whether its value may not be omitted'),
  group: optional(text('what it is about, if the flags of the command are in groups')),
  seldom: optional(boolean('true if few need it: --help leaves it out')),
  requires: optional(list(text('flag'), 'it has no effect without one of these, and is refused')),
  choices: optional(list(text('value'), 'the values that it accepts, if they are known')),
  default: optional(anything('its value if it is omitted')),
});

const argumentShape = object({
  name: text('name'),
  description: text('what it is'),
  required: boolean('whether it may not be omitted'),
  variadic: boolean('whether there may be several'),
  choices: optional(list(text('value'), 'the values that it accepts, if they are known')),
});

const exitCodeShape = object({
  name: text('name, the code of an error in JSON'),
  code: integer('number'),
  when: text('when a command exits with it'),
});

const commandFields = {
  command: text('as typed, without gantry'),
  category: text('section of the help'),
  summary: text('one line'),
  details: list(text('paragraph'), 'paragraphs'),
  usage: text('how it is called'),
  arguments: list(argumentShape, 'arguments'),
  flags: list(flagShape, 'its own flags'),
  effect: choice(['reads', 'changes', 'destroys'], 'what it does to what exists, locally or on the platform'),
  unattended: boolean('whether it ends by itself and asks nothing that a flag cannot answer'),
  output: nullable(choice(['document', 'list', 'stream'], 'what --json prints; null if the output is raw bytes')),
  json: record(object({ type: text('type'), description: text('meaning') }), 'the fields of the output, by name'),
  exitCodes: list(exitCodeShape, 'the exit codes that it may end with'),
  examples: list(text('command line'), 'command lines, without gantry'),
  followedBy: list(
    object({ command: text('command line, with <names> for values'), when: text('what it is for') }),
    'the commands that usually follow',
  ),
};

export default defineCommand({
  configure: (command) =>
    command
      .argument('[command...]', 'a command, such as apps list (default: all commands)')
      .option('--schema', 'print the JSON Schema of what the command prints with --json'),
  run: async (_, words, { schema }): Promise<Reference | CommandReference | OutputSchema> => {
    const { reference, referenceOf, outputSchemaOf } = await import('../reference.ts');
    if (schema && words.length === 0) throw new UsageError('--schema needs a command', { fix: 'name a command' });
    if (words.length === 0) return reference();
    return schema ? outputSchemaOf(words.join(' ')) : referenceOf(words.join(' '));
  },
  verbatim: () => true,
  view: (value) => {
    if ('$schema' in value) return () => stringifyJson(value, 2);
    return 'commands' in value ? referenceView(value.commands) : commandReferenceView(value);
  },
  json: document(
    {
      name: text('gantry'),
      version: text('its version'),
      flags: list(flagShape, 'flags of every command'),
      commands: list(object(commandFields), 'each command'),
      groups: record(text('summary'), 'summary of each command group'),
      exitCodes: list(exitCodeShape, 'each exit code'),
    },
    commandFields,
    {
      $schema: text('with --schema: the version of JSON Schema'),
      title: text('with --schema: what it describes'),
      $ref: optional(text('with --schema: the definition of each line')),
      anyOf: optional(list(anything('reference to a definition'), 'with --schema: a result or an error')),
      $defs: record(anything('schema'), 'with --schema: the definitions'),
    },
  ),
  effect: 'reads',
  local: true,
  exits: [],
  examples: ['reference --json', 'reference apps list', 'reference deploy --schema'],
});
