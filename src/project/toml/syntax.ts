import { parse, type TomlError, type TomlTable } from 'smol-toml';
import type { Problem } from '../../errors.ts';
import { createSource, lineText, locationAt, type TomlSource } from './source.ts';
import { explainSyntaxError, type SyntaxProblem } from './syntax-errors.ts';

export interface ParsedToml {
  /** Absent when the text is broken beyond what can be skipped. */
  document?: TomlTable;
  /** The source the document was read from: broken lines have been mended in it, so places fit the document. */
  source: TomlSource;
  problems: Problem[];
}

/** After this many broken lines the file is probably not TOML at all. */
const mostBrokenLines = 20;

/**
 * Parses TOML. A syntax error that is certain to be confined to its line (`name = "x` without its quote) does not
 * hide what comes after it: the line is mended in memory and reading goes on. What is wrong on that line besides
 * is the syntax error's doing; the caller drops it.
 */
export function parseToml(source: TomlSource): ParsedToml {
  const problems: Problem[] = [];
  let mended = source;
  while (problems.length < mostBrokenLines) {
    try {
      // Big integers tell 2 from 2.0: an integer is not taken where the user wrote a fraction, nor the reverse.
      return { document: parse(mended.text, { integersAsBigInt: true }), source: mended, problems };
    } catch (cause) {
      const { line, column, message } = cause as TomlError;
      // A line that is broken again after it was mended was not understood.
      if (problems.some(({ place }) => place?.line === line)) break;
      const text = lineText(mended, line);
      const fault = { message: reason(message), text, from: Math.min(column - 1, text.length), canParse };
      const complaint = explainSyntaxError(fault);
      problems.push(problemAt(mended, line, complaint));
      const meant = complaint.fix ?? withoutValue(fault);
      if (meant === undefined) break;
      mended = replaceLine(mended, line, meant);
    }
  }
  return { source: mended, problems };
}

function problemAt(source: TomlSource, line: number, { from, to, message, why, fix }: SyntaxProblem): Problem {
  const start = source.lineStarts[line - 1] ?? 0;
  const place = locationAt(source, start + from, start + to);
  return { severity: 'error', message, place, ...(why !== undefined && { why }), ...(fix !== undefined && { fix }) };
}

/** The line with `{}`, which no key accepts, for its value; undefined where the error may reach beyond the line. */
function withoutValue({ message, text, from }: { message: string; text: string; from: number }): string | undefined {
  if (message.includes('redefine') && !text.trimStart().startsWith('[') && canParse(text)) return '';
  const key = /^\s*[\w.-]+\s*=/.exec(text)?.[0];
  const isOpen = message.includes('end of structure') || /"""|'''/.test(text);
  return key === undefined || from < key.length || isOpen ? undefined : `${key} {}`;
}

function replaceLine(source: TomlSource, line: number, meant: string): TomlSource {
  const start = source.lineStarts[line - 1] ?? 0;
  const end = start + lineText(source, line).length;
  return createSource(source.text.slice(0, start) + meant + source.text.slice(end), source.shownAs);
}

/** smol-toml's own words, without its preamble and its picture. */
function reason(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace('Invalid TOML document: ', '');
}

function canParse(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
