import type { Definition } from './facts.ts';
import { isWithin, nodeBefore, type PyNode, type PySource } from './tree.ts';

/** Code that runs later, that may not run, or that is not run. */
const runLater = new Set(
  'FunctionDefinition LambdaExpression IfStatement TryStatement TypeDef WhileStatement ForStatement ConditionalExpression'.split(
    ' ',
  ),
);

/** Names that a file binds anywhere, those that it has at its top level, and those that it uses. */
export class PythonNames {
  readonly top = new Map<string, Definition>();
  /** Names that stand for more than one thing. */
  readonly rebound = new Set<string>();
  /** What made the object of a name. */
  readonly objects = new Map<string, string>();
  private readonly bound = new Set<string>();
  private readonly used = new Map<string, PyNode>();

  constructor(private readonly source: PySource) {}

  use(node: PyNode): void {
    const name = this.source.of(node);
    if (!this.used.has(name)) this.used.set(name, node);
  }

  undefinedNames(): { name: string; line: number; definedAt?: number | undefined }[] {
    return [...this.used].flatMap(([name, node]) => {
      const line = this.source.lineOf(node.from);
      const definedAt = this.bound.has(name) ? this.definedAfter(name, line, node) : undefined;
      return this.bound.has(name) && definedAt === undefined ? [] : [{ name, line, definedAt }];
    });
  }

  /** The line of what the file surely uses before it is there. */
  private definedAfter(name: string, usedAt: number, node: PyNode): number | undefined {
    const { line = 0 } = this.top.get(name) ?? {};
    const isLater = line > usedAt && !this.rebound.has(name);
    return isLater && !isWithin(node, runLater) ? line : undefined;
  }

  add(name: string, at: number, isTop: boolean, made = ''): void {
    if (this.bound.has(name)) this.rebound.add(name);
    if (!this.bound.has(name) && made !== '') this.objects.set(name, made);
    else this.objects.delete(name);
    this.bound.add(name);
    const known = this.top.get(name);
    if (!isTop) return;
    if (!known) this.top.set(name, { line: this.source.lineOf(at), made });
    else if (known.made === '') known.made = made;
  }

  /** Binds what a node binds itself. */
  bind(node: PyNode, isTop: boolean): void {
    if (node.kind.endsWith('Expression') || node.kind === 'ArgList' || node.kind === 'ForStatement')
      this.bindLoops(node, isTop && node.kind === 'ForStatement');
    binders.get(node.kind)?.(this, node, isTop);
  }

  bindAll(node: PyNode | undefined, isTop: boolean, made = ''): void {
    if (node?.kind === 'VariableName') this.add(this.source.of(node), node.from, isTop, made);
    else if (node && !bindsNothing.has(node.kind)) for (const each of node.children) this.bindAll(each, isTop);
  }

  private bindLoops({ children }: PyNode, isTop: boolean): void {
    let isTarget = false;
    for (const each of children) {
      if (each.kind === 'for' || each.kind === 'in') isTarget = each.kind === 'for';
      else if (isTarget) this.bindAll(each, isTop);
    }
  }

  /** What makes an object: `FastAPI` of `FastAPI()`. */
  madeBy(value: PyNode | undefined): string {
    return value?.kind === 'CallExpression' ? this.source.dotted(value.children[0]) : '';
  }
}

const bindsNothing = new Set(['MemberExpression', 'CallExpression', 'TypeDef', 'String', 'FormatString']);

type Binder = (names: PythonNames, node: PyNode, isTop: boolean) => void;

const allOf: Binder = (names, { children }, isTop) => {
  for (const each of children) names.bindAll(each, isTop);
};
const first: Binder = (names, { children }, isTop) => names.bindAll(children[0], isTop);

/** Names after `as`. */
const aliased: Binder = (names, { children }, isTop) => {
  for (const each of children)
    if (nodeBefore(each)?.kind === 'as') names.bindAll(each, isTop, names.madeBy(children[each.index - 2]));
};

const assigned: Binder = (names, { children }, isTop) => {
  const last = children.findLastIndex(({ kind }) => kind === 'AssignOp');
  const made = names.madeBy(children[last + 1]);
  // `x: int` alone defines no name for others, but is one that is meant.
  for (const each of children.slice(0, Math.max(1, last))) names.bindAll(each, isTop, made);
};

const defined =
  (made: string): Binder =>
  (names, { children }, isTop) =>
    names.bindAll(
      children.find(({ kind }) => kind === 'VariableName'),
      isTop,
      made,
    );

const parameters: Binder = (names, { children }) => {
  for (const each of children)
    if (each.kind === 'VariableName' && nodeBefore(each)?.kind !== 'AssignOp') names.bindAll(each, false);
};

const global: Binder = (names, { children }) => {
  for (const each of children) if (each.kind === 'VariableName') names.bindAll(each, true);
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
  ['ScopeStatement', global],
  ['CapturePattern', allOf],
  ['AsPattern', allOf],
  ['StarPattern', allOf],
  ['TypeParam', allOf],
  ['TypeDefinition', allOf],
]);
