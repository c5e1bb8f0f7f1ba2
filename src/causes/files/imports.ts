import { posix } from 'node:path';
import { isBelowOrSame } from '../../app/image-stage.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { modulesOf, normalizeName, packageOf, spelledLike } from '../import-names.ts';
import type { LookedApp } from './looked-app.ts';
import { folderOf, type Link, type Module, type ModuleGraph } from './modules.ts';
import type { Packages } from './packages.ts';
import { otherPython, standardModules } from './python-names.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { isBroughtByOthers, ofTheRuntime } from './tables.ts';

/** Imports that fail when the app starts, or when the code gets there. */
export function* lookAtImports(app: LookedApp): Generator<SeenCause> {
  const said = new Set<string>();
  for (const link of app.modules.flatMap(({ links }) => links)) {
    const cause = lookAtImport(link, app);
    if (!cause) continue;
    const placed = { at: { file: link.module.file, line: link.found.line }, isCertain: isCertain(link, app), ...cause };
    // Of a package that is missing, one import is enough.
    const missed = placed.cause === 'module-missing' && placed.captured?.package;
    if (missed && said.has(`${placed.isCertain} ${missed}`)) continue;
    if (missed) said.add(`${placed.isCertain} ${missed}`);
    yield placed;
  }
}

function lookAtImport(link: Link, app: LookedApp): SeenCause | undefined {
  const { target, found, module } = link;
  // What is done only as a script, the runtime does not do.
  if (app.shipment.config.runtime === 'cortex' && module.facts.scriptLines.has(found.line)) return undefined;
  if (target === 'above') return found.isNeeded === 'always' ? above(link) : undefined;
  if (target === undefined)
    return found.isNeeded === 'guarded' || isMade(link, app) || hasOther(link, app) ? undefined : missing(link, app);
  if (found.name === undefined || found.name === '*') return undefined;
  return target.endsWith('/') ? submodule(link, target.slice(0, -1), app) : nameIn(link, target, app);
}

/** Whether the code makes the module itself, or installs packages. */
function isMade({ top }: Link, { graph }: LookedApp): boolean {
  const { modules, installs } = graph.made();
  return installs || modules.has(top);
}

/** Whether the import is there that this one stands in for. */
function hasOther({ module: { links }, found: { insteadOf } }: Link, { packages, shipment }: LookedApp): boolean {
  const other = insteadOf && links.find(({ found }) => found === insteadOf);
  if (!other || other.target === 'above') return false;
  const { top } = other;
  const isStandard = standardModules.has(top) && versionWith(top, shipment.python() ?? '', packages) === undefined;
  return other.target !== undefined || isStandard || packages.provides(other.found.module) === true;
}

/** In an image, any command may have made what the files do not have. */
const isCertain = ({ found, module }: Link, { graph, shipment }: LookedApp): boolean =>
  found.isNeeded === 'always' && (graph.isReached || module.isEntry !== false) && !shipment.isDocker;

function above({ module, found }: Link): SeenCause {
  const { module: from, name, level } = found;
  const meant = from === '' ? `import ${name}` : `from ${from} import ${name}`;
  return say('relative-import', { dots: module.isEntry === 'script' ? undefined : '.'.repeat(level), meant });
}

function nameIn(link: Link, target: string, app: LookedApp): SeenCause | undefined {
  const { graph } = app;
  const { name = '' } = link.found;
  const other = graph.module(target);
  if (!other || graph.partOf(target, name) !== undefined) return undefined;
  const at = graph.namesOf(other).get(name);
  if (at) return circular(link, other, at.line);
  if (other.facts.hasMore) return undefined;
  const folder = folderOf(target);
  const isFile =
    folder !== undefined && unsent(posix.join(posix.dirname(other.file), name), app.shipment) !== undefined;
  return isFile ? submodule(link, folder, app) : nameMissing(link, other, app);
}

function nameMissing({ module, found: { name = '' } }: Link, other: Module, app: LookedApp): SeenCause {
  const { file, facts, path } = other;
  const parts = folderOf(path) === undefined ? [] : filesIn(posix.dirname(path), app.graph).keys();
  const meant = closestName(name, [...facts.names.keys(), ...parts]);
  return say('import-name-missing', { module: file, name, path: file, meant, hidden: hiddenBy(module, other, app) });
}

/** What Python would find if the app had no file of this name: a module of its own, or a package. */
export function hiddenBy({ links }: Module, { path }: Module, { packages }: LookedApp): string | undefined {
  const { top = '' } =
    links.find(({ target, parts, found }) => target === path && parts.length === 1 && found.level === 0) ?? {};
  const owner = packageOf(top);
  if (standardModules.has(top)) return `the module ${top} of Python`;
  return owner !== undefined && packages.has(owner) ? `the package ${owner}` : undefined;
}

function circular({ module, found, waitsAt }: Link, other: Module, definedAt: number): SeenCause | undefined {
  if (waitsAt === undefined || found.isNeeded !== 'always' || definedAt < waitsAt || other === module) return undefined;
  const places = { file: module.file, waitsAt, other: other.file, name: found.name, definedAt };
  return say('circular-import', { module: found.module, ...places });
}

/** `from package import module`, of a package that has no such module. */
function submodule(link: Link, folder: string, app: LookedApp): SeenCause | undefined {
  const { name = '' } = link.found;
  if (app.graph.find([name], [folder]) !== undefined) return undefined;
  const part = { ...link, target: undefined, parts: [...link.parts, name] };
  return excluded(part, app, [posix.join(folder, name)]) ?? ownMissing(part, app);
}

/** In this order: the first that has a word on it. */
function missing(link: Link, app: LookedApp): SeenCause | undefined {
  const { found, parts, top, roots } = link;
  if (found.level === 0 && (standardModules.has(top) || top.startsWith('_'))) return standard(link, app);
  const paths = roots.map((root) => posix.join(root, ...parts));
  const isOther = found.isNeeded === 'sometimes' && app.packages.provides(found.module) === true;
  return (isOther ? undefined : (excluded(link, app, paths) ?? uncopied(link, app, paths))) ?? notFound(link, app);
}

function notFound(link: Link, app: LookedApp): SeenCause | undefined {
  const { found, parts, top, roots } = link;
  const isOwn = found.level > 0 || (parts.length > 1 && app.graph.find([top], roots) !== undefined);
  if (isOwn) return ownMissing(link, app);
  const other = ofPackage(link, app);
  if (other) return other;
  const isThere = app.packages.provides(found.module) === true || foundElsewhere(link, app) === 'it';
  return isThere ? undefined : (misplaced(link, app) ?? notInstalled(link, app));
}

/** `import pillow`: the name of a package whose module has another one. */
function ofPackage(link: Link, app: LookedApp): SeenCause | undefined {
  const { module } = link.found;
  const [meant, ...others] = packageOf(module) === undefined ? meantBy(link.top, app.packages) : [];
  if (meant === undefined || others.length > 2) return undefined;
  const facts = { module, file: link.module.file, of: packageOf(meant) ?? normalizeName(link.top), own: meant };
  return say('module-missing renamed', facts, { isCertain: false });
}

/** Modules in another case, or those of a package of this name. */
function meantBy(top: string, packages: Packages): string[] {
  const spelled = spelledLike(top);
  const name = normalizeName(top);
  return spelled.length > 0 || !packages.has(name) ? spelled : modulesOf(name);
}

/** Modules that only some versions of Python have. */
function standard({ module: { file }, top: module }: Link, app: LookedApp): SeenCause | undefined {
  const python = app.shipment.python();
  const lacks = python === undefined ? undefined : versionWith(module, python, app.packages);
  return lacks && say('python-version-unsupported module', { package: file, file, module, python, ...lacks });
}

/** The version since or until when Python has a module, if it has none and no package brings it. */
function versionWith(module: string, python: string, packages: Packages) {
  const { since, until } = otherPython(module, python);
  if (since !== undefined) return { since };
  const isBrought = packages.has('setuptools') || packages.provides(module) !== false;
  return until === undefined || isBrought ? undefined : { until };
}

/** A file or a folder of the app folder that is not sent, by the path of a module. */
function unsent(path: string, shipment: Shipment): string | undefined {
  const file = [`${path}.py`, `${path}/__init__.py`].find((each) => shipment.exists(each) && !shipment.sent.has(each));
  if (file !== undefined) return file;
  const isFolder = shipment.isFolder(path) && !shipment.hasFolder(path);
  return isFolder && shipment.list(path).some((each) => each.endsWith('.py')) ? `${path}/` : undefined;
}

/** What is in the app folder and not sent. */
function excluded(link: Link, app: LookedApp, paths: readonly string[]): SeenCause | undefined {
  const { shipment } = app;
  const inFolder = paths.flatMap((path) => inAppFolder(path, app) ?? []);
  const [unsentFile] = inFolder.flatMap((path) => unsent(path, shipment) ?? []);
  if (unsentFile === undefined) return undefined;
  const { why: because, fix, setting } = shipment.whyUnsent(unsentFile);
  const place = { file: link.module.file, line: link.found.line };
  return say(
    'module-excluded',
    { module: link.parts.join('.'), path: unsentFile, because, ...place },
    { at: { setting }, fix },
  );
}

/** What is sent, and no COPY of the Dockerfile brings into the image. */
function uncopied(link: Link, app: LookedApp, paths: readonly string[]): SeenCause | undefined {
  const { path: dockerfile, stage } = app.shipment.dockerfile() ?? {};
  if (!stage || app.packages.projects.size > 0 || app.graph.addsRoots) return undefined;
  for (const path of paths) {
    const inFolder = inAppFolder(path, app);
    const file = [`${inFolder}.py`, `${inFolder}/__init__.py`].find((each) => app.shipment.sent.has(each));
    if (file === undefined || stage.others.some((each) => isBelowOrSame(path, each.path))) continue;
    const words = `${file} ./`.replace(/^([^/ ]+\/).*/, '$1 $1');
    const module = link.parts.join('.');
    return say('module-missing uncopied', { module, file: link.module.file, dockerfile, own: file, words });
  }
  return undefined;
}

/** The path in the app folder of a path of the image, by a file that is near it. */
function inAppFolder(path: string, { shipment, graph }: LookedApp): string | undefined {
  if (!shipment.isDocker) return path.startsWith('/cortex/') ? path.slice('/cortex/'.length) : undefined;
  for (let folder = posix.dirname(path); folder !== '/'; folder = posix.dirname(folder))
    for (const [each, file] of graph.tree)
      if (each.startsWith(`${folder}/`) && file.endsWith(each.slice(folder.length + 1)))
        return posix.join(file.slice(0, file.length - each.length + folder.length + 1), path.slice(folder.length + 1));
  return undefined;
}

/** A module of a package of the app. */
const ownMissing = (link: Link, app: LookedApp): SeenCause =>
  say('module-missing own', { module: link.parts.join('.'), file: link.module.file, near: nearby(link, app) });

/** A file with a similar name in the folder where the module should be. */
function nearby({ roots, parts }: Link, { graph }: LookedApp): string | undefined {
  const last = parts.at(-1) ?? '';
  for (const root of roots) {
    const names = filesIn(posix.join(root, ...parts.slice(0, -1)), graph);
    const meant = closestName(last, names.keys());
    if (meant !== undefined) return names.get(meant);
  }
  return undefined;
}

/** The modules of a folder of the image, with their files. */
const filesIn = (folder: string, { tree }: ModuleGraph): Map<string, string> =>
  new Map(
    [...tree].flatMap(([path, file]) =>
      posix.dirname(path) === folder && path.endsWith('.py') ? [[posix.basename(path, '.py'), file] as const] : [],
    ),
  );

/** A module of the app that is where Python does not look, has nearly this name, or is beside the app. */
function misplaced(link: Link, app: LookedApp): SeenCause | undefined {
  const { shipment, graph, packages } = app;
  const isKnown = packageOf(link.found.module) !== undefined;
  if ((isKnown && packages.provides(link.found.module) !== false) || graph.addsRoots) return undefined;
  const inTree = [...graph.tree.values()];
  const files = graph.isReached ? inTree : shipment.paths;
  const there = otherPlaceOf(link.parts, files);
  const near = there ?? spelledLikeIn(link.top, files);
  if (near === undefined) return isKnown || !graph.isReached ? undefined : beside(link, app);
  // Without a start that is known, Python may look in any folder of the image.
  if (!graph.isReached && inTree.includes(near)) return undefined;
  const facts = { module: link.found.module, file: link.module.file };
  return there === undefined ? say('module-missing own', { ...facts, near }) : inOtherFolder(facts, there, app);
}

function inOtherFolder(facts: { module: string; file: string }, there: string, app: LookedApp): SeenCause {
  const folders = app.graph.roots.map((root) => inAppFolder(`${root}/x`, app)?.replace(/\/?x$/, ''));
  const looked = [...new Set(folders.map((each) => each || 'the app folder'))].join(', ');
  return say('module-missing elsewhere', { ...facts, there, looked });
}

function beside(link: Link, app: LookedApp): SeenCause | undefined {
  const { top } = link;
  return app.shipment.besides(top)
    ? say('module-missing beside', { module: link.found.module, file: link.module.file, top })
    : undefined;
}

const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '');

/** Where a module of this name is in another folder. */
function otherPlaceOf(parts: readonly string[], files: readonly string[]): string | undefined {
  const wanted = parts.join('/');
  return files.find((file) => file.endsWith(`/${wanted}.py`) || file.endsWith(`/${wanted}/__init__.py`));
}

/** A module or a folder at the top of the app with nearly this name. */
function spelledLikeIn(top: string, files: readonly string[]): string | undefined {
  const code = files.filter((file) => file.endsWith('.py'));
  const tops = new Set(code.map((file) => (file.split('/')[0] ?? '').replace(/\.py$/, '')));
  const spelt = [...tops].find((each) => plain(each) === plain(top) && each !== top);
  const meant = spelt ?? (packageOf(top) === undefined ? closestName(top, tops) : undefined);
  return meant && (code.includes(`${meant}.py`) ? `${meant}.py` : `${meant}/`);
}

/** A package that nothing installs, or a module that nobody knows. */
function notInstalled(link: Link, app: LookedApp): SeenCause | undefined {
  const { module } = link.found;
  const name = packageOf(module);
  const isWhole = app.packages.provides(module) === false;
  if (bringsRuntime(name, link, app) && app.shipment.config.runtime === 'cortex') return undefined;
  if (!isWhole && mayBeBrought(name, app.packages)) return undefined;
  const isSure = isWhole && isKnown(name, link, app) && isCertain(link, app);
  const facts = { module, package: name, file: link.module.file };
  if (name !== undefined)
    return say('module-missing uninstalled', facts, { isCertain: isSure, fix: app.packages.fixOf(name) });
  return app.graph.addsRoots ? undefined : say('module-missing', facts, { isCertain: isSure });
}

/** What packages bring changes with their versions. */
const isKnown = (name: string | undefined, link: Link, app: LookedApp) =>
  !bringsRuntime(name, link, app) && !foundElsewhere(link, app) && !isBroughtByOthers(name ?? '');

/** Modules that the build fetches without installing them, or that are outside of the app: one of this name, or any. */
function foundElsewhere({ top }: Link, { shipment, graph }: LookedApp): 'it' | 'any' | undefined {
  const commands = shipment.buildCommands();
  const words = commands.flatMap((each) => (fetches.test(each.words[0] ?? '') ? each.words : writtenTo(each.words)));
  const outside = graph.roots.filter((root) => !isBelowOrSame(root, shipment.stage().workdir));
  const names = [...words, ...outside].map((each) => plain(posix.basename(each, '.git')));
  const isGenerated =
    /_pb2(?:_grpc)?$/.test(top) && commands.some((each) => each.words.some((word) => /protoc$/.test(word)));
  if (isGenerated || (top.length > 2 && names.some((each) => each.includes(plain(top))))) return 'it';
  return graph.addsRoots || words.includes('clone') ? 'any' : undefined;
}

const fetches = /^(?:git|hg|svn|curl|wget|cp|mv|ln|mkdir|touch)$/;

/** The folder of `--python_out=generated`, `--output-dir=client`. */
const writtenTo = (words: readonly string[]) =>
  words.flatMap((word) => groupsOf(/^--\w*out\w*(?:-\w+)?=(.+)/, word).slice(1));

const bringsRuntime = (name: string | undefined, { top }: Link, { shipment }: LookedApp) =>
  !shipment.isDocker && ofTheRuntime.has(name ?? normalizeName(top));

const mayBeBrought = (name: string | undefined, packages: Packages) =>
  packages.hasOthers || name === undefined || (isBroughtByOthers(name) && packages.unknown().length > 2);
