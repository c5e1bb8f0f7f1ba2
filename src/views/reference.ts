import type { View } from '../output/page.ts';
import { stackViews, table, wrapped } from '../output/table.ts';
import { wrappedTable } from '../output/wrapped-table.ts';

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
      ? stackViews(...categories.map((category) => categoryView(category, commands)), footer)(page)
      : table(commands, columns)(page);
}

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
