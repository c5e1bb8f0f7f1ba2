import { shortList } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { wrapText } from '../../kernel/output/wrap-text.ts';
import { words } from '../../kernel/words.ts';
import type { ArgumentReference, CommandReference, FlagReference } from './describe-command.ts';

/** What help is made from: the program, a group such as `apps`, or a command. */
export type HelpSource = ProgramHelp | GroupHelp | CommandHelp;

/** The summaries of the commands of each category, by name. */
export type ProgramHelp = { categories: Record<string, Record<string, string>>; all?: true };
export type GroupHelp = { group: string; summary: string; commands: Record<string, string> };

export type CommandHelp = Pick<
  CommandReference,
  'command' | 'summary' | 'details' | 'usage' | 'arguments' | 'flags' | 'json' | 'examples'
> & {
  /** With the flags that few need, and all examples. */
  isWhole?: true;
};

/** The help as text for a terminal of that many columns, or for a pipe. */
export function helpText(source: HelpSource, columns?: number): string {
  return layOutHelp(describe(source), columns || undefined);
}

/** Help as a command prints it. */
export function helpView(source: HelpSource): View {
  return ({ terminal, columns }) => helpText(source, terminal ? columns : undefined).trimEnd();
}

function describe(source: HelpSource): Help {
  if ('categories' in source) return programHelp(source);
  return 'group' in source ? groupHelp(source) : commandHelp(source);
}

/** What people use from day to day. `gantry help --all` has the others too. */
const usual = new Set<string>(
  words(
    'init dev deploy invoke status logs explain run',
    'cp ls rm',
    'apps rollback metrics cost secrets users',
    'login doctor help',
  ),
);

function programHelp({ categories, all }: ProgramHelp): Help {
  const isShown = ([name]: [string, string]) => all || usual.has(name);
  return {
    description: 'Work with apps on the hosting platform.',
    details: [],
    usage: 'gantry <command> [flags]',
    sections: [
      ...Object.entries(categories).map(([title, commands]) => ({
        title,
        rows: Object.entries(commands).filter(isShown),
      })),
      {
        title: 'flags',
        rows: [
          ['-h, --help', 'show help for a command'],
          ['-V, --version', 'show the version'],
          [`More: ${all ? '' : 'gantry help --all, '}gantry help flags, gantry help exit-codes`],
        ],
      },
      {
        title: 'examples',
        lines: [
          '$ gantry init my-app && cd my-app && gantry deploy --local',
          '$ gantry emulator exec -- gantry deploy',
        ],
      },
    ],
  };
}

function groupHelp({ group, summary, commands }: GroupHelp): Help {
  return {
    description: sentence(summary),
    details: [],
    usage: `gantry ${group} <command> [flags]`,
    sections: [{ title: 'commands', rows: Object.entries(commands) }],
    footer: [footer],
  };
}

function commandHelp(source: CommandHelp): Help {
  const { summary, details, usage, isWhole } = source;
  const fields = Object.keys(source.json);
  const examples = source.examples.slice(0, isWhole ? undefined : shownExamples);
  const sections: HelpSection[] = [
    { title: 'arguments', rows: source.arguments.map(argumentRow) },
    { title: 'examples', lines: examples.map((example) => `$ gantry ${example}`) },
    ...groupFlags(source.flags.filter(({ seldom }) => isWhole || !seldom)).map(({ title, members }) => ({
      title,
      rows: members.map((flag): [string, string] => [flag.flags, flagMeaning(flag)]),
    })),
  ];
  return {
    description: sentence(summary),
    details,
    usage,
    sections: sections.filter(({ rows, lines }) => (rows ?? lines ?? []).length > 0),
    ...(!isWhole && {
      footer: [
        ...(fields.length > 0 ? [`JSON: ${shortList(fields, shownFields)}`] : []),
        `${footer}, gantry help ${source.command} --all`,
      ],
    }),
  };
}

/** In their groups, if they have any: `flags: when`. */
function groupFlags(flags: readonly FlagReference[]) {
  return [...new Set(flags.map(({ group }) => group))].map((group) => ({
    title: group === undefined ? 'flags' : `flags: ${group}`,
    members: flags.filter((flag) => flag.group === group),
  }));
}

/** `gantry help COMMAND --all` has all of them. */
const shownExamples = 3;

const shownFields = 8;

const footer = 'More: gantry help flags';

function argumentRow({ name, description, required, variadic, choices }: ArgumentReference): [string, string] {
  const term = variadic ? `${name}...` : name;
  return [required ? `<${term}>` : `[${term}]`, withChoices(description, choices)];
}

export function flagMeaning({ description, choices, default: value }: FlagReference): string {
  const meaning = withChoices(description, choices);
  return ['string', 'number'].includes(typeof value) ? `${meaning} (default: ${value})` : meaning;
}

function withChoices(description: string, choices: string[] | undefined): string {
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** What the help of the program, a group or a command says, before it is laid out for a width. */
interface Help {
  description: string;
  details: string[];
  usage: string;
  sections: HelpSection[];
  footer?: string[];
}

interface HelpSection {
  title: string;
  /** A term and what it means; a term alone is a line of its own. */
  rows?: [term: string, meaning?: string][];
  lines?: string[];
}

/** Widths of a terminal to which help is fitted, and the width of help in a pipe, in columns. */
const widths = { min: 60, max: 100, pipe: 80 };
/** Terms that are longer than this have their meaning on the next line, in columns. */
const maxTermWidth = 26;

/** The text of a help; all meanings start at the same column. It is as wide as the terminal, within limits; leave `columns` out for a pipe. */
function layOutHelp({ description, details, usage, sections, footer }: Help, columns: number = widths.pipe): string {
  const width = Math.min(Math.max(columns, widths.min), widths.max);
  const terms = sections.flatMap(({ rows = [] }) => rows.flatMap(([term, meaning]) => (meaning ? [term.length] : [])));
  const margin = terms.reduce((most, length) => (length <= maxTermWidth ? Math.max(most, length) : most), 10) + 4;
  const prose = [description, ...details].map((paragraph) => wrapText(paragraph, width).join('\n'));
  return `${[
    ...prose,
    section({ title: 'usage', lines: [usage] }, margin, width),
    ...sections.map((each) => section(each, margin, width)),
    ...(footer ? [footer.flatMap((line) => wrapText(line, width)).join('\n')] : []),
  ].join('\n\n')}\n`;
}

function section({ title, rows = [], lines = [] }: HelpSection, margin: number, width: number): string {
  const body = rows.flatMap(([term, meaning]) => row(term, meaning, margin, width));
  return [title.toUpperCase(), ...body, ...lines.map((line) => `  ${line}`)].join('\n');
}

function row(term: string, meaning: string | undefined, margin: number, width: number): string[] {
  if (!meaning) return wrapText(term, width - 2).map((line) => `  ${line}`);
  const [first = '', ...rest] = wrapText(meaning, width - margin);
  const indent = ' '.repeat(margin);
  const head = term.length + 4 <= margin ? [`  ${term.padEnd(margin - 2)}${first}`] : [`  ${term}`, indent + first];
  return [...head, ...rest.map((line) => indent + line)];
}
