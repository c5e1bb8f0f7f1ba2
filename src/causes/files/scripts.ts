import { posix } from 'node:path';
import { type ImageState, isBelowOrSame, type RunCommand } from '../../app/docker-image.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { once } from '../../kernel/once.ts';
import { fill } from '../fill.ts';
import { fits } from '../groups.ts';
import { isInstall, type LockedPackage, type PackageJson, readJsonc } from './package-json.ts';
import { lookAtNamedPath } from './references.ts';
import {
  candidates,
  exportsOf,
  isBeside,
  isScript,
  packageIn,
  type ScriptImport,
  scriptImports,
} from './script-imports.ts';
import { type CausePlace, noProgram, type SeenCause } from './seen-cause.ts';
import type { Docker, Shipment, StartedCommand } from './shipment.ts';

/** What JavaScript and TypeScript load, in an app that is built from a Dockerfile. */
export function* lookAtScripts(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const projects = new Projects(shipment);
  if (!docker) return;
  for (const step of shipment.steps())
    yield* tool(projects, step.words, step.before, { file: docker.path, line: step.line });
  for (const { words, at } of shipment.started()) yield* tool(projects, words, docker.stage, at);
  const run = reached(shipment, docker);
  const inStages = new Set(docker.image.stages.flatMap(({ files }) => [...files.values()]));
  for (const file of [...inStages].filter((path) => isScript(path) && !isBeside(path)))
    for (const each of scriptImports(shipment.read(file)))
      yield* imported({ file, each, shipment, docker, projects, isRun: run.has(file) });
}

function* imported(found: Found): Generator<SeenCause> {
  const { file, each, shipment, docker, projects, isRun } = found;
  const alias = projects.aliased(each.name, file);
  const near = each.name.startsWith('.') ? posix.join(posix.dirname(file), each.name.replace(/\?.*$/, '')) : alias;
  if (near === undefined) yield* ofPackage(found);
  else {
    const images = isRun ? [docker.stage] : [];
    yield* lookAtNamedPath({ ...each, file, paths: candidates(near), isCertain: isRun, images }, shipment);
    yield* notExported(found, near);
  }
  if (isRun || isCompiled(shipment)) yield* kind(found);
}

function* notExported({ file, each, shipment, projects }: Found, near: string): Generator<SeenCause> {
  const target = each.names.length > 0 ? candidates(near).find((path) => shipment.sent.has(path)) : undefined;
  const exported = target !== undefined && isScript(target) ? projects.exportedBy(target) : undefined;
  const name = each.names.find((one) => one !== 'default' && exported?.has(one) === false);
  if (name === undefined || !exported || target === undefined) return;
  const meant = closestName(name, exported);
  yield {
    cause: 'import-name-missing',
    captured: { module: target, name, path: target },
    at: { file, line: each.line },
    fix: meant && `import ${meant}, or export ${name} from ${target}`,
  };
}

/** The packages of programs that scripts start. Others have the name of the program. */
const packagesOfTools = new Map([
  ['tsc', 'typescript'],
  ['nest', '@nestjs/cli'],
  ['ng', '@angular/cli'],
  ['webpack', 'webpack-cli'],
  ...['vite', 'next', 'nuxt', 'tsup', 'tsx', 'ts-node', 'nodemon', 'esbuild', 'rollup', 'prisma', 'react-scripts'].map(
    (name): [string, string] => [name, name],
  ),
]);

/** A program of a package that the image does not have. */
function* tool(
  projects: Projects,
  words: readonly string[],
  image: ImageState,
  at: CausePlace | undefined,
): Generator<SeenCause> {
  const [program = ''] = words;
  const name = packagesOfTools.get(program);
  if (
    name === undefined ||
    !/(?:^|\/)node:/.test(image.base) ||
    projects.all().length > 1 ||
    isNamed(image.commands, name)
  )
    return;
  if (!projects.isOnlyDev(name) || !isProduction(image)) return;
  const why = `${name} is one of the devDependencies, and the image does not install these`;
  const fix = `install all packages for the build, or move ${name} to dependencies`;
  yield { ...noProgram(program, at, why, fix), severity: 'error' };
}

/** Whether a command installs a package by its name. */
const isNamed = (commands: readonly RunCommand[], name: string) =>
  commands.some(({ words }) => words.some((word) => `${word}@`.startsWith(`${name}@`)));

interface Found {
  file: string;
  each: ScriptImport;
  shipment: Shipment;
  docker: Docker;
  projects: Projects;
  /** Whether Node runs the file as it is. */
  isRun: boolean;
}

/** Files that Node runs as they are, from those that are started. */
function reached(shipment: Shipment, { stage }: Docker): ReadonlySet<string> {
  const runs = shipment.started().filter(({ words: [program = ''] }) => /^(?:node|bun|tsx)$/.test(program));
  const entries = runs.flatMap(({ words, cwd }) => words.slice(1).flatMap((word) => shipment.fileAt(word, cwd) ?? []));
  const found = new Set(stage.files.size > 0 ? entries.filter(isScript) : []);
  // A set that grows is walked to its end.
  for (const file of found)
    for (const { name } of scriptImports(shipment.read(file))) {
      const paths = name.startsWith('.') ? candidates(posix.join(posix.dirname(file), name)) : [];
      const next = paths.find((path) => shipment.sent.has(path));
      if (next !== undefined && isScript(next)) found.add(next);
    }
  return found;
}

/** The manifests of the app, and what they list. */
class Projects {
  private readonly shipment: Shipment;

  constructor(shipment: Shipment) {
    this.shipment = shipment;
  }

  all = once(() =>
    this.shipment.paths
      .filter((path) => posix.basename(path) === 'package.json' && !/(?:^|\/)node_modules\//.test(path))
      .map((path) => ({ path, read: readJsonc<PackageJson>(this.shipment.text(path)) ?? {} })),
  );

  listed = once(
    () =>
      new Set(
        this.all().flatMap(({ read }) => [
          read.name ?? '',
          ...[read.dependencies, read.devDependencies, read.optionalDependencies, read.peerDependencies].flatMap(
            (each) => Object.keys(each ?? {}),
          ),
        ]),
      ),
  );

  private readonly exported = new Map<string, ReadonlySet<string> | undefined>();

  exportedBy(file: string): ReadonlySet<string> | undefined {
    if (!this.exported.has(file)) this.exported.set(file, exportsOf(this.shipment.read(file)));
    return this.exported.get(file);
  }

  /** Whether a package is listed, or one of those brings it. */
  has(name: string): boolean {
    return this.listed().has(name) || this.locked()?.[`node_modules/${name}`] !== undefined;
  }

  /** Those that an installation for production leaves out. */
  isOnlyDev(name: string): boolean {
    const all = this.all();
    return (
      all.length === 1 &&
      !this.shipment.sent.has('.yarnrc.yml') &&
      // A command may have its own value of the variable.
      !fits(/NODE_ENV=["']?(?!prod)/, this.shipment.dockerfile()?.text) &&
      all.every(({ read }) => name in (read.devDependencies ?? {}) && !(name in (read.dependencies ?? {})))
    );
  }

  locked = once(
    () => readJsonc<{ packages?: Record<string, LockedPackage> }>(this.shipment.text('package-lock.json'))?.packages,
  );

  kindOf(file: string): string | undefined {
    const near = this.all()
      .filter(({ path }) => posix.dirname(path) === '.' || file.startsWith(`${posix.dirname(path)}/`))
      .toSorted((one, other) => other.path.length - one.path.length)[0];
    return /\.mjs$/.test(file) ? 'module' : /\.cjs$/.test(file) ? 'commonjs' : near?.read.type;
  }

  private readonly options = once(
    () =>
      readJsonc<{ extends?: unknown; compilerOptions?: { baseUrl?: string; paths?: Record<string, string[]> } }>(
        this.shipment.text('tsconfig.json') ?? this.shipment.text('jsconfig.json'),
      ) ?? {},
  );

  /** Where the settings of TypeScript say that a name is: `src/db` for `@/db`. */
  aliased(name: string, file: string): string | undefined {
    const { baseUrl = '.', paths = {} } = this.options().compilerOptions ?? {};
    const [pattern = '', [target = ''] = []] =
      Object.entries(paths).find(
        ([each, targets]) => /^[^*]+\*$/.test(each) && targets.length === 1 && name.startsWith(each.slice(0, -1)),
      ) ?? [];
    return pattern === '' || file.startsWith('..')
      ? undefined
      : posix.join(baseUrl, target.replace('*', name.slice(pattern.length - 1)));
  }

  get hasOthers(): boolean {
    const { compilerOptions, extends: other } = this.options();
    return String(other).startsWith('.') || compilerOptions?.baseUrl !== undefined;
  }
}

interface PackageRow {
  holds: (found: Found, name: string) => boolean | undefined;
  isCertain: (found: Found) => boolean;
  title: string;
  fix: string;
}

/** Types alone are no code, and may be of another package or of the app. */
const hasTypes = ({ file, projects, shipment }: Found, name: string) =>
  /\.[cm]?tsx?$/.test(file) &&
  (projects.has(`@types/${name.replace(/^@(.*)\//, '$1__')}`) ||
    shipment.paths.some((path) => path.endsWith('.d.ts') && shipment.text(path)?.includes(name)));

/** Why a package is not there: the first that holds. */
const packageRows: readonly PackageRow[] = [
  {
    holds: (found, name) => !found.projects.has(name) && !hasTypes(found, name),
    isCertain: ({ projects, isRun, file, shipment }) =>
      projects.locked() !== undefined && (isRun || (/^src\/.*\.tsx?$/.test(file) && isCompiled(shipment))),
    title: '{file} imports {name}, which package.json does not list',
    fix: 'npm install {name}',
  },
  {
    holds: ({ projects, docker, shipment, isRun }, name) =>
      projects.isOnlyDev(name) && isProduction(docker.stage) && (isRun || isCompiled(shipment)),
    isCertain: ({ isRun }) => isRun,
    title: '{file} imports {name}, and the image installs no devDependencies',
    fix: 'move {name} to dependencies',
  },
];

/** A package that nothing installs. */
function* ofPackage(found: Found): Generator<SeenCause> {
  const { file, each, shipment, projects } = found;
  const name = packageIn(each.name);
  if (name === undefined || projects.hasOthers || projects.all().length === 0 || isNamed(shipment.steps(), name))
    return;
  const row = packageRows.find(({ holds }) => holds(found, name));
  if (row)
    yield {
      cause: 'module-missing',
      severity: row.isCertain(found) ? 'error' : 'warning',
      captured: { module: name },
      at: { file, line: each.line },
      title: fill(row.title, { file, name }),
      fix: fill(row.fix, { name }),
    };
}

/** Whether an installation leaves out what is only for the development. */
const omitsDev = ({ words, before: { environment } }: RunCommand) =>
  !words.some((word) => /^--(?:include=dev|production=false|prod=false)$/.test(word)) &&
  (words.some((word) => /^(?:--(?:omit=dev|production|prod|only=prod\w*)(?:=true)?|-P)$/.test(word)) ||
    (words[0] !== 'bun' && environment.get('NODE_ENV') === 'production'));

/** Whether all packages of an image are without those; those of another stage count where they are copied. */
function isProduction({ commands, others, workdir }: ImageState): boolean {
  const installs = commands.filter(isInstall);
  const folder = posix.join(workdir, 'node_modules');
  const copied = others.filter(({ path }) => path.includes('node_modules') || isBelowOrSame(folder, path));
  if (commands.some(({ words }) => /^(?:npm|pnpm) prune\b.*(?:--omit=dev|--prod)/.test(words.join(' ')))) return true;
  return (
    installs.length + copied.length > 0 &&
    installs.every(omitsDev) &&
    copied.every(({ from }) => from !== undefined && isProduction(from.stage))
  );
}

/** Whether TypeScript writes each file as it is, and nothing bundles them. */
function isCompiled(shipment: Shipment): boolean {
  const programs = shipment.steps().map(({ words: [program = ''] }) => program);
  return (
    programs.includes('tsc') &&
    !programs.some((each) =>
      /^(?:vite|next|esbuild|tsup|rollup|webpack|node|bun|babel|swc|ncc|tsc-\w+|\S*fix\S*)$/.test(each),
    )
  );
}

interface KindFacts extends ScriptImport {
  file: string;
  kind: string | undefined;
  /** The file by its whole name, where the import leaves out a part of it. */
  meant: string | undefined;
  text: string;
  /** Whether Node runs it, and not what TypeScript makes of it. */
  isRun: boolean;
}

/** What Node refuses in a file that it runs as it is: the first that holds. */
const kindRows: readonly { holds: (facts: KindFacts) => boolean; title: string; fix: string }[] = [
  {
    holds: (facts) =>
      facts.isRun && facts.kind === 'module' && facts.isRequire && !/createRequire|\brequire\s*=/.test(facts.text),
    title: '{file} is an ES module, and calls require',
    fix: 'write import, or call the file .cjs',
  },
  {
    holds: ({ kind, isRequire, meant }) => kind === 'module' && !isRequire && meant !== undefined,
    title: '{file} imports {name}, and Node wants the whole name of a file',
    fix: 'write {meant}',
  },
];

function* kind({ file, each, shipment, projects, isRun }: Found): Generator<SeenCause> {
  const isPlain = ({ words }: StartedCommand) =>
    words[0] === 'node' && !words.some((word) => /^(?:-r$|--(?:require|import|loader|experimental))/.test(word));
  if (!shipment.started().every(isPlain)) return;
  const path = posix.join(posix.dirname(file), each.name);
  const whole =
    /^\.(?!.*\.(?:[cm]?jsx?|json)$)/.test(each.name) && candidates(path).find((one) => shipment.sent.has(one));
  const isWhole = !whole || whole === path;
  const meant = isWhole
    ? undefined
    : `./${posix.relative(posix.dirname(file), whole).replace(/\.([cm]?)tsx?$/, '.$1js')}`;
  const facts = { ...each, file, kind: projects.kindOf(file), meant, text: shipment.read(file), isRun };
  const row = kindRows.find(({ holds }) => holds(facts));
  const said = { file, name: each.name, meant: meant ?? '' };
  if (row)
    yield {
      cause: 'node-module-kind',
      severity: 'error',
      captured: { path: file },
      at: { file, line: each.line },
      title: fill(row.title, said),
      fix: fill(row.fix, said),
    };
}
