import { groupsOf } from '../../kernel/groups.ts';
import { appFolder, unknown } from './facts.ts';
import type { PyNode, PySource } from './tree.ts';

type Evaluate = (node: PyNode | undefined) => string | undefined;

/** Texts that expressions give, as far as they are known: strings, paths, and numbers that calls are given. */
export class PythonTexts {
  readonly constants = new Map<string, PyNode | undefined>();

  constructor(
    readonly source: PySource,
    readonly path: string,
  ) {
    for (const each of source.definitions) this.define(each);
  }

  private define({ kind, children }: PyNode): void {
    // A parameter or the variable of a loop has many values.
    if (kind === 'ParamList' || kind === 'ForStatement')
      for (const each of children)
        if (each.kind === 'VariableName') this.constants.set(this.source.of(each), undefined);
    const target = children[0];
    const value = children.at(-1);
    if (kind !== 'AssignStatement' || target?.kind !== 'VariableName' || !value || children.length < 3) return;
    const name = this.source.of(target);
    this.constants.set(name, this.constants.has(name) ? undefined : value);
  }

  /** Undefined if it gives no text; `unknown` in it stands for what is not known. */
  value(node: PyNode | undefined, depth = 0): string | undefined {
    const kind = node && kinds[node.kind];
    return kind && depth < 12 ? kind(this, node, (each) => this.value(each, depth + 1)) : undefined;
  }

  /** The text that a call is given: numbers, too, and the program of a command. */
  argument(node: PyNode): string | undefined {
    return this.value(node) ?? this.plain(node);
  }

  private plain(node: PyNode): string | undefined {
    if (node.kind === 'Number' || node.kind === 'Boolean' || node.kind === 'Ellipsis') return this.source.of(node);
    if (node.kind !== 'TupleExpression' && node.kind !== 'ArrayExpression') return undefined;
    const [first, second] = node.children.filter(({ kind }) => !/^[[\](),]$/.test(kind));
    // The command of a process, or an address with its port.
    const port = second?.kind === 'Number' ? this.source.of(second) : this.value(second);
    const text = this.value(first);
    return text !== undefined && /^\d+$/.test(port ?? '') ? `${text}:${port}` : text;
  }

  listed(node: PyNode | undefined): { value: string; node: PyNode }[] {
    const list = node?.kind === 'VariableName' ? this.constants.get(this.source.of(node)) : node;
    if (!list || !/^(?:Tuple|Array|Set)Expression$/.test(list.kind)) return [];
    return list.children.flatMap((each) => {
      const value = each.kind === 'String' ? this.value(each) : undefined;
      return value === undefined ? [] : [{ value, node: each }];
    });
  }

  values(): Map<string, string> {
    const texts = new Map<string, string>();
    for (const [name, node] of this.constants) {
      const text = node && node.to - node.from < 120 ? this.argument(node) : undefined;
      if (text !== undefined) texts.set(name, text);
    }
    return texts;
  }
}

type TextReader = (texts: PythonTexts, node: PyNode, evaluate: Evaluate) => string | undefined;

const kinds: Readonly<Record<string, TextReader>> = {
  String: (texts, node) => stringValue(texts.source.of(node)),
  ContinuedString: (_, { children }, evaluate) => children.map((each) => evaluate(each) ?? unknown).join(''),
  FormatString: formatted,
  ParenthesizedExpression: (_, { children }, evaluate) => evaluate(children[1]),
  VariableName: named,
  BinaryExpression: joinedBy,
  MemberExpression: folderOf,
  CallExpression: called,
};

function formatted(texts: PythonTexts, { from, to, children }: PyNode, evaluate: Evaluate): string | undefined {
  let text = '';
  let at = from;
  for (const part of children) {
    if (part.kind !== 'FormatReplacement') continue;
    text += texts.source.text.slice(at, part.from) + (evaluate(part.children[1]) ?? unknown);
    at = part.to;
  }
  return stringValue(text + texts.source.text.slice(at, to));
}

function named(texts: PythonTexts, node: PyNode, evaluate: Evaluate): string | undefined {
  const name = texts.source.of(node);
  if (name === '__file__') return appFolder + texts.path;
  const constant = texts.constants.get(name);
  if (!constant || constant.from >= node.from) return undefined;
  return constant.kind === 'Number' ? texts.source.of(constant) : evaluate(constant);
}

function joinedBy(texts: PythonTexts, { children }: PyNode, evaluate: Evaluate): string | undefined {
  const [left, operator, right] = children;
  const sign = texts.source.of(operator);
  if (sign !== '+' && sign !== '/') return undefined;
  const leftText = evaluate(left);
  const other = evaluate(right);
  if (sign === '+')
    return leftText === undefined && other === undefined ? undefined : (leftText ?? unknown) + (other ?? unknown);
  // A division has no text on its right.
  return other === undefined || right?.kind === 'Number' ? undefined : joined(leftText, other);
}

/** `Path(__file__).parent`, `.parents[1]`. */
function folderOf(texts: PythonTexts, { children: [object, , property] }: PyNode, evaluate: Evaluate) {
  const name = texts.source.of(property);
  const isNumbered = object?.kind === 'MemberExpression' && texts.source.of(object).endsWith('.parents');
  if (name !== 'parent' && !isNumbered) return undefined;
  return isNumbered ? parents(evaluate(object.children[0]), Number(name) + 1) : parents(evaluate(object));
}

function called(texts: PythonTexts, node: PyNode, evaluate: Evaluate): string | undefined {
  const [callee] = node.children;
  const [object] = callee?.kind === 'MemberExpression' ? callee.children : [];
  const given = texts.source.given(node).map(({ value }) => value);
  const call = calls.get(texts.source.of(object ? callee?.children.at(-1) : callee));
  return call?.({ texts, object, given, evaluate });
}

interface TextCall {
  texts: PythonTexts;
  object: PyNode | undefined;
  given: PyNode[];
  evaluate: Evaluate;
}

const same = ({ object, given, evaluate }: TextCall) => evaluate(given[0] ?? object);
const onlySame = ({ given, evaluate }: TextCall) => evaluate(given[0]);
const otherwise = ({ texts, given }: TextCall) => given[1] && texts.argument(given[1]);
const pathOf = ({ given, evaluate }: TextCall) => (given.length > 0 ? given.map(evaluate).reduce(joined) : '');
const below = ({ object, given, evaluate }: TextCall) => given.map(evaluate).reduce(joined, evaluate(object));

/** Calls that give a text, by the last part of the name of what is called. */
const calls = new Map<string, (call: TextCall) => string | undefined>(
  Object.entries({
    dirname: ({ given, evaluate }) => parents(evaluate(given[0])),
    // Texts and threads have one as well, of one value or none.
    join: (call) => (call.given.length < 2 ? undefined : pathOf(call)),
    joinpath: below,
    // Of importlib.resources.
    files: ({ given, evaluate }) => evaluate(given[0])?.replaceAll('.', '/'),
    with_name: ({ object, given, evaluate }) => joined(parents(evaluate(object)), evaluate(given[0])),
    getenv: otherwise,
    get: (call) => (/\benviron$/.test(call.texts.source.of(call.object)) ? otherwise(call) : undefined),
    int: onlySame,
    str: onlySame,
    Path: pathOf,
    PurePath: pathOf,
    abspath: onlySame,
    realpath: onlySame,
    normpath: onlySame,
    fspath: onlySame,
    resolve: same,
    absolute: same,
    expanduser: same,
    as_posix: same,
  }),
);

function parents(path: string | undefined, times = 1): string | undefined {
  if (path === undefined) return undefined;
  const isOwn = path.startsWith(appFolder);
  const parts = (isOwn ? path.slice(1) : path).split('/').filter(Boolean);
  for (let up = 0; up < times; up++) {
    const last = parts.at(-1);
    if (last?.includes(unknown)) return unknown;
    if (isOwn && (last ?? '..') === '..') parts.push('..');
    else parts.pop();
  }
  const start = path.startsWith('/') ? '/' : '';
  return (isOwn ? appFolder : start) + parts.join('/');
}

const joined = (one = unknown, other = unknown) => {
  if (other.startsWith('/') || one === '') return other;
  return one === appFolder ? one + other : `${one}/${other}`;
};

function stringValue(text: string): string | undefined {
  const [, prefix = '', , body] = groupsOf(/^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/, text);
  if (body === undefined || /b/i.test(prefix)) return undefined;
  return /r/i.test(prefix) ? body : body.replace(/\\([\\'"])/g, '$1');
}
