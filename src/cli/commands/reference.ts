import { gantryCommand } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { groupFlags } from '../../kernel/output/flag-groups.ts';
import type { View } from '../../kernel/output/page.ts';
import { keyValueTable, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { wrappedTable } from '../../kernel/output/wrapped-table.ts';
import { defineCommand } from '../command.ts';
import type { CommandReference, OutputSchema, Reference } from '../reference.ts';
import { anything, document, list, object, record, text } from '../result-schema.ts';
import { commandFields, exitCodeShape, flagShape } from '../views/command-fields.ts';

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

/** One command, as in `gantry reference COMMAND`. */
interface DescribedCommand {
  usage: string;
  summary: string;
  effect: string;
  output: string | null;
  flags: readonly { flags: string; description: string; group?: string; default?: unknown }[];
  json: Record<string, { type: string; description: string }>;
  exitCodes: readonly { name: string; code: number; when: string }[];
}

interface ListedCommand {
  /** As typed, without the leading `gantry`. */
  command: string;
  category: string;
  summary: string;
}

/** All commands, in the categories of the help. Off a terminal: command and summary. */
function referenceView(commands: readonly ListedCommand[]): View {
  const categories = [...new Set(commands.map(({ category }) => category))];
  return (page) =>
    page.terminal
      ? stackViews(
          categories.map((category) => categoryView(category, commands)),
          footer,
        )(page)
      : table(commands, columns)(page);
}

/** What a command takes, prints and exits with. */
function commandReferenceView(command: DescribedCommand): View {
  const { usage, summary, effect, output, flags, json, exitCodes } = command;
  return stackViews(
    keyValueTable([
      ['usage', usage],
      ['summary', summary],
      ['effect', effect],
      ['output', output ? outputForms[output] : 'raw bytes'],
    ]),
    groupFlags(flags).map(({ title, members }) =>
      wrappedTable(members, {
        [title.toUpperCase()]: (flag) => flag.flags,
        MEANING: (flag) => flag.description,
        DEFAULT: (flag) => (flag.default === undefined ? '' : String(flag.default)),
      }),
    ),
    wrappedTable(Object.entries(json), {
      'JSON FIELD': ([name]) => name,
      TYPE: ([, { type }]) => type || 'any',
      MEANING: ([, { description }]) => description,
    }),
    wrappedTable(exitCodes, { 'EXIT CODE': ({ code }) => code, NAME: ({ name }) => name, WHEN: ({ when }) => when }),
  );
}

const outputForms: Record<string, string> = {
  document: 'one JSON document',
  list: 'one JSON list',
  stream: 'one JSON document per line',
};

const columns = {
  COMMAND: ({ command }: ListedCommand) => command,
  SUMMARY: ({ summary }: ListedCommand) => summary,
};

function categoryView(category: string, commands: readonly ListedCommand[]): View {
  const members = commands.filter((entry) => entry.category === category);
  return (page) =>
    `${page.style.bold(category.toUpperCase())}\n${wrappedTable(members, columns, { titled: false })(page)}`;
}

const footer = wrapped(
  () => 'gantry <command> --help shows the flags of a command; gantry reference --json prints everything as JSON',
);
