import { once, onceFor } from '../../kernel/once.ts';
import type { Flow, FunctionFlow, Use } from './facts.ts';
import type { NameScope } from './names.ts';
import { childOf, type PyNode, type PySource } from './tree.ts';
import { classAround, functionOf, PythonValues } from './values.ts';

/** Follows the values of a file through its functions, of the nodes that it was shown. */
export class FlowReader {
  private readonly functions: PyNode[] = [];
  private readonly uses: Use[] = [];
  private readonly yielding = new Set<PyNode | undefined>();
  private readonly returns = new Map<PyNode | undefined, PyNode[]>();
  private readonly members = new Map<string, PyNode[]>();
  private readonly values: PythonValues;

  constructor(
    private readonly source: PySource,
    private readonly scopes: ReadonlyMap<PyNode, NameScope>,
  ) {
    this.values = new PythonValues(source, scopes);
  }

  read(): Flow {
    const top = [...(this.scopes.get(this.source.root)?.names ?? []), ...this.members];
    const single = top.filter(([, [node, other]]) => !other && node?.parent?.kind !== 'ImportStatement');
    return {
      functions: new Map(this.functions.map((node) => [this.pathOf(node), this.functionAt(node)])),
      values: new Map(
        single.flatMap(([name, [node]]) => (node ? [[name, this.values.ofTarget(node, 0)] as const] : [])),
      ),
      uses: this.uses,
    };
  }

  visit(node: PyNode): void {
    this.visits[node.kind]?.(node);
  }

  private readonly visits: Readonly<Record<string, (node: PyNode) => void>> = {
    FunctionDefinition: (node) => this.functions.push(node),
    ReturnStatement: (node) => add(this.returns, functionOf(node), node),
    YieldStatement: (node) => this.yielding.add(functionOf(node)),
    YieldExpression: (node) => this.yielding.add(functionOf(node)),
    AssignStatement: (node) => this.assign(node),
    CallExpression: (node) => this.call(node),
    AwaitExpression: (node) => this.use(node.children[1], 'awaited'),
    MemberExpression: (node) => this.use(node.children[0], 'member', this.values.stepOf(node)),
    ForStatement: (node) => this.loop(node),
    IfStatement: (node) => this.test(node),
    WhileStatement: (node) => this.test(node),
    UnaryExpression: (node) => this.test(node),
    BinaryExpression: (node) => this.test(node),
  };

  private use(node: PyNode | undefined, how: Use['how'], to = '', keywords: readonly string[] = []): void {
    const isInAsync = isAsync(node && functionOf(node));
    const value = once(() => this.values.value(node, 0));
    if (node) this.uses.push({ how, to, keywords, isInAsync, line: this.source.lineOf(node.from), value });
  }

  private test({ children }: PyNode): void {
    for (const each of children) if (each.kind === 'CallExpression') this.use(each, 'tested');
  }

  private loop({ children }: PyNode): void {
    const at = children.findIndex(({ kind }) => kind === 'in');
    this.use(children[at + 1], children[0]?.kind === 'async' ? 'looped later' : 'looped');
  }

  /** `self.model = …`, `rows["a"] = …`. */
  private assign(node: PyNode): void {
    const [target] = node.children;
    const [object, , property] = target?.kind === 'MemberExpression' ? target.children : [];
    const name = object?.kind === 'VariableName' ? this.source.of(object) : '';
    const owner = classAround(functionOf(node));
    const value = node.children.at(-1);
    if (target && name === 'self' && owner && property?.kind === 'PropertyName')
      add(this.members, `${this.pathOf(owner)}.${this.source.of(property)}`, target);
    else if (name !== '' && value && property?.kind !== 'PropertyName')
      add(this.values.put, this.values.placeOf(node, name), value);
  }

  private call(node: PyNode): void {
    const [callee] = node.children;
    const given = this.source.given(node);
    const keywords = given.flatMap(({ key }) => key ?? []);
    const to = this.source.dotted(callee);
    if (node.parent?.kind === 'ExpressionStatement') this.use(node, 'alone');
    for (const { value } of given) this.use(value, 'given', to, keywords);
    const [, name] = /^(\w+)\.(?:append|add)$/.exec(to) ?? [];
    for (const { value } of name === undefined ? [] : given)
      add(this.values.put, this.values.placeOf(node, name ?? ''), value);
  }

  private functionAt(node: PyNode): FunctionFlow {
    const decorated = node.parent?.kind === 'DecoratedStatement' ? node.parent.children : [];
    const returned = this.returns.get(node) ?? [];
    return {
      isAsync: isAsync(node),
      isGenerator: this.yielding.has(node),
      decorators: decorated.filter(({ kind }) => kind === 'Decorator').map((each) => this.source.of(each)),
      type: this.source.of(childOf(node, 'TypeDef')).replace(/^->\s*/, ''),
      returns: returned.map((each) => this.values.tupleOf(each.children.slice(1), each, 0)),
    };
  }

  private pathOf(node: PyNode): string {
    const name = this.source.of(childOf(node, 'VariableName'));
    let outer = node.parent;
    while (outer && !/^(?:Function|Class)Definition$/.test(outer.kind)) outer = outer.parent;
    return outer ? `${this.pathOf(outer)}.${name}` : name;
  }
}

function add<Key>(map: Map<Key, PyNode[]>, key: Key, node: PyNode): void {
  onceFor(map, key, () => [] as PyNode[]).push(node);
}

const isAsync = (node: PyNode | undefined) => childOf(node, 'async') !== undefined;
