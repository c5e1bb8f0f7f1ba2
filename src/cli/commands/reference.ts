import { gantryCommand } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { defineCommand } from '../command.ts';
import type { CommandReference, OutputSchema, Reference } from '../reference.ts';
import { anything, document, list, object, record, text } from '../result-schema.ts';
import { commandFields, exitCodeShape, flagShape } from '../views/command-fields.ts';
import { commandReferenceView, referenceView } from '../views/reference.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[command...]', 'a command, such as apps list (default: all commands)')
      .option('--schema', 'print the JSON Schema of what the command prints with --json'),
  run: async (_, words, { schema }): Promise<Reference | CommandReference | OutputSchema> => {
    const { reference, referenceOf, outputSchemaOf } = await import('../reference.ts');
    if (schema && words.length === 0)
      throw new UsageError('--schema needs a command', { fix: gantryCommand`reference deploy --schema` });
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
      anyOf: list(anything('reference to a definition'), 'with --schema: a result, an error, or a line'),
      $defs: record(anything('schema'), 'with --schema: the definitions'),
    },
  ),
  effect: 'reads',
  local: true,
  exits: [],
  examples: ['reference --json', 'reference apps list', 'reference deploy --schema'],
});
