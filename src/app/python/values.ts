import type { Value } from './facts.ts';
import type { NameScope } from './names.ts';
import { childOf, nodeAfter, nodeBefore, type PyNode, type PySource, separated } from './tree.ts';

const none = () => [];
const deepest = 20;

export class PythonValues {
  /** What is put into lists and dictionaries, by the function and the name. */
  readonly put = new Map<string, PyNode[]>();

  constructor(
    private readonly source: PySource,
    private readonly scopes: ReadonlyMap<PyNode, NameScope>,
  ) {}

  placeOf = (node: PyNode, name: string) => `${functionOf(node)?.from} ${name}`;

  private valueOf(node: PyNode, trail: string, items: Value['items'] = none): Value {
    const line = this.source.lineOf(node.from);
    return { trail, items, line, since: line };
  }

  value(node: PyNode | undefined, depth: number): Value {
    const read = node && readers[node.kind];
    if (!node || !read || depth > deepest) return this.valueOf(node ?? this.source.root, '');
    return read({
      node,
      children: node.children,
      value: (each) => this.value(each, depth + 1),
      made: (trail, nodes = []) => this.valueOf(node, trail, () => nodes.map((each) => this.value(each, depth + 1))),
      named: () => this.named(node, depth + 1),
      reader: this,
    });
  }

  /** One value, or several with commas between. */
  tupleOf(nodes: readonly PyNode[], at: PyNode, depth: number): Value {
    const parts = separated(nodes).flatMap(([first]) => first ?? []);
    if (parts.length < 2) return this.value(parts[0], depth + 1);
    return this.valueOf(at, ',', () => parts.map((each) => this.value(each, depth + 1)));
  }

  /** `.size`, `[0]`, `[:]` of a part, `[]` of what is found by another key. */
  stepOf({ children }: PyNode): string {
    const [, , key, ...rest] = children;
    if (key?.kind === 'PropertyName') return `.${this.source.of(key)}`;
    if (children.some(({ kind }) => kind === ':')) return '[:]';
    return key?.kind === 'Number' && rest.length === 1 ? `[${this.source.of(key)}]` : '[]';
  }

  /** `(float32)` where a call says the type of the numbers that it makes. */
  argumentsOf(node: PyNode): string {
    const given = this.source.given(node);
    const isCast = this.source.dotted(node.children[0]).endsWith('.astype');
    const type = given.find(({ key }) => key === 'dtype') ?? (isCast ? given[0] : undefined);
    return `(${type ? /\w*$/.exec(this.source.of(type.value).replace(/["']$/, ''))?.[0] : ''})`;
  }

  isBytes = (node: PyNode) => /^[rR]?[bB]/.test(this.source.of(node));

  /** What a name stands for: of a function, the value that it surely has there; at the top, its name. */
  private named(node: PyNode, depth: number): Value {
    const name = this.source.of(node);
    const scope = this.scopeAt(node).scopeOf(name);
    if (!scope?.outer) return this.valueOf(node, name);
    const found = boundFor(node, scope, name);
    const value = found ? this.ofTarget(found, depth) : undefined;
    if (!value?.trail) return this.valueOf(node, `${name}@${scope.node.from}`);
    const more = /^(?:\{\}|\[\])$/.test(value.trail) ? (this.put.get(this.placeOf(node, name)) ?? []) : [];
    const items = () => [...value.items(), ...more.map((each) => this.value(each, depth + 1))];
    return { ...value, line: this.source.lineOf(node.from), items };
  }

  private scopeAt(node: PyNode): NameScope {
    let outer: PyNode | undefined = node;
    while (outer.parent && !this.scopes.has(outer)) outer = outer.parent;
    return this.scopes.get(outer) as NameScope;
  }

  ofTarget(target: PyNode, depth: number): Value {
    const { parent } = target;
    const read = parent && targets[parent.kind];
    if (!read || depth > deepest) return this.valueOf(target, '');
    return read({
      target,
      parts: parent.children,
      at: (nodes) => this.tupleOf(nodes, parent, depth),
      made: (trail) => this.valueOf(target, trail),
      text: (node) => this.source.of(node),
    });
  }
}

interface Reading {
  node: PyNode;
  children: readonly PyNode[];
  value: (node: PyNode | undefined) => Value;
  made: (trail: string, nodes?: readonly PyNode[]) => Value;
  named: () => Value;
  reader: PythonValues;
}

const parts = (nodes: readonly PyNode[]) => separated(nodes.slice(1, -1)).flatMap((part) => part.at(-1) ?? []);
const literal = ({ made }: Reading) => made('0');

const readers: Readonly<Record<string, (reading: Reading) => Value>> = {
  VariableName: ({ named }) => named(),
  MemberExpression: ({ node, children, value, reader }) => step(value(children[0]), reader.stepOf(node)),
  CallExpression: ({ node, children, value, reader }) => step(value(children[0]), reader.argumentsOf(node)),
  AwaitExpression: ({ children, value }) => step(value(children[1]), '!'),
  ParenthesizedExpression: ({ children, value }) => value(children[1]),
  NamedExpression: ({ children, value }) => value(children.at(-1)),
  ConditionalExpression: ({ children: [one, , , , other], made }) =>
    made(
      '|',
      [one, other].flatMap((each) => each ?? []),
    ),
  DictionaryExpression: ({ children, made }) =>
    made(
      '{}',
      children.filter((each) => nodeBefore(each)?.kind === ':'),
    ),
  ArrayExpression: ({ children, made }) => made('[]', parts(children)),
  TupleExpression: ({ children, made }) => made(',', parts(children)),
  ArrayComprehensionExpression: ({ children, made }) => made('[]', children.slice(1, 2)),
  DictionaryComprehensionExpression: ({ children, made }) => made('{}', children.slice(3, 4)),
  SetExpression: ({ made }) => made('set()'),
  SetComprehensionExpression: ({ made }) => made('set()'),
  ComprehensionExpression: ({ made }) => made('generator()'),
  String: ({ node, made, reader }) => made(reader.isBytes(node) ? 'bytes()' : '0'),
  ...Object.fromEntries(
    ['FormatString', 'ContinuedString', 'Number', 'Boolean', 'None'].map((kind) => [kind, literal]),
  ),
};

interface Target {
  target: PyNode;
  parts: readonly PyNode[];
  at: (nodes: readonly PyNode[]) => Value;
  made: (trail: string) => Value;
  text: (node: PyNode | undefined) => string;
}

const targets: Readonly<Record<string, (target: Target) => Value>> = {
  AssignStatement: ({ target, parts: all, at }) => {
    const last = all.findLastIndex(({ kind }) => kind === 'AssignOp');
    return last < 0 ? at([]) : member(target, all.slice(0, last), at(all.slice(last + 1)));
  },
  ForStatement: (target) => looped(target),
  ...Object.fromEntries(
    ['', 'Array', 'Set', 'Dictionary'].map((kind) => [
      `${kind}ComprehensionExpression`,
      (target: Target) => looped(target),
    ]),
  ),
  NamedExpression: ({ parts: all, at }) => at(all.slice(-1)),
  ImportStatement: ({ target, made, text }) => made(text(target)),
  WithStatement: ({ target, at }) =>
    step(at([nodeBefore(target)].flatMap((as) => (as && nodeBefore(as)) ?? [])), '.__enter__()'),
  ParamList: ({ target, made, text }) => {
    const type = nodeAfter(target);
    const owner = target.parent?.children.indexOf(target) === 1 ? classAround(target.parent.parent) : undefined;
    const [, name] = /^:\s*([\w.]+)$/.exec(type?.kind === 'TypeDef' ? text(type) : '') ?? [];
    if (owner && text(target) === 'self') return made(`${text(childOf(owner, 'VariableName'))}()`);
    return made(name === undefined ? '' : `${name}()`);
  },
};

function looped({ target, parts: all, at }: Target): Value {
  const end = all.findIndex(({ kind, from }) => kind === 'in' && from > target.from);
  const start = all.findLastIndex(({ kind, from }) => kind === 'for' && from < target.from);
  return member(target, all.slice(start + 1, end), step(at(all.slice(end + 1, end + 2)), '[]'));
}

function member(target: PyNode, named: readonly PyNode[], value: Value): Value {
  const sides = separated(named);
  const at = sides.findIndex((part) => part.includes(target));
  return sides.length > 1 ? step(value, `[${at}]`) : value;
}

function step(value: Value, next: string): Value {
  const { trail, items } = value;
  const [, number] = /^\[(\d+)\]$/.exec(next) ?? [];
  if (trail === '|') return { ...value, items: () => items().map((each) => step(each, next)) };
  if (trail === ',' && number !== undefined) return items()[Number(number)] ?? { ...value, trail: '', items: none };
  return { ...value, trail: trail && trail + next, items: none };
}

/** Whether a statement of the function itself binds it: neither one of a block, nor one that changes what there is. */
const isDirect = ({ parent }: PyNode, place: PyNode) =>
  parent?.kind === 'ParamList' || (parent?.kind === 'AssignStatement' && parent.parent?.parent === place);

/** What gives a name its value at a place of its scope, if only that can. */
function boundFor(node: PyNode, { names, node: place }: NameScope, name: string): PyNode | undefined {
  const bound = names.get(name) ?? [];
  const isDirectly = functionOf(node) === place && bound.every((each) => isDirect(each, place));
  const before = bound.filter((each) => endOf(each) <= node.from);
  return bound.length === 1 || isDirectly ? before.at(-1) : undefined;
}

/** Where a name has its value from: after a statement, but in the body of a loop. */
const endOf = ({ parent, to }: PyNode) => (parent?.kind === 'AssignStatement' ? parent.to : to);

/** The class whose method a function is. */
export function classAround(node: PyNode | undefined): PyNode | undefined {
  const outer = node?.parent?.kind === 'DecoratedStatement' ? node.parent.parent : node?.parent;
  return outer?.parent?.kind === 'ClassDefinition' ? outer.parent : undefined;
}

/** The function around it. */
export function functionOf(node: PyNode): PyNode | undefined {
  let outer = node.parent;
  while (outer && outer.kind !== 'FunctionDefinition' && outer.kind !== 'LambdaExpression') outer = outer.parent;
  return outer;
}
