import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';

/** A line of a file, from 1. */
export interface At {
  line: number;
}

/** What a Python file says, as far as it is known without running it. */
export interface PythonFacts {
  imports: Import[];
  calls: PythonCall[];
  /** Texts in the code that can be paths, as far as they are known: `unknown` stands for the rest. */
  texts: (At & { value: string })[];
  /** `items.router` of an imported name. */
  members: (At & { object: string; name: string })[];
  environment: (At & { name: string; isOptional: boolean })[];
  /** Variables without which the code ends itself, or its settings are not valid. */
  required: (At & { name: string })[];
  /** What other modules can import from it. */
  names: ReadonlySet<string>;
  /** The first line that defines a name of its own; 0 if none does. */
  definedAt: (name: string) => number;
  /** Whether it may have other names, too. */
  hasMore: boolean;
  /** Classes, functions and objects at its top level, and what makes them: `FastAPI` for `app = FastAPI()`. */
  made: ReadonlyMap<string, string>;
  /** Names that nothing defines. */
  undefinedNames: (At & { name: string })[];
  /** The first line that is no Python, and the oldest version that knows the syntax of a line. */
  brokenLine?: number;
  needs: (At & { version: string; what: string })[];
}

export interface Import extends At {
  /** Without the dots of a relative one. */
  module: string;
  /** The dots. */
  level: number;
  /** The name that it imports from the module; `*` for all, undefined for the module itself. */
  name?: string | undefined;
  /** What the file calls it. */
  as: string;
  /** Whether the code goes on without it, or runs only sometimes. */
  isOptional: boolean;
  /** Whether it says what to do without it. */
  isGuarded?: boolean;
}

export interface PythonCall extends At {
  /** `server.run`; what is not a name is omitted: `.read_text`. */
  name: string;
  /** The text that it is called on, and those that it is called with. */
  object?: string | undefined;
  arguments: (string | undefined)[];
  keywords: Record<string, string | undefined>;
  isDecorator: boolean;
}

/** Stands for what is not known in a text, and for the folder of the app before a path. */
export const unknown = '\0';
const appFolder = '\x01';

/** Reads a Python file. `path` is that of the file in the app. */
export function readPython(text: string, path: string): PythonFacts {
  return new Reader(text, path).read();
}

/** The path of a text in the app: of one that the code puts together from `__file__`, or of a plain one. */
export function pathIn(value: string, folder = ''): string {
  const parts: string[] = [];
  const whole = value.startsWith(appFolder)
    ? value.slice(1)
    : folder && !value.startsWith('/')
      ? `${folder}/${value}`
      : value;
  for (const part of whole.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return (whole.startsWith('/') && !value.startsWith(appFolder) ? '/' : '') + parts.join('/');
}

/** Names that nobody gives to a switch. */
const secretName = /^[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|DSN|_URL|_URI|CREDENTIALS|WEBHOOK)$/;

export const isFromFile = (value: string) => value.startsWith(appFolder);

const parent = (path: string) =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : path.startsWith(appFolder) ? appFolder : '';
const joined = (one: string, other: string) =>
  other.startsWith('/') || one === '' ? other : one === appFolder ? one + other : `${one}/${other}`;
const samePath =
  /(?:^|\.)(?:Path|PurePath|PosixPath|str|abspath|realpath|normpath|fspath|resolve|absolute|expanduser|as_posix|strip)$/;

class Reader {
  private facts = {
    imports: [] as Import[],
    calls: [] as PythonCall[],
    texts: [] as PythonFacts['texts'],
    members: [] as PythonFacts['members'],
    environment: [] as PythonFacts['environment'],
    required: [] as PythonFacts['required'],
    needs: [] as PythonFacts['needs'],
  };
  private names = new Set<string>();
  private made = new Map<string, string>();
  private defined = new Map<string, number>();
  private bound = new Set<string>();
  private used = new Map<string, number>();
  private constants = new Map<string, SyntaxNode | undefined>();
  private lines: number[] = [];
  private hasMore = false;
  private brokenAt: number | undefined;
  private readonly text: string;
  private readonly path: string;

  constructor(text: string, path: string) {
    this.text = text;
    this.path = path;
    for (let at = -1; ; ) {
      this.lines.push(at + 1);
      at = text.indexOf('\n', at + 1);
      if (at < 0) break;
    }
  }

  read(): PythonFacts {
    const { topNode } = parser.parse(this.text);
    for (const node of children(topNode)) this.define(node);
    this.visit(topNode, { isInside: false, isOptional: false });
    const undefinedNames = this.hasMore
      ? []
      : [...this.used].filter(([name]) => !this.bound.has(name)).map(([name, at]) => ({ name, line: this.lineOf(at) }));
    return {
      ...this.facts,
      names: this.names,
      definedAt: (name) => (this.defined.has(name) ? this.lineOf(this.defined.get(name) ?? 0) : 0),
      made: this.made,
      hasMore: this.hasMore || this.names.has('__getattr__'),
      undefinedNames,
      ...(this.brokenAt !== undefined && { brokenLine: this.lineOf(this.brokenAt) }),
    };
  }

  private of({ from, to }: SyntaxNode): string {
    return this.text.slice(from, to);
  }

  private lineOf(at: number): number {
    let [low, high] = [0, this.lines.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lines[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** Constants at the top level, before anything refers to them. */
  private define(node: SyntaxNode): void {
    if (node.name !== 'AssignStatement') return;
    const [target, ...rest] = children(node);
    const value = rest.at(-1);
    if (target?.name !== 'VariableName' || !value) return;
    const name = this.of(target);
    this.constants.set(name, this.constants.has(name) ? undefined : value);
    const made = value.name === 'CallExpression' && value.firstChild ? this.of(value.firstChild) : '';
    this.made.set(name, made);
  }

  private visit(node: SyntaxNode, scope: Scope): void {
    const { name } = node;
    if (node.type.isError || name === 'PrintStatement')
      this.brokenAt ??= Math.min(node.from, this.text.trimEnd().length);
    if (name === 'ImportStatement') {
      this.importNames(node, scope);
      return;
    }
    if (name === 'VariableName') this.use(node);
    else if (name === 'CallExpression' || name === 'Decorator') this.call(node);
    else if (name === 'MemberExpression') this.member(node);
    else if (name === 'String' || name === 'FormatString' || name === 'ContinuedString') {
      if (name === 'FormatString') this.quotes(node);
      const value = this.value(node);
      if (value !== undefined) this.addText(node, value);
    } else if (name === 'BinaryExpression') {
      const value = this.value(node);
      if (value !== undefined && value !== unknown) this.addText(node, value);
    } else if (name === 'TypeParamList' || name === 'TypeDefinition') this.needs(node, '3.12', 'type parameters');
    else if (name === 'TryStatement' && children(node).some((each) => each.name === '*'))
      this.needs(node, '3.11', 'except*');
    if (name === 'ClassDefinition') this.settings(node);
    else if (/^(?:ForStatement|\w*ComprehensionExpression|IfStatement)$/.test(name)) this.demands(node);
    this.bind(node, scope);
    const inner = innerScope(node, scope);
    let isBody = 0;
    for (let child = node.firstChild; child; child = child.nextSibling) {
      const isTried = name === 'TryStatement' && child.name === 'Body' && isBody++ === 0 && this.catches(node);
      const isNamed = name === 'ArgList' && child.name === 'VariableName' && child.nextSibling?.name === 'AssignOp';
      const isKeyword = isNamed && child.nextSibling !== null && this.of(child.nextSibling) === '=';
      if (isNamed && !isKeyword) this.bindName(child, scope);
      const isPart =
        name === 'Decorator' && /^(?:Variable|Property)Name$/.test(child.name) && child.prevSibling?.name === '.';
      if (isKeyword || isPart) continue;
      this.visit(child, isTried ? { ...inner, isOptional: true, isGuarded: true } : inner);
    }
  }

  /** Whether the code goes on without what cannot be imported. */
  private catches(node: SyntaxNode): boolean {
    return /\bexcept\s*(?::|\(?[^:]*\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b)/.test(
      this.of(node),
    );
  }

  private needs(node: SyntaxNode, version: string, what: string): void {
    this.facts.needs.push({ line: this.lineOf(node.from), version, what });
  }

  /** Python 3.12 reads strings in an f-string that have its own quotes. */
  private quotes(node: SyntaxNode): void {
    const [, quote = ''] = /^[a-zA-Z]+("""|'''|"|')/.exec(this.of(node)) ?? [];
    const isSame = (each: SyntaxNode): boolean =>
      (/String$/.test(each.name) && /^[a-zA-Z]*("""|'''|"|')/.exec(this.of(each))?.[1] === quote) ||
      children(each).some(isSame);
    if (children(node).some((each) => each.name === 'FormatReplacement' && children(each).some(isSame)))
      this.needs(node, '3.12', 'the same quotes inside of an f-string');
  }

  private use(node: SyntaxNode): void {
    const name = this.of(node);
    if (!this.used.has(name)) this.used.set(name, node.from);
  }

  private bindName(node: SyntaxNode, { isInside }: Scope, isValue = true): void {
    const name = this.of(node);
    this.bound.add(name);
    if (!isInside) {
      this.names.add(name);
      if (!this.defined.has(name)) this.defined.set(name, node.from);
      if (isValue && !this.made.has(name)) this.made.set(name, '');
    }
  }

  private bindAll(node: SyntaxNode, scope: Scope): void {
    if (node.name === 'VariableName') this.bindName(node, scope);
    else if (!/^(?:MemberExpression|CallExpression|TypeDef|String)$/.test(node.name))
      for (const child of children(node)) this.bindAll(child, scope);
  }

  private bind(node: SyntaxNode, scope: Scope): void {
    const parts = children(node);
    const between = (from: string, to: string) => {
      for (let at = 0; at < parts.length; at++)
        if (parts[at]?.name === from)
          for (at++; at < parts.length && parts[at]?.name !== to; at++) this.bindAll(parts[at] as SyntaxNode, scope);
    };
    switch (node.name) {
      case 'AssignStatement': {
        const last = parts.findLastIndex(({ name }) => name === 'AssignOp');
        // `x: int` alone defines no name.
        for (const part of parts.slice(0, last < 0 ? 1 : last)) this.bindAll(part, scope);
        break;
      }
      case 'UpdateStatement':
      case 'NamedExpression':
        if (parts[0]) this.bindAll(parts[0], scope);
        break;
      case 'ForStatement':
      case 'ArrayComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'ComprehensionExpression':
        between('for', 'in');
        break;
      case 'WithStatement':
      case 'TryStatement':
        for (const [at, { name }] of parts.entries())
          if (name === 'as' && parts[at + 1]) this.bindAll(parts[at + 1] as SyntaxNode, scope);
        break;
      case 'FunctionDefinition':
      case 'ClassDefinition': {
        const defined = parts.find(({ name }) => name === 'VariableName');
        if (defined) {
          this.bindName(defined, scope);
          if (!scope.isInside) this.made.set(this.of(defined), node.name === 'ClassDefinition' ? 'class' : 'def');
        }
        break;
      }
      case 'ParamList':
        for (const [at, part] of parts.entries())
          if (part.name === 'VariableName' && parts[at - 1]?.name !== 'AssignOp')
            this.bindName(part, { ...scope, isInside: true });
        break;
      case 'ScopeStatement':
        for (const part of parts) if (part.name === 'VariableName') this.bindName(part, { ...scope, isInside: false });
        break;
      case 'CapturePattern':
      case 'AsPattern':
      case 'StarPattern':
      case 'TypeParam':
      case 'TypeDefinition':
        for (const part of parts) this.bindAll(part, scope);
        break;
    }
    if (/Comprehension|Generator|ParenthesizedExpression|ArgList/.test(node.name)) between('for', 'in');
  }

  private importNames(node: SyntaxNode, scope: Scope): void {
    const parts = children(node);
    const line = this.lineOf(node.from);
    const isOptional = scope.isOptional || scope.isInside;
    const { isGuarded = false } = scope;
    let at = parts[0]?.name === 'from' ? 1 : 0;
    let level = 0;
    let module = '';
    if (at === 1) {
      for (; parts[at] && parts[at]?.name !== 'import'; at++) {
        const text = this.of(parts[at] as SyntaxNode);
        if (module === '' && /^\.+$/.test(text)) level += text.length;
        else module += text;
      }
    }
    if (!parts[at]) return;
    for (at++; at < parts.length; at++) {
      const part = parts[at] as SyntaxNode;
      if (this.of(part) === '*') {
        this.hasMore = true;
        this.facts.imports.push({ module, level, name: '*', as: '*', line, isOptional });
      }
      if (part.type.isError) this.brokenAt ??= part.from;
      if (part.name !== 'VariableName') continue;
      let name = this.of(part);
      if (parts[0]?.name === 'import')
        for (; parts[at + 1]?.name === '.' && parts[at + 2]; at += 2)
          name += `.${this.of(parts[at + 2] as SyntaxNode)}`;
      const other = parts[at + 1]?.name === 'as' ? parts[at + 2] : undefined;
      if (other) at += 2;
      const as = other ? this.of(other) : (name.split('.')[0] ?? name);
      this.bound.add(as);
      if (!scope.isInside) this.names.add(as);
      const own = parts[0]?.name === 'import' ? { module: name } : { module, name };
      this.facts.imports.push({ ...own, level, as, line: this.lineOf(part.from), isOptional, isGuarded });
    }
  }

  private call(node: SyntaxNode): void {
    const isDecorator = node.name === 'Decorator';
    const parts = children(node);
    const list = parts.find(({ name }) => name === 'ArgList');
    if (!list && !isDecorator) return;
    const callee = isDecorator
      ? parts
          .filter(({ name }) => /^(?:VariableName|PropertyName)$/.test(name))
          .map((part) => this.of(part))
          .join('.')
      : this.dotted(parts[0]);
    const object = parts[0]?.name === 'MemberExpression' ? parts[0].firstChild : null;
    const found: PythonCall = {
      name: callee,
      object: object ? this.value(object) : undefined,
      arguments: [],
      keywords: {},
      line: this.lineOf(node.from),
      isDecorator,
    };
    const given = list ? children(list) : [];
    for (const [at, part] of given.entries()) {
      if (/^(?:[(),]|AssignOp|\*\*?)$/.test(part.name) || given[at + 1]?.name === 'AssignOp') continue;
      const key = given[at - 1]?.name === 'AssignOp' ? given[at - 2] : undefined;
      if (key) found.keywords[this.of(key)] = this.value(part) ?? this.plain(part);
      else found.arguments.push(this.value(part) ?? this.plain(part));
    }
    this.facts.calls.push(found);
    const value = isDecorator ? undefined : this.value(node);
    if (value !== undefined && value !== unknown) this.addText(node, value);
    const [first, otherwise] = found.arguments;
    // What is read with a default is not required.
    if (
      /^(?:os\.)?getenv$|(?:^|\.)environ\.get$/.test(callee) &&
      found.arguments.length === 1 &&
      first &&
      otherwise === undefined
    )
      this.readsRequired(node, first);
    if (
      /^(?:os\.)?getenv$|(?:^|\.)environ\.get$/.test(callee) &&
      found.arguments.length === 1 &&
      first &&
      secretName.test(first) &&
      !/\b(?:or|if)\b/.test(this.of(node.parent ?? node))
    )
      this.facts.environment.push({ name: first, line: found.line, isOptional: true });
    if (/^(?:import_module|importlib\.import_module|__import__)$/.test(callee) && first && !first.includes(unknown))
      this.facts.imports.push({
        module: first.replace(/^\.+/, ''),
        level: /^\.*/.exec(first)?.[0].length ?? 0,
        as: '',
        line: found.line,
        isOptional: first.startsWith('.'),
      });
  }

  /** `int(os.getenv("X"))`, `os.getenv("X").split()`: None fails there. */
  private readsRequired(node: SyntaxNode, name: string): void {
    const outer = node.parent;
    const isMember = outer?.name === 'MemberExpression';
    const isConverted =
      outer?.name === 'ArgList' &&
      /^(?:int|float|Path|len|json\.loads)$/.test(outer.prevSibling ? this.of(outer.prevSibling) : '');
    if (isMember || isConverted) this.addRead(node, name);
  }

  private addRead(node: SyntaxNode, name: string): void {
    if (!/^[A-Za-z_]\w*$/.test(name)) return;
    let isOptional = false;
    for (let outer = node.parent; outer; outer = outer.parent)
      isOptional ||= /^(?:If|Try|While)Statement$|^ConditionalExpression$/.test(outer.name);
    this.facts.environment.push({ name, line: this.lineOf(node.from), isOptional });
  }

  /** `[k for k in REQUIRED if k not in os.environ]`, and `if not TOKEN: raise …` where TOKEN is a variable. */
  private demands(node: SyntaxNode): void {
    const text = this.of(node);
    if (node.name === 'IfStatement') {
      const [, name = ''] =
        /^if\s+(?:not\s+(\w+)|(?:\w+)\s+is\s+None)\s*:\s*(?:raise|sys\.exit|exit)\b/.exec(text) ?? [];
      const other = /^if\s+(\w+)\s+is\s+None\s*:\s*(?:raise|sys\.exit|exit)\b/.exec(text)?.[1] ?? name;
      const value = this.constants.get(other);
      const [, variable] = value
        ? (/^(?:os\.)?(?:getenv|environ\.get)\(\s*["'](\w+)["']\s*(?:,\s*(?:None|""|''))?\s*\)$/.exec(this.of(value)) ??
          [])
        : [];
      if (variable !== undefined && value) this.facts.required.push({ name: variable, line: this.lineOf(value.from) });
      return;
    }
    if (!/not in (?:os\.)?environ|not (?:os\.)?(?:getenv|environ\.get)\(|(?:os\.)?environ\[/.test(text)) return;
    const parts = children(node);
    const list = parts[parts.findIndex(({ name }) => name === 'in') + 1];
    const value = list?.name === 'VariableName' ? this.constants.get(this.of(list)) : list;
    if (!value || !/^(?:Tuple|Array|Set)Expression$/.test(value.name)) return;
    for (const each of children(value)) {
      const name = each.name === 'String' ? this.value(each) : undefined;
      if (name !== undefined && /^[A-Z]\w+$/.test(name))
        this.facts.required.push({ name, line: this.lineOf(each.from) });
    }
  }

  /** Fields of pydantic settings without a default. */
  private settings(node: SyntaxNode): void {
    const parts = children(node);
    const bases = parts.find(({ name }) => name === 'ArgList');
    const body = parts.find(({ name }) => name === 'Body');
    if (
      !bases ||
      !body ||
      !/\bBaseSettings\b/.test(this.of(bases)) ||
      /env_prefix|alias|env_file|env_nested/.test(this.of(body))
    )
      return;
    for (const each of children(body)) {
      const [target, type, operator] = children(each);
      if (each.name !== 'AssignStatement' || target?.name !== 'VariableName' || type?.name !== 'TypeDef' || operator)
        continue;
      if (!/\b(?:Optional|ClassVar|None)\b/.test(this.of(type)))
        this.facts.required.push({
          name:
            (/env_prefix\s*=\s*["'](\w*)["']/.exec(this.of(body))?.[1] ?? '').toUpperCase() +
            this.of(target).toUpperCase(),
          line: this.lineOf(target.from),
        });
    }
  }

  private plain(node: SyntaxNode): string | undefined {
    if (node.name === 'TupleExpression' || node.name === 'ArrayExpression') {
      const [first, second] = children(node).filter(({ name }) => !/^[[\](),]$/.test(name));
      // The command of a process, or an address.
      return first && (this.value(first) ?? (second?.name === 'Number' ? this.of(second) : undefined));
    }
    return node.name === 'Number' || node.name === 'Boolean' ? this.of(node) : undefined;
  }

  private dotted(node: SyntaxNode | undefined): string {
    if (node?.name === 'VariableName') return this.of(node);
    if (node?.name !== 'MemberExpression') return '';
    const last = node.lastChild;
    return last?.name === 'PropertyName' ? `${this.dotted(node.firstChild ?? undefined)}.${this.of(last)}` : '';
  }

  private member(node: SyntaxNode): void {
    const [object, , property] = children(node);
    if (!object || !property) return;
    const isRead = node.parent?.name !== 'AssignStatement' || node.parent.firstChild?.from !== node.from;
    if (property.name === 'String' && this.isEnvironment(this.dotted(object)) && isRead) {
      const name = this.value(property);
      if (name !== undefined) this.addRead(node, name);
    }
    if (property.name === 'PropertyName' && object.name === 'VariableName')
      this.facts.members.push({ object: this.of(object), name: this.of(property), line: this.lineOf(node.from) });
  }

  /** A server has an `environ` for each request, too. */
  private isEnvironment(name: string): boolean {
    return name === 'os.environ' || (name === 'environ' && /^\s*from os import\b.*\benviron\b/m.test(this.text));
  }

  private addText(node: SyntaxNode, value: string): void {
    // Documentation names many files.
    if (node.parent?.name === 'ExpressionStatement' || value.length > 300 || value.includes('\n')) return;
    this.facts.texts.push({ value, line: this.lineOf(node.from) });
  }

  /** The text that an expression gives; undefined if it gives no text, as far as it is known. */
  private value(node: SyntaxNode, depth = 0): string | undefined {
    if (depth > 12) return undefined;
    const parts = children(node);
    const of = (each: SyntaxNode | undefined | null) => (each ? this.value(each, depth + 1) : undefined);
    switch (node.name) {
      case 'String':
        return stringValue(this.of(node));
      case 'ContinuedString':
        return parts.map((part) => of(part) ?? unknown).join('');
      case 'FormatString': {
        let text = '';
        let from = node.from;
        for (const part of parts) {
          if (part.name !== 'FormatReplacement') continue;
          const inner = part.firstChild?.nextSibling;
          text += this.text.slice(from, part.from) + (of(inner) ?? unknown);
          from = part.to;
        }
        return stringValue(text + this.text.slice(from, node.to));
      }
      case 'ParenthesizedExpression':
        return of(parts[1]);
      case 'VariableName': {
        const name = this.of(node);
        if (name === '__file__') return appFolder + this.path;
        const constant = this.constants.get(name);
        return constant && (constant.from < node.from ? of(constant) : undefined);
      }
      case 'BinaryExpression': {
        const [left, operator, right] = parts;
        const kind = operator ? this.of(operator) : '';
        const [one, other] = [of(left), of(right)];
        if (kind === '+' && (one !== undefined || other !== undefined)) return (one ?? unknown) + (other ?? unknown);
        // A division has no text on its right.
        return kind === '/' && other !== undefined ? joined(one ?? unknown, other) : undefined;
      }
      case 'MemberExpression': {
        const [object, , property] = parts;
        const name = property ? this.of(property) : '';
        if (name === 'parent') {
          const inner = of(object);
          return inner === undefined ? undefined : parent(inner);
        }
        if (object?.name === 'MemberExpression' && this.of(object).endsWith('.parents')) {
          let inner = of(object.firstChild);
          for (let up = Number(name) + 1; inner !== undefined && up > 0; up--) inner = parent(inner);
          return inner;
        }
        return undefined;
      }
      case 'CallExpression': {
        const callee = parts[0] ? this.of(parts[0]) : '';
        const list = parts.find(({ name }) => name === 'ArgList');
        const given = list ? children(list).filter(({ name }) => !/^(?:[(),]|AssignOp)$/.test(name)) : [];
        if (/(?:^|\.)dirname$/.test(callee)) {
          const inner = of(given[0]);
          return inner === undefined ? undefined : parent(inner);
        }
        if (/(?:^|path\.)join$/.test(callee) && !/^["']/.test(callee) && given.length > 1)
          return given.map((each) => of(each) ?? unknown).reduce(joined);
        if (/\.(?:joinpath|with_name)$/.test(callee)) {
          const base = of(parts[0]?.firstChild) ?? unknown;
          return given
            .map((each) => of(each) ?? unknown)
            .reduce(joined, callee.endsWith('with_name') ? parent(base) : base);
        }
        if (/(?:getenv|environ\.get)$/.test(callee)) return of(given[1]) ?? (given[1] && this.plain(given[1]));
        if (callee === 'int') return of(given[0]);
        if (samePath.test(callee)) return given.length > 0 ? of(given[0]) : of(parts[0]?.firstChild);
        return undefined;
      }
      default:
        return undefined;
    }
  }
}

interface Scope {
  /** Inside of a function or a class. */
  isInside: boolean;
  isOptional: boolean;
  isGuarded?: boolean;
}

function innerScope(node: SyntaxNode, scope: Scope): Scope {
  if (/^(?:FunctionDefinition|ClassDefinition|LambdaExpression)$/.test(node.name) || /Comprehension/.test(node.name))
    return { ...scope, isInside: true };
  return node.name === 'IfStatement' ? { ...scope, isOptional: true } : scope;
}

function stringValue(text: string): string | undefined {
  const [, prefix = '', , body] = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/.exec(text) ?? [];
  if (body === undefined || /b/i.test(prefix)) return undefined;
  return /r/i.test(prefix) ? body : body.replace(/\\([\\'"])/g, '$1');
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
}
