import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/**
 * A node of the syntax tree (ESTree, with the nodes of TypeScript). Offsets count UTF-16 units.
 * @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node
 */
/** @typedef {{ file: string, text: string, program: Node }} Source */

/** @param {string} root @returns {string[]} Paths of the TypeScript files below `src/`, sorted. */
export function listSources(root) {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => join('src', path))
    .sort();
}

/** @param {string} root @param {string} file relative to the root @returns {Source} */
export function readSource(root, file) {
  return parseSource(file, readFileSync(join(root, file), 'utf8'));
}

/** @param {string} file @param {string} text @returns {Source} */
export function parseSource(file, text) {
  return { file, text, program: /** @type {Node} */ (/** @type {unknown} */ (parseAst(text, { lang: 'ts' }, file))) };
}

/** Calls back for each node below `node`, parents first, with its ancestors. The callback returns false to skip its children.
 * @param {Node} node @param {(node: Node, ancestors: Node[]) => unknown} visit @param {Node[]} [ancestors] */
export function walk(node, visit, ancestors = []) {
  if (visit(node, ancestors) === false) return;
  const inside = [...ancestors, node];
  for (const child of children(node)) walk(child, visit, inside);
}

/** @param {Source} source @returns {Node[]} Functions that have a body, outer ones first. */
export function listFunctions({ program }) {
  /** @type {Node[]} */
  const functions = [];
  walk(program, (node) => {
    if (isFunction(node) && node.body) functions.push(node);
  });
  return functions;
}

/** @param {Node} node */
export function isFunction({ type }) {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

/** @param {string} text @param {number} offset @returns {number} Counted from 1. */
export function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

/** @param {Node} node @returns {Node[]} */
function children(node) {
  return Object.entries(node)
    .filter(([key]) => key !== 'typeAnnotation' && key !== 'typeParameters' && key !== 'returnType')
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === 'object' && value !== null && typeof value.type === 'string');
}
