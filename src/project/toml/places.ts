import type { AST } from 'toml-eslint-parser';
import type { Problem } from '../../errors.ts';
import type { Finding, Path, Words } from './finding.ts';
import { placeOf, type Source } from './source.ts';

/** Where one path stands in the text: offsets of its key, its value, its `[header]`. */
interface Spot {
  key?: readonly [number, number];
  value?: readonly [number, number];
  header?: readonly [number, number];
}

type Spots = Map<string, Spot>;

/** The deepest path that can be pointed at: names below it are not ours, and a hostile file may nest them without end. */
const deepest = 8;

/**
 * Gives findings their line and column. The parser that knows positions is loaded here and only when there is
 * something to show: reading a good file needs no positions.
 */
export async function placed(findings: readonly Finding[], source: Source): Promise<Problem[]> {
  if (findings.length === 0) return [];
  const spots = await spotsOf(source.text);
  return findings.map((finding) => problemOf(finding, spots, source));
}

/** Offsets of the value at this path, or of the `[header]` of the table there; undefined when it is not written. */
export async function stretchOf(text: string, path: Path): Promise<readonly [number, number] | undefined> {
  const spot = (await spotsOf(text)).get(idOf(path));
  return spot?.value ?? spot?.header;
}

function problemOf({ at, part, message, why, fix, severity }: Finding, spots: Spots, source: Source): Problem {
  const value = at && spots.get(idOf(at))?.value;
  const written = value ? source.text.slice(...value) : '';
  const place = at && placeOf(source, ...stretch(at, part, spots));
  const said = { why: words(why, written), fix: words(fix, written) };
  return {
    severity,
    message,
    ...(place && { place }),
    ...(said.why !== undefined && { why: said.why }),
    ...(said.fix !== undefined && { fix: said.fix }),
  };
}

function words(text: Words | undefined, written: string): string | undefined {
  return typeof text === 'function' ? text(written) : text;
}

/** What to underline for a path: the part asked for, or the header of the nearest table around what is missing. */
function stretch(at: Path, part: Finding['part'], spots: Spots): readonly [number, number] {
  const spot = spots.get(idOf(at));
  const found = part === 'key' ? (spot?.key ?? spot?.header) : (spot?.header ?? spot?.value ?? spot?.key);
  if (found) return found;
  return at.length === 0 ? [0, 0] : stretch(at.slice(0, -1), undefined, spots);
}

async function spotsOf(text: string): Promise<Spots> {
  const { parseTOML } = await import('toml-eslint-parser');
  const spots: Spots = new Map();
  try {
    for (const node of parseTOML(text, { tomlVersion: '1.1' }).body[0].body) mark(node, [], spots);
  } catch {
    // The reader took the text and this parser did not: problems are shown at the head of the file.
  }
  return spots;
}

function mark(node: AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode, path: Path, spots: Spots): void {
  if (path.length > deepest) return;
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

function markTable(table: AST.TOMLTable, spots: Spots): void {
  const header = [table.range[0], table.key.range[1] + (table.kind === 'array' ? 2 : 1)] as const;
  const path = table.resolvedKey.slice(0, deepest);
  for (const length of path.keys()) note(path.slice(0, length + 1), { header }, spots);
  // The table itself, even where an earlier [a.b] has stood in for [a].
  if (path.length === table.resolvedKey.length) spots.set(idOf(path), { ...spots.get(idOf(path)), header });
  for (const pair of table.body) mark(pair, table.resolvedKey, spots);
}

function markPair({ key, value }: AST.TOMLKeyValue, path: Path, spots: Spots): void {
  const names = key.keys.slice(0, deepest).map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
  for (const length of names.keys()) note([...path, ...names.slice(0, length + 1)], { key: key.range }, spots);
  if (names.length < key.keys.length) return;
  const inner = [...path, ...names];
  note(inner, { value: value.range }, spots);
  mark(value, inner, spots);
}

/** The first one stays: it is where a reader of the file meets the name. */
function note(path: Path, spot: Spot, spots: Spots): void {
  const id = idOf(path);
  spots.set(id, { ...spot, ...spots.get(id) });
}

function idOf(path: Path): string {
  return JSON.stringify(path);
}
