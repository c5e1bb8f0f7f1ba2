/** What a line of a requirements file asks of pip. */
export type PipLine =
  | { kind: 'option'; name: string; value: string }
  | { kind: 'path'; path: string }
  | { kind: 'address'; address: string }
  | { kind: 'package'; name: string; extras: string; wanted: string }
  | { kind: 'invalid' };

const specifier = /^(?:(?:===?|~=|!=|<=?|>=?)\s*[\w.*+!-]+\s*(?:,\s*|$))+$/;

/** Without the hashes and the marker of a line. */
export function readRequirement(text: string): PipLine {
  const [, name, value = ''] = /^(-[a-zA-Z]|--[\w-]+)[ =]*(.*)$/.exec(text) ?? [];
  if (name === undefined) return readPackage(text);
  return /^(?:-e|--editable)$/.test(name) ? placeOf(value) : { kind: 'option', name, value };
}

function readPackage(text: string): PipLine {
  const plain = text
    .replace(/\s+--[a-z].*$/, '')
    .replace(/\s*;.*$/, '')
    .trim();
  const [, named] = /^[\w.-]+\s*(?:\[[^\]]*\])?\s*@\s*(.+)$/.exec(plain) ?? [];
  if (named !== undefined || isPlace(plain)) return placeOf(named ?? plain);
  const [, name, extras = '', inBrackets, rest = ''] =
    /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(\[[^\]]*\])?\s*(?:\((.*)\)|(.*))$/.exec(plain) ?? [];
  const wanted = (inBrackets ?? rest).trim();
  return name === undefined || (wanted !== '' && !specifier.test(wanted))
    ? { kind: 'invalid' }
    : { kind: 'package', name, extras, wanted };
}

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
