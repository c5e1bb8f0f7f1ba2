import { parseStatements, type Token, topLevelStatements } from './python.ts';

interface Parameter {
  name: string;
  /** The first word of its annotation; empty without one. */
  type: string;
  hasDefault: boolean;
}

/** The parameters that a call of a top-level function must give. */
export function requiredParameters(source: Buffer, name: string): Parameter[] {
  return parametersOf(source, name).filter(({ hasDefault }) => !hasDefault);
}

/** Those that a call can give. Never throws; empty for an unknown function. */
export function parametersOf(source: Buffer, name: string): Parameter[] {
  for (const { tokens } of topLevelStatements(parseStatements(source.toString('latin1')))) {
    const at = tokens[0]?.text === 'async' ? 1 : 0;
    if (tokens[at]?.text === 'def' && decode(tokens[at + 1]) === name) return parametersIn(tokens.slice(at + 3));
  }
  return [];
}

/** Takes the tokens behind the opening parenthesis. */
function parametersIn(tokens: readonly Token[]): Parameter[] {
  const parameters: Token[][] = [[]];
  let depth = 1;
  /** Between `lambda` and its colon, commas separate its own parameters. */
  let isLambda = false;
  for (const token of tokens) {
    if ('([{'.includes(token.text)) depth += 1;
    if (')]}'.includes(token.text)) depth -= 1;
    if (depth === 0) break;
    if (token.text === 'lambda' || token.text === ':') isLambda = token.text === 'lambda';
    if (depth === 1 && token.text === ',' && !isLambda) parameters.push([]);
    else parameters.at(-1)?.push(token);
  }
  return parameters.flatMap(toParameter);
}

/** Skips what collects further arguments (`*args`), or only separates others (`/`, `*`). */
function toParameter(tokens: readonly Token[]): Parameter[] {
  const [name, colon, type] = tokens;
  if (!name || !/^\w/.test(name.text)) return [];
  const hasDefault = tokens.some(({ text }) => text === '=');
  return [{ name: decode(name), type: colon?.text === ':' ? decode(type) : '', hasDefault }];
}

function decode(token: Token | undefined): string {
  return Buffer.from(token?.text ?? '', 'latin1').toString('utf8');
}
