import { type AST, parseTOML } from 'toml-eslint-parser';
import { sections } from '../../src/app/schema.ts';
import type { Problem } from '../../src/kernel/errors.ts';

/**
 * The texts of the file after its user has done what the fix of a problem says, one for each alternative. Empty for fixes
 * that are prose or commands.
 */
export function applyFix(text: string, { fix, location }: Problem): string[] {
  if (typeof fix !== 'string' || !location) return [];
  const bare = text.replace(/^\ufeff/, '');
  const offset = offsetOf(bare, location.line, location.column);
  return fix.split(/ or (?=\w+ = )/).flatMap((line) => apply(bare, offset, line) ?? []);
}

const header = /^\[([\w.-]+)\]$/;
const assignment = /^("[^"]+"|[\w-]+) = [\s\S]+$/;

function apply(text: string, offset: number, fix: string): string | undefined {
  const tables = parseTables(text);
  const [first = '', ...rest] = fix.split('\n');
  const table = tables.findLast(({ range }) => range[0] <= offset) ?? tables[0];
  const pair = table?.pairs.find(({ range }) => range[0] <= offset && offset < range[1]);
  const named = header.exec(first)?.[1];
  if (named !== undefined && rest.length > 0) {
    const without = pair ? text.slice(0, pair.range[0]) + text.slice(pair.range[1]) : text;
    return addToTable(without, named, rest.join('\n'));
  }
  if (named !== undefined) return table && !pair ? replaceHeader(text, table, first) : undefined;
  if (!assignment.test(fix) || !table) return undefined;
  const key = parseTables(fix)[0]?.pairs[0]?.key ?? '';
  const present = table.pairs.find((one) => one.key === key);
  const isRename = pair !== undefined && !knownKeys.has(pair.key);
  const target = present ?? (isRename ? pair : undefined);
  if (target) return text.slice(0, target.range[0]) + fix + text.slice(target.range[1]);
  return `${text.slice(0, table.headerEnd)}\n${fix}${text.slice(table.headerEnd)}`;
}

/** A fix may set another key than the marked one, unless that one does not exist. */
const knownKeys = new Set(Object.values(sections).flatMap(({ keys }) => Object.keys(keys)));

interface Table {
  name: string;
  range: readonly [number, number];
  headerEnd: number;
  pairs: { key: string; range: readonly [number, number] }[];
}

function parseTables(text: string): Table[] {
  const [top] = parseTOML(text, { tomlVersion: '1.1' }).body;
  const isPair = (node: AST.TOMLTable | AST.TOMLKeyValue): node is AST.TOMLKeyValue => node.type === 'TOMLKeyValue';
  const root: Table = { name: '', range: [0, 0], headerEnd: 0, pairs: top.body.filter(isPair).map(pairOf) };
  const tables = top.body.filter((node): node is AST.TOMLTable => node.type === 'TOMLTable');
  return [
    root,
    ...tables.map((node) => ({
      name: node.resolvedKey.join('.'),
      range: node.range,
      headerEnd: node.key.range[1] + (node.kind === 'array' ? 2 : 1),
      pairs: node.body.map(pairOf),
    })),
  ];
}

const pairOf = ({ key, range }: AST.TOMLKeyValue) => ({
  key: key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value)).join('.'),
  range,
});

const replaceHeader = (text: string, table: Table, written: string) =>
  text.slice(0, table.range[0]) + written + text.slice(table.headerEnd);

function addToTable(text: string, name: string, line: string): string {
  const table = parseTables(text).find((one) => one.name === name);
  if (!table) return `${text}\n[${name}]\n${line}\n`;
  return `${text.slice(0, table.headerEnd)}\n${line}${text.slice(table.headerEnd)}`;
}

function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
}
