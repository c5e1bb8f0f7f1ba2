import { parse, type TomlError, type TomlTable } from 'smol-toml';
import type { FileLocation, Problem } from '../../kernel/errors.ts';
import { isSecretKey } from './environment-section.ts';
import { createSource, lineText, locationAt, type TomlSource } from './source.ts';
import { explainSyntaxError, type SyntaxProblem } from './syntax-errors.ts';

export interface ParsedToml {
  /** Absent if a syntax error cannot be skipped. */
  document?: TomlTable;
  /** The source of the document, with broken lines repaired, so that offsets match. */
  source: TomlSource;
  problems: Problem[];
}

/** A file with more broken lines is probably not TOML. */
const maxBrokenLines = 20;

/**
 * Parses TOML. A syntax error that affects only its line, such as a missing quote, does not hide later problems: the line
 * is repaired in memory and parsed again. The caller drops other problems on that line.
 */
export function parseToml(source: TomlSource): ParsedToml {
  const problems: Problem[] = [];
  let repaired = source;
  while (problems.length < maxBrokenLines) {
    try {
      // BigInt distinguishes 2 from 2.0.
      return { document: parse(repaired.text, { integersAsBigInt: true }), source: repaired, problems };
    } catch (cause) {
      const { line, column, message } = cause as TomlError;
      // The repaired line is still broken.
      if (problems.some(({ location }) => location?.line === line)) break;
      const text = lineText(repaired, line);
      const fault = { message: reason(message), text, from: Math.min(column - 1, text.length), canParse };
      const problem = explainSyntaxError(fault);
      problems.push(problemAt(repaired, line, problem));
      const meant = problem.fix ?? withoutValue(fault);
      if (meant === undefined) break;
      repaired = replaceLine(repaired, line, meant);
    }
  }
  return { source: repaired, problems };
}

function problemAt(source: TomlSource, line: number, { from, to, message, why, fix }: SyntaxProblem): Problem {
  const start = source.lineStarts[line - 1] ?? 0;
  const location = locationAt(source, start + from, start + to);
  if (isSecretLine(source, line)) return { ...hiddenProblem, location: withoutText(location) };
  return { severity: 'error', message, location, ...(why !== undefined && { why }), ...(fix !== undefined && { fix }) };
}

/** Messages and fixes repeat the value. */
const hiddenProblem = {
  severity: 'error',
  message: 'invalid TOML in this line',
  why: 'it may hold a secret, so it is not shown: a value is quoted, and ends on its line',
} as const;

function isSecretLine(source: TomlSource, line: number): boolean {
  const headers = source.text.slice(0, source.lineStarts[line]).matchAll(/^[ \t]*\[+([^\]\n]*)\]/gm);
  const key = /^\s*["']?([\w.-]+)["']?\s*=/.exec(lineText(source, line))?.[1] ?? '';
  return isSecretKey([...headers].at(-1)?.[1]?.trim() ?? '', key);
}

/** Only the key: what follows may be a secret. */
function withoutText(location: FileLocation): FileLocation {
  const text = `${/^\s*[["']*[\w.-]*/.exec(location.text)?.[0] ?? ''} …`;
  return { ...location, text, column: Math.min(location.column, [...text].length), length: 1 };
}

/** The line with the value `{}`, which no key accepts; undefined if the error may affect other lines. */
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

/** The message of smol-toml without preamble and excerpt. */
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
