import { posix } from 'node:path';
import type { FileLocation } from '../kernel/errors.ts';
import { compileGlob } from './files/glob.ts';

/**
 * Whether a Dockerfile uses a file of the build context: it copies it or its folder by name, or copies everything and names
 * it in another instruction.
 */
export function usesFile(dockerfile: string, name: string): boolean {
  const instructions = parseInstructions(dockerfile);
  const sources = instructions
    .flatMap(contextSources)
    .map((path) => posix.normalize(path).replace(/^(\.?\/)+|\/$/g, ''));
  if (sources.some((source) => source === name || name.startsWith(`${source}/`) || matchesGlob(source, name)))
    return true;
  const copiesAll = sources.some((source) => ['', '.', '*', '**'].includes(source));
  return copiesAll && instructions.some(({ rest }) => mentions(rest, name));
}

/**
 * The image that the last stage is made from, through the stages of the same file, with the defaults of its arguments.
 * Undefined if it has none, or one that only the builder knows.
 */
export function baseImageOf(dockerfile: string): string | undefined {
  const stages = new Map<string, string>();
  const values = new Map<string, string>();
  let image: string | undefined;
  for (const { keyword, rest } of parseInstructions(dockerfile)) {
    const [, name, value] = /^(\w+)=["']?([^"'\s]*)/.exec(rest) ?? [];
    // Arguments below the first FROM are not known to another.
    if (keyword === 'ARG' && image === undefined && name !== undefined) values.set(name, value ?? '');
    if (keyword !== 'FROM') continue;
    const [, from = '', stage] = /^(?:--\S+\s+)*(\S+)(?:\s+[Aa][Ss]\s+(\S+))?/.exec(rest) ?? [];
    const named = withArguments(from, values);
    image = stages.get(named.toLowerCase()) ?? named;
    if (stage !== undefined) stages.set(stage.toLowerCase(), image);
  }
  return image === undefined || image.includes('$') || image === 'scratch' ? undefined : image;
}

/** `$NAME`, `${NAME}` and `${NAME:-default}`. Others stay as they are. */
export function withArguments(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(
    /\$(?:(\w+)|\{(\w+)(?::-([^}]*))?\})/g,
    (whole, plain?: string, braced?: string, otherwise?: string) =>
      values.get(plain ?? braced ?? '') || (otherwise ?? whole),
  );
}

export interface Instruction {
  keyword: string;
  rest: string;
  /** Where it begins, from 1. */
  line: number;
}

/** Joins continued lines. Comments within them are dropped, as Docker does. */
export function parseInstructions(dockerfile: string): Instruction[] {
  const found: Instruction[] = [];
  let joined = '';
  let line = 0;
  let heredoc = '';
  for (const [at, text] of dockerfile.split(/\r?\n/).entries()) {
    if (heredoc !== '') {
      if (text.trim() === heredoc) heredoc = '';
      continue;
    }
    if (/^\s*#/.test(text)) continue;
    if (joined === '') line = at + 1;
    const [, continued] = /^(.*)[\\`][ \t]*$/.exec(text) ?? [];
    joined += continued === undefined ? text : `${continued} `;
    if (continued !== undefined) continue;
    const [, keyword, rest = ''] = /^\s*([A-Za-z]+)(?:\s+(.*))?$/.exec(joined) ?? [];
    if (keyword !== undefined) found.push({ keyword: keyword.toUpperCase(), rest, line });
    heredoc = /^(?:RUN|COPY|ADD)\b.*<<-?["']?(\w+)/i.exec(joined)?.[1] ?? '';
    joined = '';
  }
  return found;
}

/**
 * The line of an instruction as an engine shows it, perhaps cut off. `CMD` is what the image runs: the last `CMD` or
 * `ENTRYPOINT`.
 */
export function findInstruction(dockerfile: string, shown: string): Omit<FileLocation, 'file'> | undefined {
  const plain = (text: string) => text.replace(/[\s\\]+/g, ' ').trim();
  const instructions = parseInstructions(dockerfile);
  const found =
    instructions.findLast(({ keyword, rest }) => plain(`${keyword} ${rest}`) === plain(shown)) ??
    instructions.findLast(({ keyword, rest }) => plain(`${keyword} ${rest}`).startsWith(plain(shown))) ??
    (shown === 'CMD' ? instructions.findLast(({ keyword }) => keyword === 'ENTRYPOINT') : undefined);
  const text = found && dockerfile.split(/\r?\n/)[found.line - 1];
  return text === undefined ? undefined : { line: found?.line ?? 0, column: 1, length: text.length, text };
}

/** What an instruction takes from the build context. */
function contextSources({ keyword, rest }: Instruction): string[] {
  if (keyword === 'RUN')
    return [...rest.matchAll(/--mount=\S*\b(?:source|src)=([^,\s]+)/g)].map(([, path = '']) => path);
  if ((keyword !== 'COPY' && keyword !== 'ADD') || /^(--\S+\s+)*--from=/.test(rest)) return [];
  return parseWords(rest.replace(/^(--\S+\s+)+/, '')).slice(0, -1);
}

export function parseWords(text: string): string[] {
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
  return text.split(/[\s"',;=&|()]+/).some((word) => `/${word}`.endsWith(`/${name}`));
}
