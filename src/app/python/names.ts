import { onceFor } from '../../kernel/once.ts';
import type { Definition } from './facts.ts';
import { isWithin, nodeBefore, type PyNode, type PySource } from './tree.ts';

/** Code that runs later, that may not run, or that is not run. */
const runLater = new Set(
  'FunctionDefinition LambdaExpression IfStatement TryStatement TypeDef WhileStatement ForStatement ConditionalExpression'.split(
    ' ',
  ),
);

const heads = new Set(['ParamList', 'TypeDef']);

/** Where names are looked up: a file, a function, the body of a class, or a loop in an expression. */
export class NameScope {
  readonly names = new Map<string, PyNode[]>();
  readonly used = new Map<string, PyNode>();
  private readonly shared = new Map<string, NameScope>();
  private readonly isFunction: boolean;

  constructor(
    readonly node: PyNode,
    readonly outer?: NameScope,
  ) {
    this.isFunction = node.kind === 'FunctionDefinition';
  }

  get top(): NameScope {
    return this.outer?.top ?? this;
  }

  /** The scope that a statement binds names in: not the loop of an expression. */
  get own(): NameScope {
    return this.outer && !/^(?:Function|Class)Def|^Lambda/.test(this.node.kind) ? this.outer.own : this;
  }

  share(name: string, isGlobal: boolean): void {
    this.shared.set(name, isGlobal ? this.top : (this.outer ?? this));
  }

  bind(name: string, node: PyNode): void {
    const shared = this.shared.get(name);
    if (shared) shared.bind(name, node);
    else onceFor(this.names, name, () => [] as PyNode[]).push(node);
  }

  /** The scope that gives a name its value. What a class defines, its functions do not see. */
  scopeOf(name: string, isInside = false): NameScope | undefined {
    const isHidden = isInside && this.node.kind === 'ClassDefinition';
    if (this.names.has(name) && !isHidden) return this;
    return this.outer?.scopeOf(name, isInside || this.isFunction || isHidden);
  }
}

/** What a function begins with is read where it is defined. */
const isFound = (name: string, node: PyNode, scope: NameScope) =>
  Boolean(scope.scopeOf(name) ?? (isWithin(node, heads) && scope.outer?.scopeOf(name)));

/** Names that a file binds anywhere, those that it has at its top level, and those that it uses. */
export class PythonNames {
  readonly top = new Map<string, Definition>();
  readonly rebound = new Set<string>();
  private readonly bound = new Set<string>();
  private readonly scopes = new Map<PyNode, NameScope>();

  constructor(private readonly source: PySource) {}

  scopeAt(node: PyNode, outer?: NameScope): NameScope {
    const scope = new NameScope(node, outer);
    this.scopes.set(node, scope);
    return scope;
  }

  use(node: PyNode, { used }: NameScope): void {
    const name = this.source.of(node);
    if (!used.has(name)) used.set(name, node);
  }

  undefinedNames(): { name: string; line: number; definedAt?: number | undefined }[] {
    const undefinedOnes = new Map<string, { name: string; line: number; definedAt?: number | undefined }>();
    for (const scope of this.scopes.values())
      for (const [name, node] of scope.used) {
        const line = this.source.lineOf(node.from);
        const isBound = isFound(name, node, scope);
        const definedAt = isBound ? this.definedAfter(name, line, node) : undefined;
        if ((!isBound || definedAt !== undefined) && !undefinedOnes.has(name))
          undefinedOnes.set(name, { name, line, definedAt });
      }
    return [...undefinedOnes.values()];
  }

  /** The line of what the file surely uses before it is there. */
  private definedAfter(name: string, usedAt: number, node: PyNode): number | undefined {
    const { line = 0 } = this.top.get(name) ?? {};
    const isLater = line > usedAt && !this.rebound.has(name);
    return isLater && !isWithin(node, runLater) ? line : undefined;
  }

  add(name: string, node: PyNode, scope: NameScope, made = ''): void {
    scope.bind(name, node);
    const isTop = scope.outer === undefined;
    if (this.bound.has(name)) this.rebound.add(name);
    this.bound.add(name);
    const atTop = this.top.get(name);
    if (!isTop) return;
    if (!atTop) this.top.set(name, { line: this.source.lineOf(node.from), made });
    else if (atTop.made === '') atTop.made = made;
  }

  /** The scope of what is in a node, which binds its names: a loop in an expression those that only it has. */
  enter(node: PyNode, outer: NameScope): NameScope {
    const isLoop = bindsInside(node);
    const inner = isLoop || hasNames.test(node.kind) ? this.scopeAt(node, outer) : outer;
    this.bind(node, isLoop ? inner : outer);
    return inner;
  }

  private bind(node: PyNode, scope: NameScope): void {
    if (scope.node === node || node.kind === 'ForStatement') this.bindLoops(node, scope);
    binders.get(node.kind)?.(this, node, scope);
  }

  bindAll(node: PyNode | undefined, scope: NameScope, made = ''): void {
    if (node?.kind === 'VariableName') this.add(this.source.of(node), node, scope, made);
    else if (node && !bindsNothing.has(node.kind)) for (const each of node.children) this.bindAll(each, scope);
  }

  share(node: PyNode, scope: NameScope, isGlobal: boolean): void {
    scope.share(this.source.of(node), isGlobal);
    this.bindAll(node, scope);
  }

  private bindLoops({ children }: PyNode, scope: NameScope): void {
    let isTarget = false;
    for (const each of children) {
      if (each.kind === 'for' || each.kind === 'in') isTarget = each.kind === 'for';
      else if (isTarget) this.bindAll(each, scope);
    }
  }

  /** What makes an object: `FastAPI` of `FastAPI()`. */
  madeBy(value: PyNode | undefined): string {
    return value?.kind === 'CallExpression' ? this.source.dotted(value.children[0]) : '';
  }
}

const bindsInside = ({ kind, children }: PyNode) =>
  kind.includes('Comprehension') || (kind === 'ArgList' && children.some((each) => each.kind === 'for'));
const hasNames = /^(?:FunctionDefinition|ClassDefinition|LambdaExpression)$/;
const bindsNothing = new Set(['MemberExpression', 'CallExpression', 'TypeDef', 'String', 'FormatString']);

type Binder = (names: PythonNames, node: PyNode, scope: NameScope) => void;

const allOf: Binder = (names, { children }, scope) => {
  for (const each of children) names.bindAll(each, scope);
};
const first: Binder = (names, { children }, scope) => names.bindAll(children[0], scope.own);

const aliased: Binder = (names, { children }, scope) => {
  for (const each of children)
    if (nodeBefore(each)?.kind === 'as') names.bindAll(each, scope, names.madeBy(children[each.index - 2]));
};

const assigned: Binder = (names, { children }, scope) => {
  const last = children.findLastIndex(({ kind }) => kind === 'AssignOp');
  const made = names.madeBy(children[last + 1]);
  // `x: int` alone defines no name for others, but is one that is meant.
  for (const each of children.slice(0, Math.max(1, last))) names.bindAll(each, scope, made);
};

const defined =
  (made: string): Binder =>
  (names, { children }, scope) =>
    names.bindAll(
      children.find(({ kind }) => kind === 'VariableName'),
      scope,
      made,
    );

const parameters: Binder = (names, { children }, scope) => {
  for (const each of children)
    if (each.kind === 'VariableName' && nodeBefore(each)?.kind !== 'AssignOp') names.bindAll(each, scope);
};

const shared: Binder = (names, { children: [keyword, ...named] }, scope) => {
  for (const each of named) if (each.kind === 'VariableName') names.share(each, scope, keyword?.kind === 'global');
};

/** The functions of a class see its type parameters, unlike its other names. */
const typed: Binder = (names, { children }, scope) => {
  const isOfClass = scope.node.kind === 'ClassDefinition';
  for (const each of children) names.bindAll(each, (isOfClass && scope.outer) || scope);
};

const binders = new Map<string, Binder>([
  ['AssignStatement', assigned],
  ['UpdateStatement', first],
  ['NamedExpression', first],
  ['WithStatement', aliased],
  ['TryStatement', aliased],
  ['FunctionDefinition', defined('def')],
  ['ClassDefinition', defined('class')],
  ['ParamList', parameters],
  ['ScopeStatement', shared],
  ['CapturePattern', allOf],
  ['AsPattern', allOf],
  ['StarPattern', allOf],
  ['TypeParam', typed],
  ['TypeDefinition', allOf],
]);
