import { groupsOf } from '../kernel/groups.ts';

/** A line of a requirements file, without its comment. */
export interface TextLine {
  text: string;
  /** The last one of those that a backslash joins, from 1. */
  line: number;
}

export type PipLine =
  | { kind: 'option'; name: string; value: string }
  | { kind: 'path'; path: string }
  | { kind: 'address'; address: string }
  | { kind: 'package'; name: string; extras: string; wanted: string; marker: string }
  | { kind: 'invalid' };

/** The lines of a requirements file, continued ones joined and comments skipped, each with the number of its last line. */
export function pipLines(text: string): TextLine[] {
  const lines: TextLine[] = [];
  let pending = '';
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    pending += raw.replace(/\\$/, ' ');
    if (raw.endsWith('\\')) continue;
    const plain = pending.replace(/(^|\s)#.*$/, '').trim();
    pending = '';
    if (plain !== '') lines.push({ text: plain, line: index + 1 });
  }
  return lines;
}

/** One line of a requirements file, or one argument of `pip install`. Never throws. */
export function readPipLine(text: string): PipLine {
  const [, name, value = ''] = groupsOf(/^(-[a-zA-Z]|--[\w-]+)[ =]*(.*)$/, text);
  if (name === undefined) return readPackage(text);
  return /^(?:-e|--editable)$/.test(name) ? placeOf(value) : { kind: 'option', name, value };
}

/** Without its hashes. */
function readPackage(text: string): PipLine {
  const [whole = '', ...conditions] = text.replace(/(?<!\s)\s+--[a-z].*$/, '').split(';');
  const plain = whole.trim();
  const [, named] = groupsOf(/^[\w.-]+(?:\s*\[[^\]]*\])?\s*@\s*(.+)$/, plain);
  if (named !== undefined || isPlace(plain)) return placeOf(named ?? plain);
  const [, name, extras = '', inBrackets, rest = ''] = groupsOf(
    /^([A-Za-z0-9_](?:[\w.-]*\w)?)(\s*\[[^\]]*\])?\s*(?:\((.*)\)|(.*))$/,
    plain,
  );
  const wanted = (inBrackets ?? rest).trim();
  if (name === undefined || !isSpecifier(wanted)) return { kind: 'invalid' };
  return { kind: 'package', name, extras, wanted, marker: conditions.join(';').trim() };
}

const version =
  /v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[\w.-]+)?/;
const clause = new RegExp(`^\\s*(?:===\\s*\\S+|(?:~=|==|!=|<=|>=|<|>)\\s*${version.source}(?:\\.\\*)?)\\s*$`, 'i');

export const isSpecifier = (text: string) =>
  text === '' ||
  text
    .replace(/,\s*$/, '')
    .split(',')
    .every((each) => clause.test(each));

const isPlace = (text: string) =>
  /^(?:\.{0,2}\/|\.{1,2}(?:\[|$)|file:|git@|[a-z+]+:\/\/)|\.(?:whl|tar\.gz|zip)$/.test(text);

function placeOf(text: string): PipLine {
  if (/^(?!file:)(?:[a-z+]+:\/\/|git@)/.test(text)) return { kind: 'address', address: text };
  const path = text
    .replace(/^file:(?:\/\/)?/, '')
    .replace(/[[#;].*$/, '')
    .trim();
  return { kind: 'path', path: path === '' ? '.' : path };
}
