import { wrapText } from '../../kernel/output/wrap-text.ts';

/** What the help of the program, a group or a command says, before it is laid out for a width. */
export interface Help {
  description: string;
  /** Paragraphs below the description. */
  details: string[];
  usage: string;
  sections: HelpSection[];
  /** The last line. */
  footer?: string;
}

export interface HelpSection {
  title: string;
  /** A term and what it means; a term alone is a line of its own. */
  rows?: [term: string, meaning?: string][];
  /** Lines that are shown as they are. */
  lines?: string[];
}

/** Widths of a terminal to which help is fitted, and the width of help in a pipe, in columns. */
const widths = { min: 60, max: 100, pipe: 80 };
/** Terms that are longer than this have their meaning on the next line, in columns. */
const maxTermWidth = 26;

/** The text of a help; all meanings start at the same column. It is as wide as the terminal, within limits; leave `columns` out for a pipe. */
export function layOutHelp(
  { description, details, usage, sections, footer }: Help,
  columns: number = widths.pipe,
): string {
  const width = Math.min(Math.max(columns, widths.min), widths.max);
  const terms = sections.flatMap(({ rows = [] }) => rows.flatMap(([term, meaning]) => (meaning ? [term.length] : [])));
  const margin = terms.reduce((most, length) => (length <= maxTermWidth ? Math.max(most, length) : most), 10) + 4;
  const prose = [description, ...details].map((paragraph) => wrapText(paragraph, width).join('\n'));
  return `${[
    ...prose,
    section({ title: 'usage', lines: [usage] }, margin, width),
    ...sections.map((each) => section(each, margin, width)),
    ...(footer ? [footer] : []),
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
