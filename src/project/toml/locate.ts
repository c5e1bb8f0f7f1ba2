import type { AST } from 'toml-eslint-parser';
import type { Problem } from '../../errors.ts';
import type { ConfigIssue, IssueText, TomlPath } from './issue.ts';
import { locationAt, type TomlSource } from './source.ts';

/** Where one path stands in the text: offsets of its key, its value, its `[header]`. */
interface NodeOffsets {
  key?: readonly [number, number];
  value?: readonly [number, number];
  header?: readonly [number, number];
}

type OffsetsByPath = Map<string, NodeOffsets>;

/** The deepest path that can be pointed at: names below it are not ours, and a hostile file may nest them without end. */
const maxDepth = 8;

/**
 * Gives findings their line and column. The parser that knows positions is loaded here and only when there is
 * something to show: reading a good file needs no positions.
 */
export async function locateIssues(findings: readonly ConfigIssue[], source: TomlSource): Promise<Problem[]> {
  if (findings.length === 0) return [];
  const spots = await parseOffsets(source.text);
  return findings.map((finding) => problemOf(finding, spots, source));
}

/** Offsets of the value at this path, or of the `[header]` of the table there; undefined when it is not written. */
export async function findOffsets(text: string, path: TomlPath): Promise<readonly [number, number] | undefined> {
  const spot = (await parseOffsets(text)).get(idOf(path));
  return spot?.value ?? spot?.header;
}

function problemOf(
  { at, part, message, why, fix, severity }: ConfigIssue,
  spots: OffsetsByPath,
  source: TomlSource,
): Problem {
  const value = at && spots.get(idOf(at))?.value;
  const written = value ? source.text.slice(...value) : '';
  const place = at && locationAt(source, ...offsetsToMark(at, part, spots));
  const said = { why: words(why, written), fix: words(fix, written) };
  return {
    severity,
    message,
    ...(place && { place }),
    ...(said.why !== undefined && { why: said.why }),
    ...(said.fix !== undefined && { fix: said.fix }),
  };
}

function words(text: IssueText | undefined, written: string): string | undefined {
  return typeof text === 'function' ? text(written) : text;
}

/** What to underline for a path: the part asked for, or the header of the nearest table around what is missing. */
function offsetsToMark(at: TomlPath, part: ConfigIssue['part'], spots: OffsetsByPath): readonly [number, number] {
  const spot = spots.get(idOf(at));
  const found = part === 'key' ? (spot?.key ?? spot?.header) : (spot?.header ?? spot?.value ?? spot?.key);
  if (found) return found;
  return at.length === 0 ? [0, 0] : offsetsToMark(at.slice(0, -1), undefined, spots);
}

async function parseOffsets(text: string): Promise<OffsetsByPath> {
  const { parseTOML } = await import('toml-eslint-parser');
  const spots: OffsetsByPath = new Map();
  try {
    for (const node of parseTOML(text, { tomlVersion: '1.1' }).body[0].body) mark(node, [], spots);
  } catch {
    // The reader took the text and this parser did not: problems are shown at the head of the file.
  }
  return spots;
}

function mark(
  node: AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode,
  path: TomlPath,
  spots: OffsetsByPath,
): void {
  if (path.length > maxDepth) return;
  if (node.type === 'TOMLTable') markTable(node, spots);
  else if (node.type === 'TOMLKeyValue') markPair(node, path, spots);
  else if (node.type === 'TOMLInlineTable') for (const pair of node.body) mark(pair, path, spots);
  else if (node.type === 'TOMLArray') {
    for (const [index, element] of node.elements.entries()) {
      note([...path, index], { value: element.range }, spots);
      mark(element, [...path, index], spots);
    }
  }
}

function markTable(table: AST.TOMLTable, spots: OffsetsByPath): void {
  const header = [table.range[0], table.key.range[1] + (table.kind === 'array' ? 2 : 1)] as const;
  const path = table.resolvedKey.slice(0, maxDepth);
  for (const length of path.keys()) note(path.slice(0, length + 1), { header }, spots);
  // The table itself, even where an earlier [a.b] has stood in for [a].
  if (path.length === table.resolvedKey.length) spots.set(idOf(path), { ...spots.get(idOf(path)), header });
  for (const pair of table.body) mark(pair, table.resolvedKey, spots);
}

function markPair({ key, value }: AST.TOMLKeyValue, path: TomlPath, spots: OffsetsByPath): void {
  const names = key.keys.slice(0, maxDepth).map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
  for (const length of names.keys()) note([...path, ...names.slice(0, length + 1)], { key: key.range }, spots);
  if (names.length < key.keys.length) return;
  const inner = [...path, ...names];
  note(inner, { value: value.range }, spots);
  mark(value, inner, spots);
}

/** The first one stays: it is where a reader of the file meets the name. */
function note(path: TomlPath, spot: NodeOffsets, spots: OffsetsByPath): void {
  const id = idOf(path);
  spots.set(id, { ...spot, ...spots.get(id) });
}

function idOf(path: TomlPath): string {
  return JSON.stringify(path);
}
