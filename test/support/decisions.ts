import { parseAst } from 'rolldown/parseAst';

/** A function whose body is longer than a glance. */
export interface Body {
  /** Of its first line. */
  line: number;
  /** Lines of code: neither empty nor a comment. */
  lines: number;
  /** if, for, while, case, catch, &&, ||, ?? and ?:, of functions inside of it as well. */
  decisions: number;
}

const deciding =
  /^(IfStatement|For(Of|In)?Statement|(Do)?WhileStatement|CatchClause|LogicalExpression|ConditionalExpression)$/;

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** The bodies of the functions of a file that have more than so many lines. */
export function bodiesIn(source: string, moreThan: number): Body[] {
  const bodies: Body[] = [];
  const lines = source.split('\n');
  const starts = [...source.matchAll(/^/gm)].map(({ index }) => index);
  const lineOf = (at: number) => starts.findLastIndex((start) => start <= at) + 1;
  const visit = (value: unknown, around: Body[]): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, around);
    if (!isNode(value)) return;
    if (decides(value)) for (const body of around) body.decisions++;
    const inside = [...around];
    const block = value.body;
    if (isNode(block) && block.type === 'BlockStatement' && value.type.includes('Function')) {
      const first = lineOf(block.start);
      const code = lines.slice(first, lineOf(block.end) - 1).filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line));
      inside.push({ line: first, lines: code.length, decisions: 0 });
    }
    for (const field of Object.values(value)) visit(field, inside);
    for (const body of inside.slice(around.length)) if (body.lines > moreThan) bodies.push(body);
  };
  visit(parseAst(source, { lang: 'ts' }).body, []);
  return bodies;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function decides({ type, test, operator }: Node): boolean {
  if (type === 'SwitchCase') return Boolean(test);
  return deciding.test(type) || (type === 'AssignmentExpression' && /^(&&|\|\||\?\?)=$/.test(String(operator)));
}
