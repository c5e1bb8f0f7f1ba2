import { parser } from '@lezer/python';
import { attempt } from '../../kernel/errors.ts';

/** A node of the syntax tree of a Python file: plain data, which is faster to walk than the cursor of the parser. */
export interface PyNode {
  kind: string;
  from: number;
  to: number;
  children: PyNode[];
  parent: PyNode | undefined;
  index: number;
}

/** What the parser could not read; it wants a value after each `yield`, too. */
export const isBroken = ({ kind, from, to, parent }: PyNode) =>
  kind === '⚠' && !(from === to && /^Yield/.test(parent?.kind ?? ''));

/** A Python file: its text, its tree, and the line of a place in it. */
export class PySource {
  readonly root: PyNode;
  /** What gives names their values, in order. */
  readonly definitions: PyNode[] = [];
  private readonly lines = [0];
  /** Whether lines begin with tabs, and lines with spaces. */
  private readonly hasBoth: boolean;

  constructor(readonly text: string) {
    this.root = readTree(text, this.definitions);
    this.hasBoth = /^\t/m.test(text) && /^ /m.test(text);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.lines.push(at + 1);
  }

  of(node: PyNode | undefined): string {
    return node ? this.text.slice(node.from, node.to) : '';
  }

  /** Whether it is a block with a statement that begins with other tabs and spaces than the first one. */
  isMixed({ kind, children }: PyNode): boolean {
    if (kind !== 'Body' || !this.hasBoth) return false;
    const begins = (each: PyNode) => this.text.slice(this.text.lastIndexOf('\n', each.from - 1) + 1, each.from);
    const plain = children.filter((each) => /^[ \t]+$/.test(begins(each)));
    return plain.some((each) => begins(each) !== begins(plain[0] ?? each));
  }

  /** From 1. */
  lineOf(at: number): number {
    let low = 0;
    let high = this.lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lines[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** `server.run`; what is not a name is omitted: `.read_text`. */
  dotted(node: PyNode | undefined): string {
    if (node?.kind === 'VariableName') return this.of(node);
    if (node?.kind !== 'MemberExpression') return '';
    const last = node.children.at(-1);
    return last?.kind === 'PropertyName' ? `${this.dotted(node.children[0])}.${this.of(last)}` : '';
  }

  /** `Index.load` of a function or a class. */
  pathOf(node: PyNode): string {
    const name = this.of(childOf(node, 'VariableName'));
    let outer = node.parent;
    while (outer && !/^(?:Function|Class)Definition$/.test(outer.kind)) outer = outer.parent;
    return outer ? `${this.pathOf(outer)}.${name}` : name;
  }

  /** What a call is given, in order, each with its keyword. */
  given(call: PyNode): { key: string | undefined; value: PyNode }[] {
    const parts = childOf(call, 'ArgList')?.children ?? [];
    return parts.flatMap((value, at) => {
      if (notGiven.has(value.kind) || parts[at + 1]?.kind === 'AssignOp') return [];
      const key = parts[at - 1]?.kind === 'AssignOp' ? parts[at - 2] : undefined;
      return [{ key: key && this.of(key), value }];
    });
  }
}

const notGiven = new Set(['(', ')', ',', 'AssignOp', '*', '**', 'Comment']);

export const childOf = (node: PyNode | undefined, kind: string) => node?.children.find((each) => each.kind === kind);

export const nodeBefore = ({ parent, index }: PyNode) => parent?.children[index - 1];
export const nodeAfter = ({ parent, index }: PyNode) => parent?.children[index + 1];

export function separated(nodes: readonly PyNode[]): PyNode[][] {
  const parts: PyNode[][] = [[]];
  for (const node of nodes)
    if (node.kind === ',') parts.push([]);
    else parts.at(-1)?.push(node);
  return parts;
}

export function isWithin(node: PyNode, kinds: ReadonlySet<string>): boolean {
  for (let outer = node.parent; outer; outer = outer.parent) if (kinds.has(outer.kind)) return true;
  return false;
}

const noNodes: PyNode[] = [];

/** Most nodes have no parts, and share one list. */
function addTo(parent: PyNode, node: PyNode): void {
  if (parent.children === noNodes) parent.children = [node];
  else parent.children.push(node);
}

const isNamed = ({ parent, from }: PyNode, text: string) => parent?.kind === 'ArgList' && text.startsWith(':=', from);

/** The parser gives the parts of `f(x := 1)` to the call, as if `x` were a keyword. */
function joinNamed({ parent, index }: PyNode): void {
  if (!parent) return;
  const children = parent.children.slice(index - 1, index + 2);
  const from = children[0]?.from ?? 0;
  const to = children.at(-1)?.to ?? from;
  const named: PyNode = { kind: 'NamedExpression', from, to, children, parent, index: index - 1 };
  for (const [at, child] of children.entries()) Object.assign(child, { parent: named, index: at });
  parent.children.splice(index - 1, children.length, named);
  for (const [at, child] of parent.children.entries()) child.index = at;
}

const defining = new Set(['AssignStatement', 'ParamList', 'ForStatement']);

/** Python compiles nothing deeper, and what walks a tree may call itself for each level. */
const maxDepth = 2_000;

/** The parser calls itself for each level, too. */
const parse = (text: string) => attempt(() => parser.parse(text)) ?? parser.parse('');

/** Reads the tree, which is empty for a file that nests too deeply. */
function readTree(text: string, definitions: PyNode[]): PyNode {
  const cursor = parse(text).cursor();
  const nodeIn = (parent: PyNode | undefined): PyNode => ({
    kind: cursor.name,
    from: cursor.from,
    to: cursor.to,
    children: noNodes,
    parent,
    index: parent?.children.length ?? 0,
  });
  const root = nodeIn(undefined);
  const named: PyNode[] = [];
  let node = root;
  let parent: PyNode | undefined = root;
  for (let depth = 0; depth <= maxDepth; ) {
    if (cursor.firstChild()) {
      parent = node;
      depth++;
    } else
      while (!cursor.nextSibling()) {
        if (!cursor.parent()) {
          named.forEach(joinNamed);
          return root;
        }
        parent = parent?.parent;
        depth--;
      }
    node = nodeIn(parent);
    if (defining.has(node.kind)) definitions.push(node);
    if (isNamed(node, text)) named.push(node);
    if (parent && node.kind !== 'Comment') addTo(parent, node);
  }
  definitions.length = 0;
  return readTree('', definitions);
}
