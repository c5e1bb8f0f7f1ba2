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

/** What checks find, one after the other. */
export type Issues = Generator<ConfigIssue>;

const issueOf =
  (severity: Problem['severity']) =>
  (at: TomlPath | string | undefined, message: string, details: IssueDetails = {}): ConfigIssue => {
    const path = typeof at === 'string' ? ['cerebrium', ...at.split('.')] : at;
    return { severity, message, ...details, ...defined({ at: path }) };
  };

/** An issue that stops a deploy. `at` is a path, or a dotted path below `cerebrium`. */
export const errorAt = issueOf('error');
export const warningAt = issueOf('warning');

interface NodeOffsets {
  key?: readonly [number, number];
  value?: readonly [number, number];
  header?: readonly [number, number];
}

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
  const { value, header } = (await parseOffsets(text)).of(path);
  return value ?? header;
}

function toProblem(
  { at, part, message, why, fix, severity, hidesValue }: ConfigIssue,
  offsets: Offsets,
  source: TomlSource,
): Problem {
  const value = at && offsets.of(at).value;
  const written = value ? source.text.slice(...value) : '';
  const marked = at && locationOf(source, ...offsets.toMark(at, part));
  const location = marked && hidesValue ? withoutValue(marked) : marked;
  return {
    severity,
    message,
    ...defined({ location, why: resolveText(why, written), fix: resolveText(fix, written) }),
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

/** Where the nodes of a document are in its text. */
class Offsets {
  readonly #byPath = new Map<string, NodeOffsets>();

  of(path: TomlPath): NodeOffsets {
    return this.#byPath.get(JSON.stringify(path)) ?? {};
  }

  /** What to mark for a path: the given part, or for a missing path the header of the nearest table around it. */
  toMark(at: TomlPath, part: ConfigIssue['part']): readonly [number, number] {
    const { key, value, header } = this.of(at);
    const range = part === 'key' ? (key ?? header) : (header ?? value ?? key);
    if (range) return range;
    return at.length === 0 ? [0, 0] : this.toMark(at.slice(0, -1), undefined);
  }

  addNode(node: AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode, path: TomlPath): void {
    if (path.length > maxDepth) return;
    if (node.type === 'TOMLTable') this.#addTable(node);
    else if (node.type === 'TOMLKeyValue') this.#addPair(node, path);
    else if (node.type === 'TOMLInlineTable') for (const pair of node.body) this.addNode(pair, path);
    else if (node.type === 'TOMLArray') {
      for (const [index, element] of node.elements.entries()) {
        this.#add([...path, index], { value: element.range });
        this.addNode(element, [...path, index]);
      }
    }
  }

  #addTable(table: AST.TOMLTable): void {
    const header = [table.range[0], table.key.range[1] + (table.kind === 'array' ? 2 : 1)] as const;
    const path = table.resolvedKey.slice(0, maxDepth);
    for (const length of path.keys()) this.#add(path.slice(0, length + 1), { header });
    // Replaces the header of an earlier [a.b], which stood for [a].
    if (path.length === table.resolvedKey.length) this.of(path).header = header;
    for (const pair of table.body) this.addNode(pair, table.resolvedKey);
  }

  #addPair({ key, value }: AST.TOMLKeyValue, path: TomlPath): void {
    const names = key.keys.slice(0, maxDepth).map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
    for (const length of names.keys()) this.#add([...path, ...names.slice(0, length + 1)], { key: key.range });
    if (names.length < key.keys.length) return;
    const inner = [...path, ...names];
    this.#add(inner, { value: value.range });
    this.addNode(value, inner);
  }

  /** The first occurrence counts. */
  #add(path: TomlPath, spot: NodeOffsets): void {
    this.#byPath.set(JSON.stringify(path), { ...spot, ...this.of(path) });
  }
}

async function parseOffsets(text: string): Promise<Offsets> {
  const { parseTOML } = await import('toml-eslint-parser');
  const offsets = new Offsets();
  try {
    for (const node of parseTOML(text, { tomlVersion: '1.1' }).body[0].body) offsets.addNode(node, []);
  } catch {
    // If only this parser rejects the text, problems are shown at the start of the file.
  }
  return offsets;
}
