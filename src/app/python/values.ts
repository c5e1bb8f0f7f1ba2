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

  /** What is written at a node, with the values in it. */
  made(node: PyNode, trail: string, items: Value['items'] = none): Value {
    const line = this.source.lineOf(node.from);
    return { trail, items, line, since: line };
  }

  value(node: PyNode | undefined, depth: number): Value {
    const read = node && readers[node.kind];
    if (!node || !read || depth > deepest) return this.made(node ?? this.source.root, '');
    return read(this, node, depth + 1);
  }

  /** One value, or several with commas between. */
  tupleOf(nodes: readonly PyNode[], at: PyNode, depth: number): Value {
    const parts = separated(nodes).flatMap(([first]) => first ?? []);
    if (parts.length < 2) return this.value(parts[0], depth + 1);
    return this.made(at, ',', () => parts.map((each) => this.value(each, depth + 1)));
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

  textOf = (node: PyNode | undefined) => this.source.of(node);

  /** What a name stands for: of a function, the value that it surely has there; at the top, its name. */
  named(node: PyNode, depth: number): Value {
    const name = this.source.of(node);
    const scope = this.scopeAt(node).scopeOf(name);
    if (!scope?.outer) return this.made(node, name);
    const found = boundFor(node, scope, name);
    const value = found ? this.ofTarget(found, depth) : undefined;
    if (!value?.trail) return this.made(node, `${name}@${scope.node.from}`);
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
    return read && depth <= deepest ? read(this, target, parent, depth) : this.made(target, '');
  }
}

type ValueReader = (values: PythonValues, node: PyNode, depth: number) => Value;

/** What holds values: those of some parts of the node. */
const holding =
  (trail: string, partsOf: (children: readonly PyNode[]) => readonly PyNode[] = none): ValueReader =>
  (values, node, depth) =>
    values.made(node, trail, () => partsOf(node.children).map((each) => values.value(each, depth)));

/** The value of a part, and a step from it. */
const within =
  (at: number, stepOf: (values: PythonValues, node: PyNode) => string): ValueReader =>
  (values, node, depth) =>
    step(values.value(node.children.at(at), depth), stepOf(values, node));

const parts = (nodes: readonly PyNode[]) => separated(nodes.slice(1, -1)).flatMap((part) => part.at(-1) ?? []);

const readers: Readonly<Record<string, ValueReader>> = {
  VariableName: (values, node, depth) => values.named(node, depth),
  MemberExpression: within(0, (values, node) => values.stepOf(node)),
  CallExpression: within(0, (values, node) => values.argumentsOf(node)),
  AwaitExpression: within(1, () => '!'),
  ParenthesizedExpression: (values, node, depth) => values.value(node.children[1], depth),
  NamedExpression: (values, node, depth) => values.value(node.children.at(-1), depth),
  ConditionalExpression: holding('|', (children) => [0, 4].flatMap((at) => children[at] ?? [])),
  DictionaryExpression: holding('{}', (children) => children.filter((each) => nodeBefore(each)?.kind === ':')),
  ArrayExpression: holding('[]', parts),
  TupleExpression: holding(',', parts),
  ArrayComprehensionExpression: holding('[]', (children) => children.slice(1, 2)),
  DictionaryComprehensionExpression: holding('{}', (children) => children.slice(3, 4)),
  SetExpression: holding('set()'),
  SetComprehensionExpression: holding('set()'),
  ComprehensionExpression: holding('generator()'),
  String: (values, node) => values.made(node, /^[rR]?[bB]/.test(values.textOf(node)) ? 'bytes()' : '0'),
  FormatString: holding('0'),
  ContinuedString: holding('0'),
  Number: holding('0'),
  Boolean: holding('0'),
  None: holding('0'),
};

/** What a name or a member is given, by the statement that gives it. */
type TargetReader = (values: PythonValues, target: PyNode, statement: PyNode, depth: number) => Value;

const looped: TargetReader = (values, target, statement, depth) => {
  const all = statement.children;
  const end = all.findIndex(({ kind, from }) => kind === 'in' && from > target.from);
  const start = all.findLastIndex(({ kind, from }) => kind === 'for' && from < target.from);
  const list = values.tupleOf(all.slice(end + 1, end + 2), statement, depth);
  return member(target, all.slice(start + 1, end), step(list, '[]'));
};

const targets: Readonly<Record<string, TargetReader>> = {
  AssignStatement: (values, target, statement, depth) => {
    const all = statement.children;
    const last = all.findLastIndex(({ kind }) => kind === 'AssignOp');
    const value = values.tupleOf(last < 0 ? [] : all.slice(last + 1), statement, depth);
    return last < 0 ? value : member(target, all.slice(0, last), value);
  },
  ForStatement: looped,
  ComprehensionExpression: looped,
  ArrayComprehensionExpression: looped,
  SetComprehensionExpression: looped,
  DictionaryComprehensionExpression: looped,
  NamedExpression: (values, _, statement, depth) => values.tupleOf(statement.children.slice(-1), statement, depth),
  ImportStatement: (values, target) => values.made(target, values.textOf(target)),
  WithStatement: (values, { index }, statement, depth) =>
    step(values.tupleOf(statement.children.slice(index - 2, index - 1), statement, depth), '.__enter__()'),
  ParamList: (values, target, { parent: owner }) => {
    const type = nodeAfter(target);
    const ofClass = target.index === 1 ? classAround(owner) : undefined;
    const [, name] = /^:\s*([\w.]+)$/.exec(type?.kind === 'TypeDef' ? values.textOf(type) : '') ?? [];
    if (ofClass && values.textOf(target) === 'self')
      return values.made(target, `${values.textOf(childOf(ofClass, 'VariableName'))}()`);
    return values.made(target, name === undefined ? '' : `${name}()`);
  },
};

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
