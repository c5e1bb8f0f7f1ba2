import { groupsOf } from '../../kernel/groups.ts';
import type { VariableRead } from './facts.ts';
import type { PythonTexts } from './texts.ts';
import { childOf, isWithin, type PyNode, type PySource } from './tree.ts';

const conditional = new Set(['IfStatement', 'TryStatement', 'WhileStatement', 'ConditionalExpression']);
const functions = new Set(['FunctionDefinition', 'LambdaExpression']);
const readsOptional = /(?:^|\.)(?:getenv|environ\.get)$/;
/** What a loop over names does with those that are not set: it looks for them, or reads them as if they were. */
const looksForMissing = /not in (?:os\.)?environ|not (?:os\.)?(?:getenv|environ\.get)\(/;
const readsAll = /environ\[[^\]]*\](?!\s*=[^=])/;
const goesOnWithout = /(?<!not )\bin (?:os\.)?environ\b|\bexcept\b/;
/** A test that each of its variables is there: not one that any of them will do for. */
const needsEach =
  /^\(?not \((?!.*\bor\b)|^(?!.*\b(?:and|any)\b|.*\bnot \()(?:\(?not\b|.*(?:\bis None\b|== ?["']["']))/s;
/** Settings whose fields come from elsewhere as well, or have other names. */
const readOtherwise =
  /env_nested|alias_generator|case_sensitive\s*=\s*True|secrets_dir|customise_sources|(?:yaml|toml|json)_file|env_file\s*=\s*(?!["']\.env["']|None)|\bfields\s*=/;
const givesNoDefault = /^(?:\.{3}$|(?:\w+\.)?Field\((?!.*\bdefault(?:_factory)?\s*=)\s*(?:\.{3}|\w+\s*=|\)))/s;
/** Names that apps give to what they cannot do without, not to switches. */
const credential = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|DSN|URL|URI)$/;

export class PythonVariables {
  readonly found: VariableRead[] = [];

  constructor(
    private readonly source: PySource,
    private readonly texts: PythonTexts,
  ) {}

  private add(name: string | undefined, node: PyNode, isNeeded: VariableRead['isNeeded']): void {
    if (name !== undefined && /^[A-Za-z_]\w*$/.test(name))
      this.found.push({ name, line: this.source.lineOf(node.from), isNeeded });
  }

  /** `os.environ["X"]`. */
  member(node: PyNode): void {
    const [object, , property] = node.children;
    if (property?.kind !== 'String' || !/(?:^|os\.)environ$/.test(this.source.dotted(object))) return;
    const isSet = node.parent?.kind === 'AssignStatement' && node.index === 0;
    const name = this.texts.value(property);
    this.add(name, node, isSet ? 'set' : this.sureness(node, name));
  }

  private sureness(node: PyNode, name = ''): VariableRead['isNeeded'] {
    if (this.isHandled(node, name)) return 'no';
    return isWithin(node, conditional) || isWithin(node, functions) ? 'sometimes' : 'always';
  }

  /** Whether the code around it asks whether there is one, or goes on without: `if "X" in os.environ:`, `except KeyError:`. */
  private isHandled(node: PyNode, name: string): boolean {
    const names = [`"${name}"`, `'${name}'`];
    let inner = node;
    for (let outer = node.parent; outer; inner = outer, outer = outer.parent) {
      const others = outer.children.filter((each) => each !== inner);
      if (others.some(({ kind, children }) => kind === 'Body' && children.some((each) => this.ends(each)))) continue;
      const { kind } = outer;
      const isCaught = kind === 'TryStatement' && inner.index === 1 && childOf(outer, 'except');
      const isNamed = (each: PyNode) =>
        each.kind !== 'Body' && names.some((text) => this.source.of(each).includes(text));
      if (isCaught || (tests.has(kind) && others.some(isNamed))) return true;
    }
    return false;
  }

  /** `os.getenv("X")` without another value: None fails where a text is needed. */
  call(node: PyNode): void {
    const callee = this.source.dotted(node.children[0]);
    const [first, other] = this.source.given(node);
    const name = first && this.texts.value(first.value);
    if (name !== undefined && !other && this.isReader(callee, name)) this.add(name, node, this.sureness(node));
    if (/(?:^|\.)environ\.setdefault$/.test(callee)) this.add(name, node, 'set');
    if (!readsOptional.test(callee) || name === undefined || other) return;
    if (this.needsText(node)) this.add(name, node, this.sureness(node, name));
    else this.add(name, node, credential.test(name) && !this.isTested(node) ? 'sometimes' : 'no');
  }

  /** `env("X")` of django-environ and environs, `config("X")` of python-decouple: without a default, they raise. */
  private isReader(callee: string, name: string): boolean {
    const { text } = this.source;
    if (/^config(?:\.|$)/.test(callee)) return callee === 'config' && /^from decouple import/m.test(text);
    const isEnv = /^env(?:\.(?:str|int|float|bool|list|json|url|db|db_url|cache|cache_url))?$/.test(callee);
    return isEnv && /^(?:import environ$|from environs? import)/m.test(text) && !text.includes(`${name}=(`);
  }

  private needsText(node: PyNode): boolean {
    return node.parent?.kind === 'MemberExpression' || /^(?:int|float|Path|len|json\.loads)$/.test(this.taker(node));
  }

  private taker({ parent }: PyNode): string {
    return parent?.kind === 'ArgList' ? this.source.dotted(parent.parent?.children[0]) : '';
  }

  /** Whether the code asks if there is one: `x = os.getenv("X") or …`, `if not TOKEN:`. */
  private isTested(node: PyNode): boolean {
    if (isWithin(node, tests) || this.taker(node) === 'bool') return true;
    const name = node.parent?.kind === 'AssignStatement' ? this.source.dotted(node.parent.children[0]) : '';
    if (name === '') return false;
    return new RegExp(
      `\\b(?:if|elif|while|assert|and|or|not)\\s+${name}\\b|\\b${name}\\s+(?:or|and|if|is|else)\\b|\\(${name}\\)|\\b(?:all|any)\\(.*\\b${name}\\b`,
    ).test(this.source.text);
  }

  /** `if not TOKEN: raise …`, and `if not (A and B): sys.exit(1)`, of variables that are read above. */
  condition(node: PyNode): void {
    const test = node.children[1];
    const ends = childOf(node, 'Body')?.children.some((each) => this.ends(each));
    if (!test || !ends || !needsEach.test(this.source.of(test))) return;
    const values = within(test, 'VariableName').map((each) => this.texts.constants.get(this.source.of(each)));
    for (const each of [...values, ...within(test, 'CallExpression')]) this.demand(each, this.sureness(node));
  }

  private ends({ kind, children: [value] }: PyNode): boolean {
    const isExit =
      value?.kind === 'CallExpression' && /^(?:sys\.|os\._)?exit$/.test(this.source.dotted(value.children[0]));
    return kind === 'RaiseStatement' || (kind === 'ExpressionStatement' && isExit);
  }

  private demand(value: PyNode | undefined, isNeeded: VariableRead['isNeeded']): void {
    if (value?.kind !== 'CallExpression' || !readsOptional.test(this.source.dotted(value.children[0]))) return;
    const [first, other] = this.source.given(value);
    if (first && !(other && this.texts.value(other.value))) this.add(this.texts.value(first.value), value, isNeeded);
  }

  /** `[name for name in REQUIRED if name not in os.environ]`. */
  loop(node: PyNode): void {
    const at = node.children.findIndex(({ kind }) => kind === 'in');
    const names = this.texts.listed(node.children[at + 1]);
    const text = this.source.of(node);
    if (!looksForMissing.test(text) && (!readsAll.test(text) || goesOnWithout.test(text))) return;
    for (const each of names) this.add(each.value, each.node, this.sureness(node));
  }

  /** Fields of pydantic settings without a default. */
  settings(node: PyNode): void {
    const body = childOf(node, 'Body');
    if (!body || !/\bBaseSettings\b/.test(this.source.of(childOf(node, 'ArgList')))) return;
    const said = this.source.of(node);
    const [, prefix = ''] = groupsOf(/env_prefix\s*=\s*["'](\w*)["']/, said);
    if (readOtherwise.test(said)) return;
    for (const each of body.children) this.field(each, prefix);
  }

  private field(node: PyNode, prefix: string): void {
    const [target, type, , value] = node.children;
    if (node.kind !== 'AssignStatement' || target?.kind !== 'VariableName' || type?.kind !== 'TypeDef') return;
    if (/^_|\b(?:Optional|ClassVar|None)\b/.test(this.source.of(node))) return;
    const given = value?.kind === 'CallExpression' ? this.source.given(value) : [];
    const alias = given.find(({ key }) => /^(?:(?:validation_)?alias|env)$/.test(key ?? ''));
    if (value && !givesNoDefault.test(this.source.of(value))) return;
    const name = alias ? this.texts.value(alias.value) : (prefix + this.source.of(target)).toUpperCase();
    this.add(name, target, this.sureness(node));
  }
}

const tests = new Set([...conditional, 'BinaryExpression', 'AssertStatement', 'UnaryExpression']);

const within = (node: PyNode, kind: string): PyNode[] =>
  node.kind === kind ? [node] : node.children.flatMap((each) => within(each, kind));
