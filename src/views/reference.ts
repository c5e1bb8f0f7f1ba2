import type { View } from '../output/page.ts';
import { stackViews, table, wrapped } from '../output/table.ts';
import { wrappedTable } from '../output/wrapped-table.ts';

interface ListedCommand {
  /** As typed, without the leading `gantry`. */
  command: string;
  group: string;
  summary: string;
}

/** All commands, in the groups of the help. Off a terminal: command and summary. */
export function referenceView(commands: readonly ListedCommand[]): View {
  const groups = [...new Set(commands.map(({ group }) => group))];
  return (page) =>
    page.terminal
      ? stackViews(...groups.map((group) => groupView(group, commands)), footer)(page)
      : table(commands, columns)(page);
}

const columns = {
  COMMAND: ({ command }: ListedCommand) => command,
  SUMMARY: ({ summary }: ListedCommand) => summary,
};

function groupView(group: string, commands: readonly ListedCommand[]): View {
  const members = commands.filter((entry) => entry.group === group);
  return (page) =>
    `${page.style.bold(group.toUpperCase())}\n${wrappedTable(members, columns, { titled: false })(page)}`;
}

const footer = wrapped(
  () => 'gantry COMMAND --help shows the flags of a command, gantry reference --json everything as data',
);
