import { posix } from 'node:path';
import { compileGlob } from './files/glob.ts';

/**
 * Whether a Dockerfile uses a file at the top of the build context: it copies it by name, or copies everything and names
 * it in another instruction.
 */
export function usesFile(dockerfile: string, name: string): boolean {
  const instructions = parseInstructions(dockerfile);
  const sources = instructions
    .flatMap(contextSources)
    .map((path) => posix.normalize(path).replace(/^(\.?\/)+|\/$/g, ''));
  if (sources.some((source) => source === name || matchesGlob(source, name))) return true;
  const copiesAll = sources.some((source) => ['', '.', '*', '**'].includes(source));
  return copiesAll && instructions.some(({ rest }) => mentions(rest, name));
}

interface Instruction {
  keyword: string;
  rest: string;
}

/** Joins continued lines. Comments within them are dropped, as Docker does. */
function parseInstructions(dockerfile: string): Instruction[] {
  return dockerfile
    .replace(/^\s*#.*$\r?\n?/gm, '')
    .replace(/[\\`][ \t]*\r?\n/g, ' ')
    .split(/\r?\n/)
    .flatMap((line) => {
      const [, keyword, rest] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
      return keyword === undefined || rest === undefined ? [] : [{ keyword: keyword.toUpperCase(), rest }];
    });
}

/** What an instruction takes from the build context. */
function contextSources({ keyword, rest }: Instruction): string[] {
  if (keyword === 'RUN')
    return [...rest.matchAll(/--mount=\S*\b(?:source|src)=([^,\s]+)/g)].map(([, path = '']) => path);
  if ((keyword !== 'COPY' && keyword !== 'ADD') || /^(--\S+\s+)*--from=/.test(rest)) return [];
  return parseWords(rest.replace(/^(--\S+\s+)+/, '')).slice(0, -1);
}

function parseWords(text: string): string[] {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words)) return words.map(String);
  } catch {
    // Not the JSON form.
  }
  return text.trim().split(/\s+/);
}

const matchesGlob = (source: string, name: string) =>
  /[*?[]/.test(source) && !/^\*+$/.test(source) && compileGlob(source)?.matches(name) === true;

function mentions(text: string, name: string): boolean {
  return text.split(/[\s"',;=&|()]+/).some((word) => posix.basename(word) === name);
}
