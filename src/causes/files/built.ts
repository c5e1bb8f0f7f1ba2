import { posix } from 'node:path';
import { isBelowOrSame, type RunCommand } from '../../app/docker-image.ts';
import { flagOf } from '../../app/shell.ts';
import { groupsOf } from '../groups.ts';
import { isInstall, readJsonc, scriptCommands, type TextOf } from './package-json.ts';

/** What a command makes: paths from its folder, and those below them that it does not make. */
interface Made {
  paths: readonly string[];
  but?: RegExp | undefined;
}

interface Maker {
  command: RegExp;
  /** Undefined if it may make anything. */
  makes: (step: MakingStep, textOf: (name: string) => string) => Made | undefined;
}

type MakingStep = Pick<RunCommand, 'words' | 'cwd' | 'before'>;

const nothing: Made = { paths: [] };
const folder =
  (path: string, settings?: string[], other = /outDir|distDir|outdir|path:|\broot:/) =>
  (_: MakingStep, textOf: (name: string) => string): Made | undefined =>
    settings?.some((name) => other.test(textOf(name))) ? undefined : { paths: [path] };
const config = (name: string) => ['ts', 'js', 'mjs', 'mts', 'cjs'].map((kind) => `${name}.config.${kind}`);

const makers: readonly Maker[] = [
  {
    command:
      /^(?:eslint|prettier|biome|vitest|jest|rimraf|tsc-alias|vue-tsc|cargo (?:fetch|test|check|clippy)|go (?:mod (?:download|verify)|vet|test|version|env)|mvn .*dependency:(?:go-offline|resolve)|npm (?:cache|config|prune|audit|test|pkg)|corepack|strip|upx|yarn config|pnpm (?:fetch|config|store)|bundle (?:config|exec bootsnap)|java -version|node (?:-v|--version))(?: |$)|^(?:npm|pnpm) (?:i|install|ci|add)\b|^(?:yarn|bundle)$|^echo (?!.*>)/,
    makes: () => nothing,
  },
  {
    command: /^(?:echo|printf|cat) .*> ?\S+$|^(?:touch|cp|mv|ln) /,
    makes: ({ words }) => ({ paths: [words.at(-1) ?? ''] }),
  },
  {
    // It may load models and data, and writes no code.
    command:
      /^python[\d.]* -(?:c (?!.*(?:open\(|write|\.py\b))|m \w+\.download|m spacy|m nltk)|^(?:huggingface-cli|hf) download\b/,
    makes: () => ({ paths: ['/'], but: /\.(?:py|sh|[cm]?[jt]s)$/ }),
  },
  { command: /^tsc(?: |$)/, makes: compiled },
  {
    command: /^vite build\b/,
    makes: folder('dist', config('vite'), /[dD]ir|root:|path:|kit|remix|router|start|qwik|nitro|laravel|ssr|vike/),
  },
  { command: /^react-scripts build\b/, makes: folder('build', ['package.json', '.env'], /BUILD_PATH/) },
  { command: /^nest build\b/, makes: folder('dist', ['tsconfig.json', 'nest-cli.json'], /"outDir": *"(?!\.?\/?dist)/) },
  { command: /^astro build\b/, makes: folder('dist', config('astro')) },
  { command: /^nuxt (?:build|generate)\b/, makes: () => ({ paths: ['.output', 'dist', '.nuxt'] }) },
  { command: /^next build\b/, makes: byNext },
  { command: /^go build\b/, makes: byGo },
  { command: /^cargo build\b/, makes: byCargo },
];

/** What a command of a build makes, where that is known. */
export function makesOf(step: RunCommand, sent: TextOf): ((path: string) => boolean) | undefined {
  const commands = scriptCommands(step, step.cwd, step.before.files, sent) ?? [step];
  const textOf = (name: string) => sent(step.before.files.get(posix.resolve(step.cwd, name)) ?? '') ?? '';
  // An installation may run scripts of the project.
  if (isInstall(step) && /"(?:(?:pre|post)?install|prepare)"\s*:/.test(textOf('package.json'))) return () => true;
  const made = commands.map(({ words }) => {
    const command = words.join(' ').replace(/^(?:npx|bunx|pnpm exec|yarn) (?:--?\S+ )*(?=\w)/, '');
    return makers.find((each) => each.command.test(command))?.makes({ ...step, words }, textOf);
  });
  const known = made.flatMap((each) => each ?? []);
  // A variable of the shell is not known.
  if (known.length < made.length || known.some(({ paths }) => paths.some((each) => /[$*]/.test(each))))
    return undefined;
  return (path) => known.some((each) => mayMake(each, path, step.cwd));
}

const mayMake = ({ paths, but }: Made, path: string, cwd: string) =>
  !but?.test(posix.relative(cwd, path)) &&
  paths.map((each) => posix.resolve(cwd, each)).some((each) => isBelowOrSame(path, each) || isBelowOrSame(each, path));

interface TypeScriptSettings {
  extends?: unknown;
  references?: unknown;
  include?: string[];
  exclude?: string[];
  files?: unknown;
  compilerOptions?: {
    outDir?: string;
    rootDir?: string;
    noEmit?: boolean;
    allowJs?: boolean;
    resolveJsonModule?: boolean;
  };
}

/** The scripts of the sources, if the settings say where all of them go. */
function compiled({ words, cwd, before }: MakingStep, textOf: (name: string) => string): Made | undefined {
  const read = readJsonc<TypeScriptSettings>(textOf(flagOf(words, '-p', '--project') ?? 'tsconfig.json')) ?? {};
  const { outDir = flagOf(words, '--outDir'), noEmit, rootDir } = read.compilerOptions ?? {};
  if (noEmit === true || words.includes('--noEmit')) return nothing;
  if (['extends', 'references'].some((key) => key in read) || words.includes('-b') || !outDir) return undefined;
  const target = posix.normalize(outDir).replace(/\/$/, '');
  const files = [...before.files.keys()].map((path) => posix.relative(cwd, path));
  const typed = files.filter((path) => /^(?!\.\.|node_modules\/).*(?<!\.d)\.[cm]?tsx?$/.test(path));
  const sources = sourcesOf(read, typed);
  return { paths: sources ? scriptsOf(sources, rootDir ?? commonFolder(sources), target) : [target] };
}

const scriptsOf = (sources: readonly string[], root: string, target: string) =>
  sources
    .map((path) => posix.join(target, posix.relative(root, path)).replace(/\.([cm]?)tsx?$/, '.$1js'))
    .flatMap((path) => [path, `${path}.map`]);

/** Undefined if the settings choose them by more than folders, or without them. */
function sourcesOf({ include, exclude = [], files, compilerOptions = {} }: TypeScriptSettings, all: readonly string[]) {
  const folders = include?.map((each) => posix.normalize(each).replace(/\/?\*.*$/, '')) ?? [''];
  const others = exclude.map((each) => posix.normalize(each).replace(/\/?(?:\*\*(?:\/\*)?)?$/, ''));
  const { rootDir, resolveJsonModule, allowJs } = compilerOptions;
  const isUnsure = rootDir === undefined && (resolveJsonModule === true || others.some((each) => /\*/.test(each)));
  const isIn = (path: string) => (folder: string) => folder === '' || isBelowOrSame(path, folder);
  const found = all.filter((path) => folders.some(isIn(path)) && !others.some(isIn(path)));
  return files !== undefined || allowJs || isUnsure || found.length === 0 ? undefined : found;
}

function commonFolder(paths: readonly string[]): string {
  const [first = '', ...rest] = paths.map((path) => posix.dirname(path));
  let common = first;
  while (common !== '.' && !rest.every((each) => isBelowOrSame(each, common))) common = posix.dirname(common);
  return common;
}

/** Its own server is made only where the settings say so. */
function byNext(_: MakingStep, textOf: (name: string) => string): Made | undefined {
  const settings = config('next').map(textOf).join('\n');
  if (/distDir|process\.env/.test(settings)) return undefined;
  return {
    paths: ['.next', 'out', 'next-env.d.ts'],
    but: /standalone/.test(settings) ? undefined : /^\.next\/standalone/,
  };
}

function byGo({ words }: MakingStep): Made | undefined {
  const target = flagOf(words, '-o');
  const last = words.at(-1) ?? '';
  const module = /^\.\/(?:.*\/)?([\w-]+)\/?$/.exec(last)?.[1];
  const made = target ?? module;
  return made === undefined ? undefined : { paths: [made] };
}

/** The programs of a crate; those of a workspace are not looked for. */
function byCargo({ words, before, cwd }: MakingStep, textOf: (name: string) => string): Made | undefined {
  const text = textOf('Cargo.toml');
  const all: Made = { paths: ['target', 'Cargo.lock'] };
  const [, name] = groupsOf(/^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/m, text);
  const isElsewhere =
    /--manifest-path|--target-dir/.test(words.join(' ')) || before.environment.has('CARGO_TARGET_DIR');
  if (isElsewhere || /target-dir/.test(textOf('.cargo/config.toml'))) return undefined;
  if (name === undefined || /^\[(?:workspace|lib)\]/m.test(text)) return all;
  const declared = [...text.matchAll(/^\[\[bin\]\][^[]*?^name\s*=\s*"([\w-]+)"/gm)].map(([, each]) => each);
  const files = [...before.files.keys()].map((path) => posix.relative(cwd, path));
  const others = files.flatMap((path) => groupsOf(/^src\/bin\/([\w-]+)(?:\.rs|\/main\.rs)$/, path).slice(1));
  const names = [name, ...declared, ...others].join('|');
  const profile = words.includes('--release') || words.includes('-r') ? 'debug' : 'release';
  const isOther = `(?!(?:${names})(?:\\.d)?$)[\\w-]+(?:\\.d)?$`;
  return flagOf(words, '--profile')
    ? all
    : {
        ...all,
        but: new RegExp(
          `^target/(?:[\\w-]+/)?(?:${profile}(?:/|$)|(?:release|debug)/(?!(?:build|deps|examples|incremental)$)${isOther})`,
        ),
      };
}
