import { posix } from 'node:path';
import { type ImageState, isBelowOrSame, type RunCommand } from '../../app/image-stage.ts';
import type { LookedApp } from './looked-app.ts';
import { isInstall, type PackageJson, readJsonc } from './package-json.ts';
import { say } from './said.ts';
import type { StartedCommand } from './script-commands.ts';
import { candidates, isBeside, isScript, packageIn, type ScriptImport, scriptImports } from './script-imports.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** What JavaScript and TypeScript load, in an app that is built from a Dockerfile. */
export function* lookAtScripts({ shipment }: LookedApp): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const [manifest, ...others] = docker ? manifestsOf(shipment) : [];
  if (!docker || !manifest || others.length > 0) return;
  const project = { shipment, docker, manifest };
  for (const step of shipment.steps()) yield* tool(project, step.words, step.before, step.at);
  for (const { words, at } of shipment.started()) yield* tool(project, words, docker.stage, at);
  for (const file of filesOf(shipment, docker))
    for (const each of scriptImports(shipment.read(file)))
      yield* each.name.startsWith('.') ? wholeName(file, each, project) : ofPackage(file, each, project);
}

/** An app with one manifest. */
interface NodeApp {
  shipment: Shipment;
  docker: Docker;
  manifest: PackageJson;
}

const manifestsOf = ({ paths, text }: Shipment) =>
  paths
    .filter((path) => posix.basename(path) === 'package.json' && !/(?:^|\/)node_modules\//.test(path))
    .map((path) => readJsonc<PackageJson>(text(path)) ?? {});

/** The scripts of the image that Node runs, or that TypeScript writes for it. */
function filesOf(shipment: Shipment, docker: Docker): string[] {
  const run = isCompiled(shipment) ? undefined : reached(shipment, docker);
  const inStages = new Set(docker.image.stages.flatMap(({ files }) => [...files.values()]));
  return [...inStages].filter((path) => isScript(path) && !isBeside(path) && run?.has(path) !== false);
}

/** The packages of programs that scripts start, where they have other names. */
const packagesOfTools: Readonly<Record<string, string>> = {
  tsc: 'typescript',
  nest: '@nestjs/cli',
  ng: '@angular/cli',
  webpack: 'webpack-cli',
};
const tools = /^(?:vite|next|nuxt|tsup|tsx|ts-node|nodemon|esbuild|rollup|prisma|react-scripts)$/;

/** A program of a package that the image does not have. */
function* tool(
  project: NodeApp,
  [program = '']: readonly string[],
  image: ImageState,
  at: CausePlace | undefined,
): Generator<SeenCause> {
  const name = packagesOfTools[program] ?? (tools.test(program) ? program : '');
  if (!/(?:^|\/)node:/.test(image.base) || isNamed(image.commands, name)) return;
  if (!isOnlyDev(name, project) || !isProduction(image)) return;
  yield say('command-not-found development', { command: program, package: name }, { at });
}

/** Whether a command installs a package by its name. */
const isNamed = (commands: readonly RunCommand[], name: string) =>
  commands.some(({ words }) => words.some((word) => `${word}@`.startsWith(`${name}@`)));

/** Files that Node runs as they are, from those that are started. */
function reached(shipment: Shipment, { stage }: Docker): ReadonlySet<string> {
  const runs = shipment.started().filter(({ words: [program = ''] }) => /^(?:node|bun|tsx)$/.test(program));
  const entries = runs.flatMap(({ words, cwd }) => words.slice(1).flatMap((word) => shipment.fileAt(word, cwd) ?? []));
  const files = new Set(stage.files.size > 0 ? entries.filter(isScript) : []);
  // A set that grows is walked to its end.
  for (const file of files)
    for (const { name } of scriptImports(shipment.read(file))) {
      const paths = name.startsWith('.') ? candidates(posix.join(posix.dirname(file), name)) : [];
      const next = paths.find((path) => shipment.sent.has(path));
      if (next !== undefined && isScript(next)) files.add(next);
    }
  return files;
}

/** Whether Node, without a loader, takes a file for an ES module. */
function isModule(file: string, { shipment, manifest }: NodeApp): boolean {
  const isPlain = ({ words: [program, flag = ''] }: StartedCommand) => program === 'node' && flag[0] !== '-';
  const isOfKind = file.endsWith('.mjs') || (manifest.type === 'module' && !/\.c[jt]s$/.test(file));
  return isOfKind && shipment.started().every(isPlain);
}

/** Whether an installation for production leaves it out. */
function isOnlyDev(name: string, { shipment, docker, manifest }: NodeApp): boolean {
  const { dependencies = {}, devDependencies = {} } = manifest;
  // A command may have its own value of the variable.
  const isSet = /NODE_ENV=["']?(?!prod)/.test(docker.text);
  return name in devDependencies && !(name in dependencies) && !isSet && !shipment.sent.has('.yarnrc.yml');
}

/** A package that an image for production does not have. */
function* ofPackage(file: string, { name: whole, line }: ScriptImport, project: NodeApp): Generator<SeenCause> {
  const name = packageIn(whole);
  if (name === undefined || isNamed(project.shipment.steps(), name) || !isOnlyDev(name, project)) return;
  if (isProduction(project.docker.stage))
    yield say('module-missing development', { module: name, file }, { at: { file, line } });
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
  return (
    installs.length + copied.length > 0 &&
    installs.every(omitsDev) &&
    copied.every(({ from }) => from !== undefined && isProduction(from.stage))
  );
}

/** Whether TypeScript writes each file as it is, and nothing bundles them. */
function isCompiled(shipment: Shipment): boolean {
  const programs = shipment.steps().map(({ words: [program = ''] }) => program);
  const others = /^(?:vite|next|esbuild|tsup|rollup|webpack|node|bun|babel|swc|ncc|tsc-\w+|\S*fix\S*)$/;
  return programs.includes('tsc') && !programs.some((each) => others.test(each));
}

/** An import of an ES module that leaves out a part of the name of a file. */
function* wholeName(file: string, { name, line, isRequire }: ScriptImport, project: NodeApp): Generator<SeenCause> {
  if (isRequire || /\.(?:[cm]?jsx?|json)$/.test(name) || !isModule(file, project)) return;
  const path = posix.join(posix.dirname(file), name);
  const whole = candidates(path).find((candidate) => project.shipment.sent.has(candidate));
  if (whole === undefined || whole === path) return;
  const meant = posix.relative(posix.dirname(file), whole).replace(/\.([cm]?)tsx?$/, '.$1js');
  yield say('node-module-kind', { path: file, name, meant }, { at: { file, line } });
}
