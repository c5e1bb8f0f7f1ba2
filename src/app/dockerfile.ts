import { closestName } from '../kernel/closest-name.ts';
import type { FileLocation } from '../kernel/errors.ts';
import { groupsOf } from '../kernel/groups.ts';
import { tryParseJson } from '../kernel/json-text.ts';

/** With the values of `$NAME`, `${NAME}` and `${NAME:-default}`. Those that are empty or not known stay as they are. */
export function withArguments(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(
    /\$(?:(\w+)|\{(\w+)(?::?-([^}]*))?\})/g,
    (whole, plain?: string, braced?: string, otherwise?: string) =>
      values.get(plain ?? braced ?? '') || (otherwise ?? whole),
  );
}

export interface Instruction {
  keyword: string;
  rest: string;
  text: string;
  flags: readonly (readonly [name: string, value: string])[];
  heredocs: readonly string[];
  line: number;
}

const keywords =
  'FROM ARG ENV RUN COPY ADD CMD ENTRYPOINT WORKDIR EXPOSE USER LABEL VOLUME SHELL HEALTHCHECK ONBUILD STOPSIGNAL MAINTAINER'.split(
    ' ',
  );

/** The instruction that a word is, or that it is a misspelling of. */
export const instructionLike = (word: string): string | undefined =>
  keywords.includes(word) ? word : closestName(word, keywords);

/** Joins continued lines. Comments and empty lines within them are dropped, as Docker does. */
export function parseInstructions(dockerfile: string): Instruction[] {
  const lines = dockerfile.split(/\r?\n/);
  const continued = /^(?:#.*\n)*#\s*escape\s*=\s*`/i.test(dockerfile) ? /^(.*)`[ \t]*$/ : /^(.*)\\[ \t]*$/;
  const instructions: Instruction[] = [];
  const isBlank = (text = '') => /^\s*(?:#|$)/.test(text);
  for (let at = 0; at < lines.length; at++) {
    if (isBlank(lines[at])) continue;
    const line = at + 1;
    let joined = lines[at] ?? '';
    for (let part = continued.exec(joined); part; part = continued.exec(joined)) {
      do at++;
      while (at < lines.length && isBlank(lines[at]));
      joined = `${part[1]} ${lines[at] ?? ''}`;
    }
    const [, keyword, rest = ''] = groupsOf(/^\s*(\S+)(?:\s+(.*))?$/, joined);
    if (keyword === undefined) continue;
    const heredocs = heredocsOf(keyword, rest, lines, at + 1);
    at += heredocs.reduce((sum, text) => sum + text.split('\n').length, 0);
    instructions.push({ keyword: keyword.toUpperCase(), rest, ...withoutFlags(rest), heredocs, line });
  }
  return instructions;
}

/** Each with the line that ends it. */
function heredocsOf(keyword: string, rest: string, lines: readonly string[], from: number): string[] {
  if (!/^(?:RUN|COPY|ADD)$/i.test(keyword)) return [];
  let start = from;
  return [...rest.matchAll(/(?:^|\s)<<-?["']?([A-Za-z_]\w*)/g)].map(([, word]) => {
    const end = lines.findIndex((text, at) => at >= start && text.trim() === word);
    const text = lines.slice(start, end < 0 ? lines.length : end + 1).join('\n');
    start = end < 0 ? lines.length : end + 1;
    return text;
  });
}

function withoutFlags(rest: string): Pick<Instruction, 'flags' | 'text'> {
  const [flagText = ''] = groupsOf(/^\s*(?:--[a-z]\S*\s+)*/, rest);
  const flags = [...flagText.matchAll(/--([a-z-]+)(?:=(\S+))?/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  return { flags, text: rest.slice(flagText.length) };
}

/** The line of an instruction as an engine shows it, perhaps cut off. `CMD` is the last `CMD` or `ENTRYPOINT`. */
export function findInstruction(dockerfile: string, instruction: string): Omit<FileLocation, 'file'> | undefined {
  const plain = (text: string) => text.replace(/[\s\\]+/g, ' ').trim();
  const instructions = parseInstructions(dockerfile);
  const match =
    instructions.findLast(({ keyword, rest }) => plain(`${keyword} ${rest}`) === plain(instruction)) ??
    instructions.findLast(({ keyword, rest }) => plain(`${keyword} ${rest}`).startsWith(plain(instruction))) ??
    (instruction === 'CMD' ? instructions.findLast(({ keyword }) => keyword === 'ENTRYPOINT') : undefined);
  const text = match && dockerfile.split(/\r?\n/)[match.line - 1];
  return text === undefined ? undefined : { line: match?.line ?? 0, column: 1, length: text.length, text };
}

export const parseWords = (text: string): string[] => parseList(text) ?? text.trim().split(/\s+/);

/** The words of `["a", "b"]`; undefined for another form. */
export function parseList(text: string): string[] | undefined {
  const words = tryParseJson(text);
  return Array.isArray(words) ? words.map(String) : undefined;
}
