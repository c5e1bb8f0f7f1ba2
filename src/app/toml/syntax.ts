import { parse, type TomlError, type TomlTable } from 'smol-toml';
import { attempt, type FileLocation, type Problem } from '../../kernel/errors.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { defined } from '../../kernel/json-text.ts';
import { isSecretKey } from './environment-section.ts';
import { tomlAssignment } from './format.ts';
import { lineText, locationAt, type TomlSource } from './source.ts';
import { exampleOf, keyNamed, valueKinds } from './unknown.ts';

/** The document, or its first syntax error. */
export function parseToml(source: TomlSource): { document?: TomlTable; problems: Problem[] } {
  try {
    // BigInt distinguishes 2 from 2.0.
    return { document: parse(source.text, { integersAsBigInt: true }), problems: [] };
  } catch (cause) {
    const { line, column, message } = cause as TomlError;
    const text = lineText(source, line);
    const [reason = ''] = message.replace('Invalid TOML document: ', '').split('\n', 1);
    const fault = { message: reason, text, from: Math.min(column - 1, text.length) };
    return { problems: [problemAt(source, line, explainSyntaxError(fault))] };
  }
}

function problemAt(source: TomlSource, line: number, { from, to, message, why, fix }: SyntaxProblem): Problem {
  const location = locationAt(source, line, from, to);
  if (isSecretLine(source, line)) return { ...hiddenProblem, location: withoutText(location) };
  return { severity: 'error', message, location, ...defined({ why, fix }) };
}

/** Messages and fixes repeat the value. */
const hiddenProblem = {
  severity: 'error',
  message: 'invalid TOML in this line',
  why: 'it may hold a secret, so it is not shown: a value is quoted, and ends on its line',
} as const;

function isSecretLine(source: TomlSource, line: number): boolean {
  const headers = source.text
    .split('\n', line)
    .join('\n')
    .matchAll(/^[ \t]*\[+([^\]\n]*)\]/gm);
  const [, key = ''] = groupsOf(/^\s*["']?([\w.-]+)["']?\s*=/, lineText(source, line));
  return isSecretKey([...headers].at(-1)?.[1]?.trim() ?? '', key);
}

/** Only the key: what follows may be a secret. */
function withoutText(location: FileLocation): FileLocation {
  const [key = ''] = groupsOf(/^\s*[["']*[\w.-]*/, location.text);
  const text = `${key} …`;
  return { ...location, text, column: Math.min(location.column, [...text].length), length: 1 };
}

function canParse(text: string): boolean {
  return attempt(() => parse(text)) !== undefined;
}

interface SyntaxFault {
  message: string;
  text: string;
  from: number;
}

/** A syntax error in plain words. `from` and `to` are offsets in the line. */
interface SyntaxProblem {
  from: number;
  to: number;
  message: string;
  why?: string | undefined;
  /** The whole line as it was probably meant, if that is valid TOML. */
  fix?: string | undefined;
}

const maxLineLength = 2000;

/** What it explains, by the message of smol-toml; undefined if it does not explain this one. */
type Explainer = readonly [of: RegExp, explain: (fault: SyntaxFault) => Partial<SyntaxProblem> | undefined];

/** Explains a syntax error and suggests a fix. smol-toml is pinned, because this depends on its messages. */
function explainSyntaxError(fault: SyntaxFault): SyntaxProblem {
  const general = { from: fault.from, to: fault.text.trimEnd().length, message: `invalid TOML: ${fault.message}` };
  // The patterns take too long for such a line.
  if (fault.text.length > maxLineLength) return general;
  for (const [of, explain] of explainers) {
    const { fix, ...problem } = (of.test(fault.message) && explain(fault)) || {};
    if (problem.message)
      return { ...general, ...problem, fix: fix !== undefined && isValidLine(fix) ? fix : undefined };
  }
  return general;
}

function isValidLine(line: string): boolean {
  return canParse(line) || canParse(`x = [\n${line}\n]`);
}

function mergeConflict({ text }: SyntaxFault) {
  const [marker] = groupsOf(/^(<{7}|\|{7}|={7}|>{7})(?= |$)/, text);
  if (marker === undefined) return undefined;
  const why = 'keep one of the two versions, and remove the lines with <<<<<<<, ======= and >>>>>>>';
  return { from: 0, message: 'unresolved merge conflict', why };
}

function unclosedText({ text, from }: SyntaxFault) {
  const quotes = /^("""|''')/.exec(text.slice(from))?.[0];
  if (quotes === undefined) return undefined;
  return { message: 'unterminated string', why: `a string of several lines ends with ${quotes}` };
}

function unclosedString({ message, text, from }: SyntaxFault) {
  const ranOut = message === 'unfinished string' || (message.includes('in strings') && from >= text.trimEnd().length);
  const opening = ranOut ? openQuote(text) : undefined;
  if (opening === undefined) return undefined;
  const quote = text[opening] ?? '"';
  // Tries to close it before a comment, before closing brackets, and at the end of the line.
  const ends = [/\s+#/, /\s*[\]},]+\s*$/, /\s*$/].map((end) => opening + text.slice(opening).search(end));
  const candidates = ends
    .filter((end) => end > opening)
    .map((end) => `${text.slice(0, end)}${quote}${text.slice(end)}`);
  return {
    from: opening,
    message: 'unterminated string',
    why: `a string ends with ${quote} on the same line`,
    fix: candidates.map((line) => line.trim()).find(isValidLine),
  };
}

function openQuote(text: string): number | undefined {
  const tokens = /"(?:\\.|[^"\\])*"|'[^']*'|#.*$|["']/g;
  return [...text.matchAll(tokens)].find(([token]) => token === '"' || token === "'")?.index;
}

function curlyQuotes({ text, from }: SyntaxFault) {
  if (!/[“”„‘’«»]/.test(text.slice(from).replace(/#.*$/, ''))) return undefined;
  const fix = text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .trim();
  return { message: 'invalid quotes: TOML requires straight quotes', fix };
}

function definedTwice({ text, from }: SyntaxFault) {
  const isSection = text.trimStart().startsWith('[');
  const name = text
    .slice(from)
    .replace(/[\]=].*/s, '')
    .trim();
  return {
    to: from + name.length,
    message: `${isSection ? `[${name}]` : name} is defined twice`,
    why: isSection
      ? 'a section may occur only once: move its keys to the first one'
      : 'a key may occur only once in a section: remove one of the two',
  };
}

function extraComma({ text }: SyntaxFault) {
  const fix = text.replace(/,\s*(#.*)?$/, '').trim();
  if (fix === text.trim() || !canParse(fix) || !fix.includes('=')) return undefined;
  const from = text.lastIndexOf(',');
  return { from, to: from + 1, message: 'unexpected comma after a value', fix };
}

function invalidHeader({ text }: SyntaxFault) {
  const line = text.trim();
  if (!line.startsWith('[')) return undefined;
  const name = line.replace(/^\[+|\]*\s*(#.*)?$/g, '');
  return { from: text.indexOf('['), message: 'invalid section header', fix: `[${name}]` };
}

function invalidKey({ text, from }: SyntaxFault) {
  const line = text.trim();
  const indent = text.search(/\S|$/);
  const withColon = line.replace(/^([\w.-]+|"[^"]*")\s*:\s*/, '$1 = ');
  if (withColon !== line)
    return { to: from + 1, message: 'invalid separator: use = instead of a colon', fix: withColon };
  if (!line.includes('=')) return { from: indent, message: 'missing =', why: 'expected key = value' };
  return {
    from: indent,
    to: text.indexOf('='),
    message: 'invalid key',
    why: 'a key consists of letters, digits, _ and -; other keys must be quoted',
    fix: line.replace(/^([^"'=]*[^"'=\s])\s*=/, '"$1" ='),
  };
}

const invalidEscape = ({ text }: SyntaxFault) => ({
  from: text.indexOf('\\'),
  message: 'invalid escape',
  why: 'in double quotes a backslash starts an escape such as \\n; single quotes have no escapes',
  fix: text.replace(/"([^"']*\\[^"']*)"/g, "'$1'").trim(),
});

function invalidValue({ text, from }: SyntaxFault) {
  const [, before, key, value] = groupsOf(/^(\s*([\w.-]+|"[^"]*"|'[^']*')\s*=\s*)([^#]*?)\s*(?:#.*)?$/, text);
  if (before === undefined || key === undefined || value === undefined) return undefined;
  if (from < before.trimEnd().length || /[[\]{}"']/.test(value)) return undefined;
  if (value === '') return { from: text.indexOf('='), message: `${key} has no value` };
  return { from: before.length, to: before.length + value.length, ...meantValue(key, value) };
}

/** What a word without quotes stands for, by the kind of its key. */
function meantValue(key: string, value: string) {
  const keyThere = keyNamed(key);
  const { label, suggest } = valueKinds[/^(?:true|false)$/i.test(value) ? 'boolean' : (keyThere?.kind ?? 'string')];
  const meant = suggest(value, value, keyThere?.unit);
  const said = meant === undefined ? `${key} must be ${label}` : `write ${meant}`;
  return {
    message: `invalid value ${value}: ${/^[["]/.test(meant ?? '') ? 'strings must be quoted' : said}`,
    why: meant === undefined ? keyThere && exampleOf(keyThere) : undefined,
    fix: tomlAssignment(key, meant),
  };
}

function unclosedList({ text, from }: SyntaxFault) {
  const end = text.trimEnd().length;
  if (from < end) return { message: 'missing comma or closing bracket' };
  return { from: Math.max(0, end - 1), message: 'unterminated list or table' };
}

const ofKey = /^(?!.*end-of-line).*\bkey\b/s;

/** The first that recognizes the error explains it. */
const explainers: readonly Explainer[] = [
  [/./, mergeConflict],
  [/^unfinished string$/, unclosedText],
  [/^unfinished string$|in strings/, unclosedString],
  [/./, curlyQuotes],
  [/redefine/, definedTwice],
  [/./, extraComma],
  [/^(?!.*end-of-line).*(?:\bkey\b|table array)/s, invalidHeader],
  [ofKey, invalidKey],
  [/escape/, invalidEscape],
  [/end-of-line/, () => ({ message: 'unexpected text after the value' })],
  [/./, invalidValue],
  [/end of structure/, unclosedList],
];
