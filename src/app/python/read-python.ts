import { groupsOf } from '../../kernel/groups.ts';
import { type Import, type PythonCall, type PythonFacts, unknown } from './facts.ts';
import { type NameScope, PythonNames } from './names.ts';
import { PythonTexts } from './texts.ts';
import { childOf, isBroken, nodeAfter, nodeBefore, type PyNode, PySource, separated } from './tree.ts';
import { PythonVariables } from './variables.ts';

/** Reads a Python file. `path` is that of the file in the app. */
export function readPython(text: string, path: string): PythonFacts {
  return new PythonReader(text, path).read();
}

interface Scope {
  names: NameScope;
  isNeeded: Import['isNeeded'];
  /** Whether nothing else is in the body that may fail. */
  isTried?: boolean;
  insteadOf?: Import | undefined;
}

const importsByName = /^(?:importlib\.import_module|__import__|django\.urls\.include)$/;
const comprehensions = ['', 'Array', 'Set', 'Dictionary'].map((kind) => `${kind}ComprehensionExpression`);
const loops = ['ForStatement', ...comprehensions];
const nothing: PyNode[] = [];
const nothingGiven: Record<string, string> = {};
/** Deeper code is not read. */
const maxDepth = 400;

class PythonReader {
  private readonly source: PySource;
  private readonly texts: PythonTexts;
  private readonly names: PythonNames;
  private readonly variables: PythonVariables;
  private readonly imports: Import[] = [];
  private readonly calls: PythonCall[] = [];
  private readonly said: PythonFacts['texts'] = [];
  private readonly members: PythonFacts['members'] = [];
  private readonly needs: PythonFacts['needs'] = [];
  private readonly scriptLines = new Set<number>();
  private readonly madeModules = new Set<string>();
  private readonly functions = new Set<string>();
  private isBroken = false;
  private hasMore = false;

  constructor(text: string, path: string) {
    this.source = new PySource(text);
    this.texts = new PythonTexts(this.source, path);
    this.names = new PythonNames(this.source);
    this.variables = new PythonVariables(this.source, this.texts);
  }

  read(): PythonFacts {
    const names = this.names.scopeAt(this.source.root);
    this.visit(this.source.root, { names, isNeeded: 'always' }, 0);
    const aliases = new Map(this.imports.map((each) => [each.as, wholeName(each)]));
    for (const each of this.names.top.values()) each.made = qualified(each.made, aliases);
    for (const each of this.calls) {
      each.name = this.nameOf(each.name, aliases);
      this.importByName(each);
    }
    this.installedApps();
    return {
      imports: this.imports,
      calls: this.calls,
      texts: this.said,
      members: this.members,
      environment: this.variables.found,
      names: this.names.top,
      values: this.texts.values(),
      rebound: this.names.rebound,
      needs: this.needs,
      functions: this.functions,
      scriptLines: this.scriptLines,
      madeModules: this.madeModules,
      hasMore: this.hasMore || this.names.top.has('__getattr__'),
      undefinedNames: this.hasMore ? [] : this.names.undefinedNames(),
      isBroken: this.isBroken,
    };
  }

  /** `flask.Flask.run` for `app.run` of an object that `Flask()` made. */
  private nameOf(name: string, aliases: ReadonlyMap<string, string>): string {
    const [, first = '', rest = ''] = groupsOf(/^(\w+)(\..*)?$/, name);
    const made = aliases.has(first) ? undefined : this.names.top.get(first)?.made;
    return made && made !== 'def' && made !== 'class' && rest !== '' ? made + rest : qualified(name, aliases);
  }

  private visit(node: PyNode, scope: Scope, depth: number): void {
    this.isBroken ||= isBroken(node) || node.kind === 'PrintStatement' || this.source.isMixed(node);
    if (depth > maxDepth) return;
    if (node.kind === 'ImportStatement') this.readImport(node, scope);
    else this.visitParts(node, scope, depth + 1);
  }

  private visitParts(node: PyNode, scope: Scope, depth: number): void {
    this.visits.get(node.kind)?.(node, scope);
    const names = this.names.enter(node, scope.names);
    const inner = innerScope(node, { ...scope, names });
    const guarded = this.guarded(node);
    const first = this.imports.length;
    let keyword = '';
    for (const child of node.children) {
      if (/^(?:except|else|finally)$/.test(child.kind)) keyword = child.kind;
      if (isPart(child, this.source)) continue;
      const isTried = node.kind === 'IfStatement' || child.children.length <= 2;
      const guardedScope: Scope = { names: inner.names, isNeeded: 'guarded', isTried };
      const insteadOf = keyword === 'except' && guarded.length > 0 ? this.imports[first] : undefined;
      const other: Scope = insteadOf ? { ...inner, isNeeded: 'sometimes', insteadOf } : inner;
      this.visit(child, guarded.includes(child) ? guardedScope : other, depth);
    }
  }

  private readonly visits = new Map<string, (node: PyNode, scope: Scope) => void>([
    ['VariableName', (node, { names }) => this.names.use(node, names)],
    ['CallExpression', (node) => this.call(node)],
    ['Decorator', (node) => this.call(node)],
    ['MemberExpression', (node, { isTried }) => this.member(node, isTried === true)],
    ['String', (node) => this.text(node)],
    ['ContinuedString', (node) => this.text(node)],
    ['BinaryExpression', (node) => this.text(node)],
    ['FormatString', (node) => this.formatted(node)],
    ['ClassDefinition', (node) => this.variables.settings(node)],
    ['FunctionDefinition', (node) => this.functions.add(this.source.pathOf(node))],
    ['IfStatement', (node) => this.variables.condition(node)],
    ...loops.map((kind) => [kind, (node: PyNode) => this.variables.loop(node)] as const),
    ['TypeParamList', (node) => this.need(node, '3.12', 'type parameters')],
    ['TypeDefinition', (node) => this.need(node, '3.12', 'a type statement')],
    ['MatchStatement', (node) => this.need(node, '3.10', 'a match statement')],
    ['TryStatement', (node) => node.children.some(({ kind }) => kind === '*') && this.need(node, '3.11', 'except*')],
  ]);

  private need(node: PyNode, version: string, what: string): void {
    this.needs.push({ line: this.source.lineOf(node.from), version, what });
  }

  /** Bodies that fail without harm, that only a type checker reads, or that are for another system or Python. */
  private guarded(node: PyNode): PyNode[] {
    if (!/^(?:Try|If|With)Statement$/.test(node.kind)) return nothing;
    const bodies = node.children.filter(({ kind }) => kind === 'Body');
    if (node.kind !== 'IfStatement')
      return this.caughtBy(node).some((each) => caughtImports.test(each)) ? bodies.slice(0, 1) : nothing;
    const test = this.spelledOut(node.children[1]);
    const [body] = bodies;
    if (/^__name__\s*==\s*["']__main__["']$/.test(test) && body)
      for (let line = this.source.lineOf(body.from); line <= this.source.lineOf(body.to); line++)
        this.scriptLines.add(line);
    if (otherPlace.test(test)) return bodies;
    return /^(?:typing\.)?TYPE_CHECKING\b/.test(test) ? bodies.slice(0, 1) : nothing;
  }

  /** A test, with the value of the constant that it is: `DEBUG = os.environ.get("DEBUG")`. */
  private spelledOut(test: PyNode | undefined): string {
    const value = test?.kind === 'VariableName' ? this.texts.constants.get(this.source.of(test)) : undefined;
    return this.source.of(value ?? test);
  }

  /** What a statement catches: `suppress(OSError)`; without a name, all. */
  private caughtBy({ kind, children }: PyNode): string[] {
    if (kind === 'WithStatement') return [this.source.of(children[1])].filter((each) => /\bsuppress\(/.test(each));
    const caught = children.filter((each) => each.kind === 'except').map(nodeAfter);
    return caught.map((each) => (each?.kind === 'Body' ? 'Exception' : this.source.of(each)));
  }

  /** Python 3.12 reads strings in an f-string that have its own quotes. */
  private formatted(node: PyNode): void {
    const quoteOf = (each: PyNode) => /^[a-zA-Z]*("""|'''|"|')/.exec(this.source.of(each))?.[1];
    const quote = quoteOf(node);
    const hasSame = (each: PyNode): boolean =>
      (each.kind.endsWith('String') && quoteOf(each) === quote) || each.children.some(hasSame);
    if (node.children.some(({ kind, children }) => kind === 'FormatReplacement' && children.some(hasSame)))
      this.need(node, '3.12', 'the same quotes inside of an f-string');
    this.text(node);
  }

  private text(node: PyNode): void {
    // Documentation names many files.
    if (node.parent?.kind === 'ExpressionStatement' || node.to - node.from > 300) return;
    const value = this.texts.value(node);
    if (value !== undefined && value !== unknown && !value.includes('\n'))
      this.said.push({ value, line: this.source.lineOf(node.from) });
  }

  private readImport(node: PyNode, scope: Scope): void {
    const { children } = node;
    const isFrom = children[0]?.kind === 'from';
    const start = children.findIndex(({ kind }) => kind === 'import');
    const origin = isFrom ? children.slice(1, start).map((each) => this.source.of(each)) : [];
    const [, dots = '', module = ''] = groupsOf(/^(\.*)(.*)$/, origin.join(''));
    const isNeeded = this.neededIn(scope, node);
    for (const part of start < 0 ? [] : splitAtCommas(children.slice(start + 1))) {
      const name = part.names.map((each) => this.source.of(each)).join('');
      this.isBroken ||= part.isBroken;
      const ownPart = isFrom ? { module, name } : { module: name };
      this.addImport(part, { ...ownPart, level: dots.length, isNeeded, insteadOf: scope.insteadOf }, scope.names);
    }
  }

  private neededIn({ names, isNeeded }: Scope, node: PyNode): Import['isNeeded'] {
    if (!names.outer || isNeeded !== 'always') return isNeeded;
    return this.isUsed(node) ? 'sometimes' : 'guarded';
  }

  /** Whether it is not in a private function that nothing names: nobody calls that. */
  private isUsed({ parent }: PyNode): boolean {
    const text = parent?.kind === 'FunctionDefinition' ? this.source.of(childOf(parent, 'VariableName')) : '';
    if (parent && (!/^_[a-z]/.test(text) || childOf(parent.parent, 'Decorator'))) return this.isUsed(parent);
    return !parent || this.source.text.split(new RegExp(`\\b${text}\\b`)).length > 2;
  }

  private addImport(part: ImportedPart, facts: Omit<Import, 'as' | 'line'>, scope: NameScope): void {
    const [first] = part.names;
    const name = facts.name ?? facts.module.split('.')[0] ?? '';
    if (!first) return;
    const as = this.source.of(part.as) || name;
    this.imports.push({ ...facts, as, line: this.source.lineOf(first.from) });
    if (name === '*') this.hasMore = true;
    else this.names.add(as, first, scope);
  }

  private call(node: PyNode): void {
    const isDecorator = node.kind === 'Decorator';
    const [callee] = node.children;
    const parts = node.children.filter(({ kind }) => kind === 'VariableName' || kind === 'PropertyName');
    const name = isDecorator ? parts.map((part) => this.source.of(part)).join('.') : this.source.dotted(callee);
    if (makesNames.test(name)) this.hasMore = true;
    const call = {
      name,
      written: name,
      object: callee?.kind === 'MemberExpression' ? this.texts.value(callee.children[0]) : undefined,
      arguments: [] as (string | undefined)[],
      keywords: {} as Record<string, string | undefined>,
      references: nothingGiven,
      line: this.source.lineOf(node.from),
      isDecorator,
      isOpen: childOf(node, 'ArgList')?.children.some(({ kind }) => /^(?:\*\*?|for)$/.test(kind)) === true,
      isTried: this.isTried(node),
    };
    for (const { key = String(call.arguments.length), value } of this.source.given(node)) {
      const text = this.texts.argument(value);
      if (/^\d/.test(key)) call.arguments.push(text);
      else call.keywords[key] = text;
      if (text === undefined && isReference.has(value.kind))
        call.references = { ...call.references, [key]: this.source.of(value) };
    }
    this.calls.push(call);
    if (isDecorator) return;
    for (const each of this.repeated(call, node)) this.calls.push(each);
    this.variables.call(node);
    this.text(node);
  }

  /** Whether a statement around it catches the error of a missing file. */
  private isTried({ parent, kind, index }: PyNode): boolean {
    if (!parent || /^(?:Function|Class)Definition$/.test(parent.kind)) return false;
    const isGuarded =
      kind === 'Body' && (parent.kind === 'WithStatement' || (parent.kind === 'TryStatement' && index === 1));
    return (isGuarded && this.caughtBy(parent).some((each) => caughtFiles.test(each))) || this.isTried(parent);
  }

  /** `importlib.import_module("plugins.one")`, and what Django loads by its name. */
  private importByName({ name, arguments: [first = unknown, second = unknown], line }: PythonCall): void {
    const isSettings = name.endsWith('environ.setdefault') && first === 'DJANGO_SETTINGS_MODULE';
    const module = isSettings ? second : first;
    if (!isSettings && !importsByName.test(name)) return;
    this.addNamed(module, line, name.endsWith('import_module') ? 'sometimes' : 'always');
  }

  /** What a call of a loop is given each time: `open(f"{name}.json") for name in ("one", "two")`. */
  private repeated(call: PythonCall, node: PyNode): PythonCall[] {
    const isOpen = [call.object, ...call.arguments].some(
      (text) => text !== unknown && text?.split(unknown).length === 2,
    );
    for (let outer = isOpen ? node.parent : undefined; outer; outer = outer.parent) {
      const at = outer.children.findIndex(({ kind }) => kind === 'in');
      const variable = outer.children[at - 1];
      const values = variable?.kind === 'VariableName' ? this.texts.listed(outer.children[at + 1]) : [];
      const isUsed = new RegExp(`\\b${this.source.of(variable)}\\b`).test(this.source.of(node));
      if (isUsed && values.length > 0) return values.map(({ value }) => withText(call, value));
    }
    return [];
  }

  private addNamed(text: string, line: number, isNeeded: Import['isNeeded']): void {
    if (/^(?:\w+\.)*\w+$/.test(text)) this.imports.push({ module: text, level: 0, as: '', line, isNeeded });
  }

  private installedApps(): void {
    for (const list of ['INSTALLED_APPS', 'MIDDLEWARE'])
      for (const { value, node } of this.texts.listed(this.texts.constants.get(list))) {
        const module = list === 'MIDDLEWARE' ? value.replace(/\.\w+$/, '') : value.replace(/\.apps\.\w+$/, '.apps');
        this.addNamed(module, this.source.lineOf(node.from), 'always');
      }
  }

  private member(node: PyNode, isTried: boolean): void {
    this.variables.member(node);
    const [object, , property] = node.children;
    const isSet = nodeAfter(node)?.kind === 'AssignOp';
    const module = isSet && this.source.of(object) === 'sys.modules' ? this.texts.value(property) : undefined;
    if (module !== undefined) this.madeModules.add(module);
    if (isTried || property?.kind !== 'PropertyName' || object?.kind !== 'VariableName') return;
    const line = this.source.lineOf(node.from);
    this.members.push({ object: this.source.of(object), name: this.source.of(property), isSet, line });
  }
}

interface ImportedPart {
  names: PyNode[];
  as: PyNode | undefined;
  isBroken: boolean;
}

function splitAtCommas(nodes: readonly PyNode[]): ImportedPart[] {
  return separated(nodes).map((part) => {
    const at = part.findIndex(({ kind }) => kind === 'as');
    const named = at < 0 ? part : part.slice(0, at);
    return {
      names: named.filter(({ kind }) => kind === 'VariableName' || kind === '.' || kind === '*'),
      as: at < 0 ? undefined : part[at + 1],
      isBroken: part.some(isBroken),
    };
  });
}

const caughtImports = /\b(?:ImportError|ModuleNotFoundError|AttributeError|(?:Base)?Exception)\b/;
const caughtFiles = /\b(?:FileNotFoundError|OSError|IOError|EnvironmentError|(?:Base)?Exception)\b/;
/** What another system, Python or machine does. */
const otherPlace =
  /\b(?:find_spec|HA(?:S|VE)_\w+|\w+_(?:AVAILABLE|INSTALLED)|is_\w+_available|version_info|sys\.platform|os\.name|platform\.system|os\.environ|os\.getenv|hasattr)\b/;

/** Names of keywords and of members, which are no names of the file. */
function isPart(child: PyNode, source: PySource): boolean {
  if (child.kind !== 'VariableName') return false;
  const next = child.parent?.kind === 'ArgList' ? nodeAfter(child) : undefined;
  const isKeyword = next?.kind === 'AssignOp' && source.of(next) === '=';
  return (
    isKeyword ||
    /^(?:Function|Class)Def/.test(child.parent?.kind ?? '') ||
    (child.parent?.kind === 'Decorator' && nodeBefore(child)?.kind === '.')
  );
}

const innerScope = ({ kind }: PyNode, scope: Scope): Scope =>
  kind === 'IfStatement' && scope.isNeeded === 'always' ? { ...scope, isNeeded: 'sometimes' } : scope;

const isReference = new Set(['VariableName', 'MemberExpression']);

const makesNames = /^(?:(?:enum\.)?global_enum|globals|locals|vars|exec|execfile|setattr)$/;

function withText(call: PythonCall, value: string): PythonCall {
  const filled = (text: string | undefined) => text?.replace(unknown, value);
  return { ...call, object: filled(call.object), arguments: call.arguments.map(filled) };
}

const wholeName = ({ module, name, as }: Import) => {
  if (name !== undefined) return `${module}.${name}`;
  return as === module.split('.')[0] ? as : module;
};

function qualified(name: string, aliases: ReadonlyMap<string, string>): string {
  const [, first = '', rest = ''] = groupsOf(/^(\w+)(\..*)?$/, name);
  const whole = aliases.get(first);
  return whole === undefined ? name : whole + rest;
}
