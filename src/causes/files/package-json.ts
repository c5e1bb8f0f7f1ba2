import { posix } from 'node:path';
import { type ShellCommand, shellCommands } from '../../app/shell.ts';
import { fits } from '../../kernel/groups.ts';

export interface PackageJson {
  type?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The text of a file of the app; undefined for one that is not sent. */
export type TextOf = (file: string) => string | undefined;

/** Comments and commas at the end are allowed in `tsconfig.json`. Undefined for what cannot be read. */
export function readJsonc<T>(text: string | undefined): T | undefined {
  const plain = text?.replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1') ?? '';
  try {
    const read: unknown = JSON.parse(plain.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1'));
    return read !== null && typeof read === 'object' ? (read as T) : undefined;
  } catch {
    return undefined;
  }
}

/** `build` of `npm run build`, `yarn build`, `npm start`. */
const scriptNamed = (words: readonly string[]): string | undefined =>
  /^(?:(?:npm|pnpm|bun) (?:(?:-s|--silent|--if-present) )*run(?:-script)?|yarn(?: run)?|npm(?= (?:start|test)\b)|pnpm(?= (?:start|build)\b)) ([\w:.-]+)/.exec(
    words.join(' '),
  )?.[1];

export const isInstall = ({ words }: ShellCommand): boolean =>
  /^(?:npm (?:ci|i|install)|yarn(?: install)?|(?:pnpm|bun) (?:i|install))(?: -|$)/.test(words.join(' '));

/** The commands of the script that a command names; undefined if it names none that is there. */
export function scriptCommands(
  { words }: ShellCommand,
  cwd: string,
  files: ReadonlyMap<string, string>,
  textOf: TextOf,
): ShellCommand[] | undefined {
  const name = scriptNamed(words);
  const manifest = name === undefined ? undefined : files.get(posix.resolve(cwd, 'package.json'));
  const scripts = manifest === undefined ? {} : (readJsonc<PackageJson>(textOf(manifest))?.scripts ?? {});
  const texts = [`pre${name}`, name ?? '', `post${name}`].flatMap((each) => scripts[each] ?? []);
  return name === undefined || scripts[name] === undefined
    ? undefined
    : texts.flatMap(shellCommands).map((each) => ({ ...each, words: withoutRunner(each.words) }));
}

const withoutRunner = (words: readonly string[]) =>
  fits(/^(?:cross-env|dotenv)$/, words[0])
    ? words.slice(words.findIndex((word, at) => at > 0 && !/^-|=/.test(word)))
    : words;
