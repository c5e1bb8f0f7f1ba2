import { gantryCommand } from '../../kernel/command-line.ts';
import { variables } from '../../kernel/environment.ts';
import { exitCodes, UsageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import type { View } from '../../kernel/output/page.ts';
import { stackViews, wrapped, wrappedTable } from '../../kernel/output/table.ts';
import { version } from '../../kernel/version.ts';
import { defineCommand } from '../command.ts';
import { helpAbout } from '../mcp/find-commands.ts';
import { commandFields } from '../program/describe-command.ts';
import {
  type CommandReference,
  flagMeaning,
  globalFlags,
  type helpSourceOf,
  helpView,
  type OutputSchema,
  type Reference,
  referenceFields,
  summariesByCategory,
} from '../reference.ts';
import { anything, document, documents, list, listOr, passThrough, record, text } from '../result-schema.ts';
import { namedCommand } from './index.ts';

const schemaFields = {
  $schema: text('with --schema: the version of JSON Schema'),
  title: text('with --schema: what it describes'),
  anyOf: list(anything('reference to a definition'), 'with --schema: a result, an error, or a line'),
  $defs: record(anything('schema'), 'with --schema: the definitions'),
};

type TopicRow = Record<string, string | number>;

/** Topics of `gantry help TOPIC`, as rows; a topic that is a text is one row. program.ts handles the names of commands. */
const topics: Record<string, () => readonly TopicRow[] | Promise<readonly TopicRow[]>> = {
  topics: () => Object.entries(topicSummaries).map(([topic, about]) => ({ topic, about })),
  flags: () => globalFlags().map((flag) => ({ flag: flag.flags, meaning: flagMeaning(flag) })),
  'exit-codes': () => Object.entries(exitCodes).map(([name, { code, when }]) => ({ code, name, when })),
  environment: () => Object.entries(variables).map(([variable, meaning]) => ({ variable, meaning })),
  json: () => [
    { form: '--json', prints: 'one document: the result, or {"error": {...}} if the command failed' },
    { form: '--json=id,status', prints: 'only these fields; an unknown field lists the valid ones' },
    {
      form: 'streams',
      prints: 'one object per line (logs, --events and others); the last has the type "result" or "error"',
    },
    {
      form: 'errors',
      prints:
        'code, message, exitCode and retryable always; why, fix and others if known; next is the command to run next, as a list of arguments; none where a person has to confirm',
    },
    { form: 'next', prints: 'in a result: the commands that usually follow, each with argv and when' },
    { form: 'warnings', prints: 'in a result or beside an error: what stderr warned of' },
    { form: '--jq EXPRESSION', prints: 'the result filtered by jq; strings are unquoted, and errors are not filtered' },
    { form: 'fields', prints: "the platform's names; numbers are numbers" },
    { form: 'times', prints: 'RFC 3339 in UTC, or null' },
    {
      form: 'exit codes',
      prints:
        'the same with and without --json; apps bench, cp, deploy, doctor, map, runs list, status, sync and volumes verify print a result with others than 0, too',
    },
  ],
  version: () => [{ text: version }],
  agents: async () => [{ text: await agentSkill() }],
  faults: async () => {
    const { faults } = await import('../../emulator/index.ts');
    return Object.entries(faults).flatMap(([target, known]) =>
      Object.entries(known).map(([fault, meaning]) => ({ target, fault, meaning })),
    );
  },
};

const topicSummaries: Record<string, string> = {
  topics: 'this list; a command is a topic as well: gantry help deploy',
  flags: 'flags of every command',
  'exit-codes': 'what each exit code means',
  environment: 'the variables that gantry reads',
  json: 'what --json prints',
  agents: 'instructions for AI agents, as a skill to store',
  version: 'the version of gantry',
  faults: 'faults that the emulator can be told to make',
};

const summaries = record(text('summary'), 'the summary of each command');

export default defineCommand({
  configure: (command) =>
    command
      .argument('[topic...]', 'a command or topic; gantry help topics lists these')
      .option('--all', 'all commands, or all that there is to say of one')
      .option('--schema', 'the JSON Schema of what a command prints with --json'),
  run: async (
    _,
    words,
    { schema },
  ): Promise<readonly TopicRow[] | Reference | Awaited<ReturnType<typeof helpSourceOf>> | OutputSchema> => {
    const topic = words.join(' ');
    const { reference, helpSourceOf, outputSchemaOf } = await import('../reference.ts');
    if (schema) return outputSchemaOf(topic);
    if (topic === '') return reference();
    const rows = Object.hasOwn(topics, topic) && topics[topic];
    if (rows) return rows();
    if (namedCommand(words[0] ?? '')) return helpSourceOf(topic);
    throw new UsageError(`unknown command or topic "${topic}"`, {
      why: `available topics: ${Object.keys(topics).join(', ')}`,
      fix: helpAbout(topic, (await reference()).commands) ?? gantryCommand`--help`,
    });
  },
  verbatim: () => true,
  view: (value) => {
    if (isRows(value)) return explanation(value);
    if ('$schema' in value) return stringifyJson(value, 2);
    if ('group' in value) return helpView(value);
    return 'usage' in value ? commandReferenceView(value) : helpView({ categories: summariesByCategory(), all: true });
  },
  json: listOr(
    documents(passThrough({})),
    document(
      commandFields,
      { group: text('of a group: its name'), summary: text('one line'), commands: summaries },
      { categories: record(summaries, 'of the program: the summaries of the commands of each category') },
      referenceFields,
      schemaFields,
    ),
  ),
  effect: 'reads',
  local: true,
  exits: [],
  examples: [
    'help --all',
    'help flags',
    'help exit-codes',
    'help deploy --all',
    'help deploy --schema',
    'help --json',
    'help agents > .claude/skills/gantry/SKILL.md',
  ],
});

function isRows(value: unknown): value is readonly TopicRow[] {
  return Array.isArray(value);
}

function explanation(rows: readonly TopicRow[]): View {
  const [{ text } = {}] = rows;
  if (typeof text === 'string') return wrapped(text);
  const titles = Object.keys(rows[0] ?? {});
  return wrappedTable(
    rows,
    Object.fromEntries(titles.map((title) => [title.toUpperCase(), (row: TopicRow) => row[title]])),
  );
}

/** Markdown with what agents read to decide whether they need the rest. */
async function agentSkill(): Promise<string> {
  const { default: instructions } = await import('./agent-skill.md?raw');
  return `---
name: gantry
description: Deploy, call, inspect and fix apps on the hosting platform with the gantry command line.
---

${instructions.trimEnd()}`;
}

function commandReferenceView(command: CommandReference): View {
  return stackViews(
    helpView({ ...command, isWhole: true }),
    wrappedTable(Object.entries(command.json), {
      'JSON FIELD': ([name]) => name,
      TYPE: ([, { type }]) => type || 'any',
      MEANING: ([, { description }]) => description,
    }),
    wrappedTable(command.exitCodes, {
      'EXIT CODE': ({ code }) => code,
      NAME: ({ name }) => name,
      WHEN: ({ when }) => when,
    }),
  );
}
