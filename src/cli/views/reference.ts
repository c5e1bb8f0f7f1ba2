import { groupFlags } from '../../kernel/output/flag-groups.ts';
import type { View } from '../../kernel/output/page.ts';
import { keyValueTable, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { wrappedTable } from '../../kernel/output/wrapped-table.ts';

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
export function referenceView(commands: readonly ListedCommand[]): View {
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
