import type { ClassFacts, Parameters } from './facts.ts';
import { childOf, nodeAfter, nodeBefore, type PyNode, type PySource } from './tree.ts';

/** Bases whose classes have no other members than these. */
const bases: Readonly<Record<string, RegExp>> = {
  object: /^$/,
  ABC: /^$/,
  NamedTuple: /^_\w+$|^(?:count|index)$/,
  BaseModel: /^(?:model_\w+|dict|json|copy|construct|validate|parse_\w+|schema\w*|from_orm|update_forward_refs)$/,
  BaseSettings: /^(?:model_\w+|dict|json|copy|construct|validate|parse_\w+|schema\w*|settings_\w+)$/,
};

/** Undefined if a function takes any, or if a decorator may change them. */
export function readParameters(
  { children, parent }: PyNode,
  source: PySource,
  isMethod: boolean,
): Parameters | undefined {
  const list = children.find(({ kind }) => kind === 'ParamList')?.children ?? [];
  const before = parent?.kind === 'DecoratedStatement' ? source.of(parent) : 'def';
  const isKnown = /^(?:@(?:static|class)method\s+(?:async\s+)?)?def\b/.test(before);
  const names = list.filter(isParameter);
  const textsOf = (nodes: readonly PyNode[]) => nodes.map((each) => source.of(each));
  if (!isKnown || list.some(takesAny)) return undefined;
  return {
    names: new Set(textsOf(names)),
    placed: textsOf(beforeStar(names)),
    takesMore: list.some(takesRest),
    required: textsOf(names.filter((each) => !hasDefault(each))),
    kind: isMethod ? (kinds[before.slice(0, 3)] ?? 'method') : 'function',
  };
}

const kinds: Readonly<Record<string, Parameters['kind']>> = { '@st': 'function', '@cl': 'classmethod' };
const takesAny = ({ kind }: PyNode) => kind === '**' || kind === '/' || kind === '⚠';
const takesRest = (node: PyNode) => node.kind === 'VariableName' && nodeBefore(node)?.kind === '*';
const isParameter = (node: PyNode) =>
  node.kind === 'VariableName' && !/^(?:AssignOp|\*)$/.test(nodeBefore(node)?.kind ?? '');

/** What comes after a star, or after what takes the rest, has to be named. */
const beforeStar = (names: readonly PyNode[]) =>
  names.filter(({ parent, index }) => !parent?.children.slice(0, index).some(({ kind }) => kind === '*'));

const hasDefault = (parameter: PyNode) => {
  const next = nodeAfter(parameter);
  return (next?.kind === 'TypeDef' ? nodeAfter(next) : next)?.kind === 'AssignOp';
};

/** What a class at the top of a file has, and what makes it if that is written in its fields. */
export function readClass(node: PyNode, source: PySource): [facts: ClassFacts, made: Parameters | undefined] {
  const text = source.of(node);
  const { before, names, base } = headOf(node, source);
  const body = childOf(node, 'Body')?.children ?? [];
  const members = new Set([...body.flatMap((each) => namesOf(each, source)), ...setIn(text)]);
  const isOpen = base === undefined || !(before === '' || ofData.test(before)) || mayHaveMore.test(text);
  const more = bases[base ?? ''] ?? /^/;
  const facts = { bases: names, members: isOpen ? undefined : members, more, used: usedIn(node, source) };
  const isMade = hasFields(before, base) && !/\b(?:__init__|KW_ONLY|init=False|InitVar)\b/.test(text);
  return [facts, isMade ? fieldsOf(body, source, /kw_only=True/.test(before)) : undefined];
}

/** Its decorators, and its bases; `base` is undefined if there are some that are not known. */
function headOf(node: PyNode, source: PySource): { before: string; names: string[]; base: string | undefined } {
  const given = childOf(node, 'ArgList')?.children ?? [];
  const before = source.text.slice(
    node.parent?.kind === 'DecoratedStatement' ? node.parent.from : node.from,
    node.from,
  );
  const named = given.filter(({ kind }) => /^(?:VariableName|MemberExpression)$/.test(kind));
  const names = named.map((each) => source.of(each));
  const base = names.length === 0 ? 'object' : names.join(' ').replace(/^.*\./, '');
  const isKnown = Object.hasOwn(bases, base) && !given.some(({ kind }) => kind === 'AssignOp');
  return { before, names, base: isKnown ? base : undefined };
}

const ofData = /^@(?:dataclasses\.)?dataclass(?:\((?:(?:frozen|slots|order|eq|kw_only)=\w+,?\s*)*\))?\s*$/;
const hasFields = (before: string, base: string | undefined) =>
  base === 'NamedTuple' || (base !== undefined && ofData.test(before));
const mayHaveMore = /__getattr|__slots__|(?:has|get)attr\(self|setattr\(|__dict__|extra\s*=\s*["']allow/;

/** What a statement of a class defines. */
function namesOf(node: PyNode, source: PySource): string[] {
  const inner = node.kind === 'DecoratedStatement' ? node.children.at(-1) : node;
  if (/^(?:If|Try|With|For)Statement$/.test(node.kind)) return source.of(node).match(/\w+/g) ?? [];
  const named = (inner?.children ?? []).filter(({ kind }) => kind === 'VariableName');
  return named.map((each) => source.of(each));
}

/** Attributes that methods set, one by one or several at once. */
const setIn = (text: string): string[] =>
  [...text.matchAll(/^.*?\b(?:self|cls)\.\w+[^=\n]*=(?!=)|\bas self\.\w+|\bfor .*self\.\w+.* in /gm)].flatMap(
    ([part]) => [...part.matchAll(/\b(?:self|cls)\.(\w+)/g)].map(([, name = '']) => name),
  );

/** `self.size`, wherever it is read. */
function usedIn(node: PyNode, source: PySource): { name: string; line: number }[] {
  const [object, , property] = node.children;
  const isOwn = node.kind === 'MemberExpression' && object?.kind === 'VariableName' && source.of(object) === 'self';
  const own = isOwn && property ? [{ name: source.of(property), line: source.lineOf(node.from) }] : [];
  const inner = node.children.filter(({ kind }) => kind !== 'ClassDefinition');
  return [...own, ...inner.flatMap((each) => usedIn(each, source))];
}

function fieldsOf(body: readonly PyNode[], source: PySource, isNamed: boolean): Parameters {
  const fields = body.filter(({ kind, children }) => kind === 'AssignStatement' && children[1]?.kind === 'TypeDef');
  const own = fields.filter((each) => !/\bClassVar\b/.test(source.of(each)));
  const nameOf = ({ children: [name] }: PyNode) => source.of(name);
  const isGiven = (each: PyNode) => each.children.some((child) => nodeBefore(child)?.kind === 'AssignOp');
  const names = own.map(nameOf);
  return {
    names: new Set(names),
    placed: isNamed ? [] : names,
    takesMore: false,
    required: own.filter((each) => !isGiven(each)).map(nameOf),
    kind: 'function',
  };
}
