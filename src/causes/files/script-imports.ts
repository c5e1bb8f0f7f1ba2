import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { matchesIn } from '../../kernel/groups.ts';

/** What a file of JavaScript or TypeScript loads when it is loaded itself. */
export interface ScriptImport {
  name: string;
  line: number;
  isRequire: boolean;
}

const words = String.raw`["']([^"'\n]+)["']`;
/** Statements that begin a line: those within another may never run. Types are no code. */
const statements = new RegExp(
  String.raw`^(?:import\s+(?!type[\s{])(?:[\w$*{}\s,]+?\sfrom\s*)?${words}|export\s+(?!type[\s{])(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*${words}|(?:(?:const|let|var)\s+[\w$\s{},:]+=\s*|[\w.]+\s*=\s*|[\w.]+\((?:["'][^"'\n]*["'],\s*)?)?require\(${words}\))`,
  'gm',
);

export function scriptImports(text: string): ScriptImport[] {
  const plain = withoutComments(text);
  return matchesIn(plain, statements).flatMap(({ match: [whole, imported, exported, required], line }) => {
    const name = imported ?? exported ?? required ?? '';
    // `import { type A }` loads nothing, either.
    const isType = /^import\s*\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?\s*,?)+\s*\}/.test(whole);
    return isType ? [] : { name, line, isRequire: required !== undefined };
  });
}

/** Strings stay; of templates and comments, the lines. */
export const withoutComments = (text: string) =>
  text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/.*/g,
    (whole, string?: string) => string ?? whole.replace(/[^\n]/g, ' '),
  );

export const isScript = (file: string) => /(?<!\.d)\.[cm]?[jt]sx?$/.test(file);

/** Files beside the app: they are not started with it. */
export const isBeside = (file: string) =>
  /(?:^|\/)(?:tests?|__tests__|__mocks__|e2e|spec|cypress|stories|\.storybook|examples?|fixtures|dist|build|coverage|node_modules)\/|\.(?:test|spec|stories|config|setup)\.\w+$/.test(
    file,
  );

/** What a relative path may stand for, the name as it is first. */
export function candidates(path: string): string[] {
  const kinds = ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs', 'mts', 'cts', 'json', 'node', 'vue', 'svelte', 'd.ts'];
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [
    path,
    ...(source === path ? [] : [source, `${source}x`]),
    ...kinds.map((kind) => `${path}.${kind}`),
    ...kinds.map((kind) => posix.join(path, `index.${kind}`)),
  ];
}

/** `@scope/name` of `@scope/name/part`; undefined for a module of Node, an alias or an address. */
export function packageIn(name: string): string | undefined {
  const [first = '', second] = name.split('/');
  if (/^[.#~$/]|^@$|:|^(?:bun|(?:server|client)-only)$/.test(first) || builtinModules.includes(first)) return undefined;
  return first.startsWith('@') ? second && `${first}/${second}` : first;
}

/** What a pattern finds in the code of files of the app, but for its tests and what is beside it. */
export const foundInCode = (paths: readonly string[], read: (path: string) => string, files: RegExp, pattern: RegExp) =>
  paths
    .filter((file) => files.test(file) && !isBeside(file))
    .flatMap((file) => matchesIn(withoutComments(read(file)), pattern).map((each) => ({ ...each, file })));
