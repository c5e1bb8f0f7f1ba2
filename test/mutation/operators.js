import { isFunction, lineAt, walk } from './source.js';

/** @typedef {import('./source.js').Node} Node @typedef {import('./source.js').Source} Source */
/**
 * One change within one line: the text from `start` to `end` becomes `text`.
 * @typedef {{ file: string, line: number, operator: string, start: number, end: number, text: string }} Mutation
 */
/** @typedef {{ start: number, end: number, text: string }} Edit */
/** @typedef {(node: Node, source: string, parent: Node | undefined) => Edit[]} Operator */

/** @type {Record<string, Operator>} */
const operators = {
  'flip a comparison': (node, source) => (node.type === 'BinaryExpression' ? swapOperator(node, source, flipped) : []),
  'swap && and ||': (node, source) => (node.type === 'LogicalExpression' ? swapOperator(node, source, swapped) : []),
  'negate a condition': (node, source) => {
    if (!/^(If|While|DoWhile)Statement$|^ConditionalExpression$/.test(node.type)) return [];
    return [edit(child(node, 'test'), (text) => `!(${text})`, source)];
  },
  'change a constant': (node, source) => {
    if (node.type !== 'Literal') return [];
    if (typeof node.value === 'boolean') return [edit(node, () => String(!node.value), source)];
    if (typeof node.value !== 'number') return [];
    return [edit(node, (text) => `(${text} + 1)`, source), edit(node, (text) => `(${text} - 1)`, source)];
  },
  'drop a statement': (node, source) => {
    if (node.type !== 'ExpressionStatement' || child(node, 'expression').type === 'Literal') return [];
    return [edit(node, () => ';', source)];
  },
  'drop a call': (node, source) => {
    const callee = node.type === 'CallExpression' ? child(node, 'callee') : undefined;
    const method = callee?.type === 'MemberExpression' ? String(child(callee, 'property').name) : '';
    if (!callee || !droppable.has(method)) return [];
    const { end } = child(callee, 'object');
    return [edit({ ...node, start: end }, () => '', source)];
  },
  'return early': (node, _source, parent) => {
    if (!parent || !isFunction(parent) || node.type !== 'BlockStatement') return [];
    const [, ...later] = /** @type {Node[]} */ (node.body);
    return later
      .filter(({ type }) => /^(Expression|If|For|ForOf|While|Try)Statement$/.test(type))
      .map(({ start }) => ({ start, end: start, text: 'return; ' }));
  },
  'remove an element': (node, source) => {
    if (node.type !== 'ArrayExpression') return [];
    const elements = /** @type {(Node | null)[]} */ (node.elements);
    return elements.flatMap((element) => {
      if (!element || / .* /.test(typeof element.value === 'string' ? element.value : '')) return [];
      const comma = /^\s*,\s*/.exec(source.slice(element.end))?.[0] ?? '';
      return [
        {
          start: element.start,
          end: element.end + (comma.includes('\n') ? comma.indexOf(',') + 1 : comma.length),
          text: '',
        },
      ];
    });
  },
};

/** @type {Record<string, string>} */
const flipped = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
/** @type {Record<string, string>} */
const swapped = { '&&': '||', '||': '&&' };
/** Methods whose result can be replaced by what they are called on. */
const droppable = new Set(
  'filter,slice,sort,toSorted,reverse,toReversed,trim,trimEnd,trimStart,toLowerCase,toUpperCase,replace,replaceAll,padEnd,padStart,concat,flat'.split(
    ',',
  ),
);

/** @param {Source} source @returns {Mutation[]} All mutations of a file. Types, imports and texts are not changed. */
export function listMutations({ file, text, program }) {
  /** @type {Mutation[]} */
  const mutations = [];
  walk(program, (node, ancestors) => {
    if (isSkipped(node)) return false;
    for (const [operator, find] of Object.entries(operators)) {
      for (const found of find(node, text, ancestors.at(-1))) {
        const isOneLine = !text.slice(found.start, found.end).includes('\n');
        if (isOneLine && !signals(text, found.start))
          mutations.push({ file, line: lineAt(text, found.start), operator, ...found });
      }
    }
    return true;
  });
  return mutations;
}

/** @param {string} text @param {Edit} edit */
export function applyEdit(text, { start, end, text: changed }) {
  return text.slice(0, start) + changed + text.slice(end);
}

/** A line that sends a signal: another one, or one to another process, would reach beyond the tests.
 * @param {string} text @param {number} offset */
function signals(text, offset) {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /\bkill\(/.test(text.slice(start).split('\n', 1)[0] ?? '');
}

/** Types, imports, and the examples in a command's help. @param {Node} node */
function isSkipped(node) {
  const isType = /^TS/.test(node.type) && !/^TS(As|Satisfies|NonNull)Expression$|^TSParameterProperty$/.test(node.type);
  const isExample = node.type === 'Property' && /^(examples|json)$/.test(String(child(node, 'key').name));
  return isType || isExample || node.type === 'ImportDeclaration';
}

/** @param {Node} node @param {string} source @param {Record<string, string>} others @returns {Edit[]} */
function swapOperator(node, source, others) {
  const operator = String(node.operator);
  const other = others[operator];
  if (other === undefined) return [];
  const start = source.indexOf(operator, child(node, 'left').end);
  return [{ start, end: start + operator.length, text: other }];
}

/** @param {Node} node @param {(text: string) => string} change @param {string} source @returns {Edit} */
function edit({ start, end }, change, source) {
  return { start, end, text: change(source.slice(start, end)) };
}

/** @param {Node} node @param {string} key */
function child(node, key) {
  return /** @type {Node} */ (node[key]);
}
