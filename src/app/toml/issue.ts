import type { AST } from 'toml-eslint-parser';
import type { CommandLine, Sentence } from '../../kernel/command-line.ts';
import type { FileLocation, Problem } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { locationOf, type TomlSource } from './source.ts';

/** Names of tables and keys, and indexes of lists, from the root of the document. */
export type TomlPath = readonly (string | number)[];

/** A text, or a function of the value as written: `3.10` was parsed as 3.1. */
export type IssueText = string | ((written: string) => string | undefined);

/** Something wrong at a path of the document. `locate.ts` turns it into a problem with line and column. */
export interface ConfigIssue extends Omit<Problem, 'location' | 'why' | 'fix'> {
  /** Absent if the problem is not in the file. A path that is not in the file means the nearest table around it. */
  at?: TomlPath;
  part?: 'key' | 'value';
  why?: IssueText | undefined;
  fix?: IssueText | CommandLine | Sentence | undefined;
  /** The dotted names of keys that are absent: the issue is not reported if another one supplies one of them. */
  missing?: readonly string[];
  supplies?: readonly string[] | undefined;
  /** Whether the value may be a secret: the line is shown up to it. */
  hidesValue?: boolean;
}

type IssueDetails = Pick<ConfigIssue, 'why' | 'fix' | 'part' | 'missing' | 'supplies' | 'hidesValue'>;

/** An issue that stops a deploy. `at` is a path, or a dotted path below `cerebrium`. */
export function errorAt(at: TomlPath | string | undefined, message: string, details: IssueDetails = {}): ConfigIssue {
  return issueAt('error', at, message, details);
}

export function warningAt(at: TomlPath | string | undefined, message: string, details: IssueDetails = {}): ConfigIssue {
  return issueAt('warning', at, message, details);
}

function issueAt(
  severity: Problem['severity'],
  at: TomlPath | string | undefined,
  message: string,
  details: IssueDetails,
) {
  const path = typeof at === 'string' ? ['cerebrium', ...at.split('.')] : at;
  return { severity, message, ...details, ...defined({ at: path }) };
}

interface NodeOffsets {
  key?: readonly [number, number];
  value?: readonly [number, number];
  header?: readonly [number, number];
}

type OffsetsByPath = Map<string, NodeOffsets>;

/** Deeper paths are not located: a hostile file may nest tables without end. */
const maxDepth = 8;

/** Adds line and column to issues. Loads the parser that knows offsets only if there are issues. */
export async function locateIssues(issues: readonly ConfigIssue[], source: TomlSource): Promise<Problem[]> {
  if (issues.length === 0) return [];
  const offsets = await parseOffsets(source.text);
  return issues.map((issue) => toProblem(issue, offsets, source));
}

/** The offsets of the value or the table header at a path; undefined if it is not in the text. */
export async function findOffsets(text: string, path: TomlPath): Promise<readonly [number, number] | undefined> {
  const spot = (await parseOffsets(text)).get(pathId(path));
  return spot?.value ?? spot?.header;
}

function toProblem(
  { at, part, message, why, fix, severity, hidesValue }: ConfigIssue,
  offsets: OffsetsByPath,
  source: TomlSource,
): Problem {
  const value = at && offsets.get(pathId(at))?.value;
  const written = value ? source.text.slice(...value) : '';
  const marked = at && locationOf(source, ...offsetsToMark(at, part, offsets));
  const location = marked && hidesValue ? withoutValue(marked) : marked;
  const text = { why: resolveText(why, written), fix: resolveText(fix, written) };
  return {
    severity,
    message,
    ...defined({ location, why: text.why, fix: text.fix }),
  };
}

/** Ends the line after what is marked, and hides strings before it. */
function withoutValue(location: FileLocation): FileLocation {
  const { text, column, length } = location;
  const characters = [...text];
  const before = characters
    .slice(0, column - 1)
    .join('')
    .replace(/(["'])[^"']*\1/g, (quoted) => '*'.repeat([...quoted].length));
  const upToEnd = before + characters.slice(column - 1, column - 1 + length).join('');
  return { ...location, text: characters.length === column - 1 + length ? upToEnd : `${upToEnd} …` };
}

function resolveText<Text>(
  text: Text | ((written: string) => string | undefined),
  written: string,
): Text | string | undefined {
  return text instanceof Function ? text(written) : text;
}

/** What to mark for a path: the given part, or for a missing path the header of the nearest table around it. */
function offsetsToMark(at: TomlPath, part: ConfigIssue['part'], offsets: OffsetsByPath): readonly [number, number] {
  const spot = offsets.get(pathId(at));
  const range = part === 'key' ? (spot?.key ?? spot?.header) : (spot?.header ?? spot?.value ?? spot?.key);
  if (range) return range;
  return at.length === 0 ? [0, 0] : offsetsToMark(at.slice(0, -1), undefined, offsets);
}

async function parseOffsets(text: string): Promise<OffsetsByPath> {
  const { parseTOML } = await import('toml-eslint-parser');
  const offsets: OffsetsByPath = new Map();
  try {
    for (const node of parseTOML(text, { tomlVersion: '1.1' }).body[0].body) addNode(node, [], offsets);
  } catch {
    // If only this parser rejects the text, problems are shown at the start of the file.
  }
  return offsets;
}

function addNode(
  node: AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode,
  path: TomlPath,
  offsets: OffsetsByPath,
): void {
  if (path.length > maxDepth) return;
  if (node.type === 'TOMLTable') addTable(node, offsets);
  else if (node.type === 'TOMLKeyValue') addPair(node, path, offsets);
  else if (node.type === 'TOMLInlineTable') for (const pair of node.body) addNode(pair, path, offsets);
  else if (node.type === 'TOMLArray') {
    for (const [index, element] of node.elements.entries()) {
      addOffsets([...path, index], { value: element.range }, offsets);
      addNode(element, [...path, index], offsets);
    }
  }
}

function addTable(table: AST.TOMLTable, offsets: OffsetsByPath): void {
  const header = [table.range[0], table.key.range[1] + (table.kind === 'array' ? 2 : 1)] as const;
  const path = table.resolvedKey.slice(0, maxDepth);
  for (const length of path.keys()) addOffsets(path.slice(0, length + 1), { header }, offsets);
  // Replaces the header of an earlier [a.b], which stood for [a].
  if (path.length === table.resolvedKey.length) offsets.set(pathId(path), { ...offsets.get(pathId(path)), header });
  for (const pair of table.body) addNode(pair, table.resolvedKey, offsets);
}

function addPair({ key, value }: AST.TOMLKeyValue, path: TomlPath, offsets: OffsetsByPath): void {
  const names = key.keys.slice(0, maxDepth).map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
  for (const length of names.keys()) addOffsets([...path, ...names.slice(0, length + 1)], { key: key.range }, offsets);
  if (names.length < key.keys.length) return;
  const inner = [...path, ...names];
  addOffsets(inner, { value: value.range }, offsets);
  addNode(value, inner, offsets);
}

/** The first occurrence counts. */
function addOffsets(path: TomlPath, spot: NodeOffsets, offsets: OffsetsByPath): void {
  const id = pathId(path);
  offsets.set(id, { ...spot, ...offsets.get(id) });
}

function pathId(path: TomlPath): string {
  return JSON.stringify(path);
}
