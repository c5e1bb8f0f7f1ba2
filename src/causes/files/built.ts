import { posix } from 'node:path';
import { isBelowOrSame, type RunCommand } from '../../app/image-stage.ts';
import { flagOf } from '../../app/shell.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { isInstall, readJsonc, scriptCommands, type TextOf } from './package-json.ts';

/** What a command makes: paths from its folder, and those below them that it does not make. */
interface BuiltPaths {
  paths: readonly string[];
  but?: RegExp | undefined;
}

interface Maker {
  command: RegExp;
  /** Undefined if it may make anything. */
  makes: (step: MakingStep, textOf: (name: string) => string) => BuiltPaths | undefined;
}

type MakingStep = Pick<RunCommand, 'words' | 'cwd' | 'before'>;

const nothing: BuiltPaths = { paths: [] };
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
    command: /^nest build$/,
    makes: (step, textOf) =>
      textOf('tsconfig.build.json') !== '' || /monorepo|assets|webpack|swc/.test(textOf('nest-cli.json'))
        ? undefined
        : compiled({ ...step, words: ['tsc'] }, textOf),
  },
  {
    command: /^next build$/,
    makes: (_, textOf) => {
      const text = ['next.config.js', 'next.config.mjs', 'next.config.ts', 'package.json'].map(textOf).join('');
      const isOpen = /distDir|withPWA|export default \w+\(|next-(?:pwa|sitemap)|serwist/.test(text);
      return isOpen
        ? undefined
        : { paths: ['.next', 'out'], but: /standalone/.test(text) ? undefined : /^\.next\/standalone/ };
    },
  },
  { command: /^vite build$/, makes: byVite },
  {
    command: /^prisma generate$/,
    makes: (_, textOf) => (/^\s*output\s*=/m.test(textOf('prisma/schema.prisma')) ? undefined : made('node_modules')),
  },
  { command: /^react-scripts build$/, makes: () => ({ paths: ['build'] }) },
  { command: /^go build\b/, makes: ({ words }) => made(flagOf(words, '-o')) },
  { command: /^cargo build\b/, makes: byCargo },
  { command: /^mvn (?!.*(?:-f|--file|-pl)\b).*\b(?:package|install|verify)\b/, makes: byMaven },
];

/** The pages of a front end; what a framework makes with Vite, or in a folder of its own, is not known. */
function byVite(_: MakingStep, textOf: (name: string) => string): BuiltPaths | undefined {
  const text = ['js', 'ts', 'mjs', 'mts'].map((end) => textOf(`vite.config.${end}`)).join('');
  const [said, folder = said === undefined ? 'dist' : undefined] = groupsOf(
    /outDir\s*:\s*(?:["']([\w./-]+)["'])?/,
    text,
  );
  const isOpen = /\broot\s*:|\b(?:lib|ssr)\b|svelte-?kit|remix|react-?router|qwik|start|laravel|nitro|vike/i.test(text);
  return isOpen ? undefined : made(folder);
}

const made = (path: string | undefined): BuiltPaths | undefined => (path === undefined ? undefined : { paths: [path] });

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
  const built = made.flatMap((each) => each ?? []);
  // A variable of the shell is not known.
  if (built.length < made.length || built.some(({ paths }) => paths.some((each) => /[$*]/.test(each))))
    return undefined;
  return (path) => built.some((each) => mayMake(each, path, step.cwd));
}

const mayMake = ({ paths, but }: BuiltPaths, path: string, cwd: string) =>
  !but?.test(posix.relative(cwd, path)) &&
  paths.map((each) => posix.resolve(cwd, each)).some((each) => isBelowOrSame(path, each) || isBelowOrSame(each, path));

interface TypeScriptSettings {
  compilerOptions?: { outDir?: string; rootDir?: string; noEmit?: boolean };
}

/** The scripts of the sources, if the settings say where all of them go. */
function compiled({ words, cwd, before }: MakingStep, textOf: (name: string) => string): BuiltPaths | undefined {
  const text = textOf(flagOf(words, '-p', '--project') ?? 'tsconfig.json');
  const { outDir, rootDir, noEmit } = readJsonc<TypeScriptSettings>(text)?.compilerOptions ?? {};
  if (noEmit === true || words.includes('--noEmit')) return nothing;
  if (/"(?:extends|references)"/.test(text) || words.includes('-b') || !outDir) return undefined;
  const target = posix.normalize(outDir).replace(/\/$/, '');
  if (rootDir === undefined || /"(?:resolveJsonModule|allowJs)"/.test(text)) return { paths: [target] };
  const files = [...before.files.keys()].map((path) => posix.relative(posix.join(cwd, rootDir), path));
  return {
    paths: files
      .filter((path) => /^(?!\.\.).*(?<!\.d)\.[cm]?tsx?$/.test(path))
      .map((path) => posix.join(target, path.replace(/\.([cm]?)tsx?$/, '.$1js'))),
  };
}

/** The jar of a project; of one with modules, or with a name of its own, it is not known. */
function byMaven(_: MakingStep, textOf: (name: string) => string): BuiltPaths | undefined {
  const text = textOf('pom.xml');
  const withoutParts = text.replace(/<(parent|dependencies|dependencyManagement|build|profiles)>[\s\S]*?<\/\1>/g, '');
  const [, artifact] = groupsOf(/<artifactId>([\w.-]+)</, withoutParts);
  const [, version] = groupsOf(/<version>([\w.-]+)</, withoutParts);
  const isKnown =
    artifact !== undefined && version !== undefined && !/<(?:modules|finalName|outputDirectory)>/.test(text);
  return isKnown
    ? { paths: ['target'], but: new RegExp(`^target/(?!${artifact}-${version})[^/*]*\\.jar$`) }
    : undefined;
}

/** The programs of a crate; those of a workspace are not looked for. */
function byCargo({ words, before }: MakingStep, textOf: (name: string) => string): BuiltPaths | undefined {
  const text = textOf('Cargo.toml');
  const [, name] = groupsOf(/^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/m, text);
  const isElsewhere = /--(?:manifest-path|target-dir|target|profile)\b/.test(words.join(' '));
  if (isElsewhere || before.environment.has('CARGO_TARGET_DIR') || textOf('.cargo/config.toml') !== '')
    return undefined;
  const isOpen = name === undefined || /^\[(?:workspace|lib|\[bin\])\]/m.test(text);
  const isOther = isOpen || [...before.files.keys()].some((path) => path.includes('/src/bin/'));
  const profile = words.some((word) => /^(?:-\w*r|--release)$/.test(word)) ? 'release' : 'debug';
  return {
    paths: ['target', 'Cargo.lock'],
    but: new RegExp(`^target/(?!${profile}/${isOther ? '' : `${name}$`})(?:release|debug)/[\\w-]+$`),
  };
}
