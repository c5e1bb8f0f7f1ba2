import { groupFlags } from '../../kernel/output/flag-groups.ts';
import type { View } from '../../kernel/output/page.ts';
import { keyValueTable, stackViews } from '../../kernel/output/table.ts';
import { wrappedTable } from '../../kernel/output/wrapped-table.ts';
import { anything, list, object, record, text } from '../result-schema.ts';
import { commandFields, exitCodeShape, flagShape } from './command-fields.ts';

/** The whole program as data. */
export const referenceFields = {
  name: text('gantry'),
  version: text('its version'),
  flags: list(flagShape, 'flags of every command'),
  commands: list(object(commandFields), 'each command'),
  groups: record(text('summary'), 'summary of each command group'),
  exitCodes: list(exitCodeShape, 'each exit code'),
};

/** A JSON Schema. */
export const schemaFields = {
  $schema: text('with --schema: the version of JSON Schema'),
  title: text('with --schema: what it describes'),
  anyOf: list(anything('reference to a definition'), 'with --schema: a result, an error, or a line'),
  $defs: record(anything('schema'), 'with --schema: the definitions'),
};

/** One command, as in `gantry help COMMAND --all`. */
interface DescribedCommand {
  usage: string;
  summary: string;
  effect: string;
  output: string | null;
  flags: readonly { flags: string; description: string; group?: string; default?: unknown }[];
  json: Record<string, { type: string; description: string }>;
  exitCodes: readonly { name: string; code: number; when: string }[];
}

/** What a command takes, prints and exits with. */
export function commandReferenceView(command: DescribedCommand): View {
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
