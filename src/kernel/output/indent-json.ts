import { tryParseJson } from '../json-text.ts';

/** JSON on several lines, each value as it was written. Returns other text, and what is nested too deep, unchanged. */
export function indentJson(text: string): string {
  if (tryParseJson(text) === undefined) return text;
  let depth = 0;
  let deepest = 0;
  const lineBreak = () => `\n${'  '.repeat(Math.min(depth, maxDepth))}`;
  // Strings stay as they are; so do empty lists and objects.
  const indented = text.replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[{]|[\]}]|,|:|\s+|[^\s"[\]{},:]+/g, (token) => {
    if (token === '[' || token === '{') {
      depth += 1;
      deepest = Math.max(deepest, depth);
      return token + lineBreak();
    }
    if (token === ']' || token === '}') {
      depth -= 1;
      return lineBreak() + token;
    }
    if (token === ',') return token + lineBreak();
    if (token === ':') return ': ';
    // White space, and that of empty lists and objects.
    return token.startsWith('"') ? token : token.replace(/\s+/g, '');
  });
  if (deepest > maxDepth) return text;
  return indented + (text.endsWith('\n') ? '\n' : '');
}

const maxDepth = 50;
