import type { Import, PythonCall, PythonFacts } from '../../app/python/facts.ts';
import { isOlder, pinnedVersion } from '../../app/wheels.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { normalizeName, packageOf } from '../import-names.ts';
import { callBounds, versionsWith } from '../moved-names.ts';
import { hiddenBy } from './imports.ts';
import type { LookedApp } from './looked-app.ts';
import type { Module, ModuleGraph } from './modules.ts';
import type { Packages } from './packages.ts';
import { builtins, otherPython } from './python-names.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

/** What Python itself refuses, and names that are not there. */
export function* lookAtPython(app: LookedApp): Generator<SeenCause> {
  const python = app.shipment.python();
  for (const module of app.modules) {
    yield* encoding(module);
    if (python !== undefined) yield* versions(module, python);
    for (const each of [...module.facts.imports, ...membersOf(module.facts)])
      yield* movedName(module, each, app.packages);
    for (const each of module.facts.calls) yield* movedCall(module, each, app);
    yield* members(module, app);
    if (!module.facts.isBroken) yield* undefinedNames(module);
  }
}

function* encoding({ file, undecodable: line }: Module): Generator<SeenCause> {
  if (line === undefined) return;
  yield say('file-encoding python', { path: file }, { at: { file, line } });
}

/** Syntax and names of the standard library that a newer Python has. */
function* versions({ file, facts }: Module, python: string): Generator<SeenCause> {
  for (const { line, version, what } of facts.needs)
    if (isOlder(python, version))
      yield say('syntax-error', { path: file, what, version, python }, { at: { file, line } });
  for (const { module, name, line, level, isNeeded } of [...facts.imports, ...membersOf(facts)]) {
    const bounds = otherPython(`${module}.${name}`, python);
    const isCertain = isNeeded === 'always';
    if (level === 0 && isNeeded !== 'guarded' && (bounds.since ?? bounds.until))
      yield say(
        'python-version-unsupported name',
        { name, file, module, python, ...bounds },
        { isCertain, at: { file, line } },
      );
  }
}

/** `gr.inputs` of a package that is imported as a whole, and `Image.ANTIALIAS` of what is imported from one. */
function membersOf({ imports, members, calls, rebound }: PythonFacts): Import[] {
  const whole = new Map(imports.flatMap(objectsOf));
  const decorating = calls.flatMap(({ isDecorator, written, line }) => {
    const [, object, name = ''] = isDecorator ? groupsOf(/^(\w+)\.(\w+)$/, written) : [];
    return object === undefined ? [] : { object, name, line };
  });
  return [...members, ...decorating].flatMap(({ object, name, line }) => {
    const imported = rebound.has(object) ? undefined : whole.get(object);
    const isTop =
      imported?.name !== undefined || imported?.module === object || !imported?.module.startsWith(`${object}.`);
    return imported && isTop ? { ...imported, name, line, isNeeded: 'sometimes' } : [];
  });
}

/** What an import gives a name, but for what is told of it there: that it is not there itself. */
function objectsOf(imported: Import): [as: string, object: Import][] {
  const { module, name, as, level } = imported;
  if (level > 0 || boundOf(imported) !== undefined) return [];
  return [[as, name === undefined ? imported : { ...imported, module: `${module}.${name}` }]];
}

/** Names that came back in numpy 2. */
const cameBack = /^numpy\.(?:bool|long)$/;

function boundOf({ module, name, level }: Import): string | undefined {
  const whole = `${module}.${name}`;
  return name === undefined || level > 0 || cameBack.test(whole) ? undefined : versionsWith(whole);
}

/** Names that the listed version of a package does not have. */
function* movedName({ file }: Module, imported: Import, packages: Packages): Generator<SeenCause> {
  const { module, name = '', line, isNeeded } = imported;
  const bound = boundOf(imported);
  const owner = packageOf(module) ?? normalizeName(module);
  const wanted = packages.wanted(owner);
  if (bound === undefined || wanted === undefined || !contradicts(wanted, bound)) return;
  const isCertain = pinnedVersion(wanted) !== undefined && isNeeded === 'always';
  const facts = { package: owner, path: file, name, module, version: wanted.replace(/^==/, ' '), bound };
  yield say('package-api-changed name', facts, { isCertain, at: { file, line } });
}

/** What the listed version of a package does not take, or calls nothing by this name. */
function* movedCall({ file, facts }: Module, call: PythonCall, { packages, modules }: LookedApp): Generator<SeenCause> {
  const [first = ''] = call.written.split('.');
  const isMethod = call.written.includes('.') && !facts.imports.some(({ as }) => as === first);
  for (const { module, bound, said } of callBounds(call, isMethod)) {
    const owner = packageOf(module) ?? '';
    const wanted = packages.wanted(owner);
    const isOf = facts.imports.some((each) => packageOf(each.module) === owner);
    if (wanted === undefined || !isOf || !contradicts(wanted, bound) || isOwnMethod(call, modules)) continue;
    const details = { path: file, said, version: wanted.replace(/^==/, ' '), bound };
    yield say('package-api-changed call', { package: owner, ...details }, { at: { file, line: call.line } });
  }
}

const isOwnMethod = ({ name }: PythonCall, modules: readonly Module[]) =>
  modules.some(({ facts }) => [...facts.functions].some((each) => each.endsWith(name.slice(name.lastIndexOf('.')))));

/** Whether no version that pip takes is in the bounds: without a pin or an upper bound, it takes the last. */
export function contradicts(wanted: string, bound: string): boolean {
  const [, sign = '', version = ''] = groupsOf(/^([<>]=?)(.*)$/, bound);
  const pinned = pinnedVersion(wanted);
  const [, upper] = groupsOf(/<\s*([\d.]+)/, wanted);
  const [, lower] = groupsOf(/(?:>=?|~=?|\^)\s*([\d.]+)/, wanted);
  if (sign === '<' && lower !== undefined && !isOlder(lower, version)) return true;
  if (sign === '>=') return isOlder(pinned ?? upper ?? version, version) || (pinned === undefined && upper === version);
  if (pinned !== undefined) return !isOlder(pinned, version);
  return upper === undefined && !/[~=]/.test(wanted.replace('>=', ''));
}

/** `items.router` of a module of the app. */
function* members(module: Module, app: LookedApp): Generator<SeenCause> {
  const { graph } = app;
  const { file, facts } = module;
  const ownModules = importedModules(module, graph);
  const said = new Set(facts.members.flatMap(({ object, name, isSet }) => (isSet ? `${object}.${name}` : [])));
  for (const { object, name, line } of facts.members) {
    const target = ownModules.get(object);
    if (!target || said.has(`${object}.${name}`) || isIn(target, name, graph)) continue;
    said.add(`${object}.${name}`);
    const names = [...target.facts.names.keys()];
    const meant =
      closestName(name, names) ?? names.find((each) => each.endsWith(`_${name}`) || each.startsWith(`${name}_`));
    const hidden = hiddenBy(module, target, app);
    const facts = { module: target.file, name, path: target.file, object, meant, hidden };
    yield say('import-name-missing member', facts, { at: { file, line } });
  }
}

const isIn = (target: Module, name: string, graph: ModuleGraph) =>
  target.facts.hasMore ||
  name.startsWith('__') ||
  target.facts.names.has(name) ||
  graph.partOf(target.path, name) !== undefined;

/** Modules of the app, by the names that a module has for them. */
function importedModules(module: Module, graph: ModuleGraph): Map<string, Module> {
  const byName = new Map<string, Module>();
  for (const { found: each, target, roots, parts } of module.links) {
    const isOther = each.as !== parts.at(-1) && each.name === undefined && parts.length > 1 && each.as === parts[0];
    if (isOther || each.as === '') continue;
    const path = each.name === undefined ? target : graph.find([...parts, each.name], roots);
    const loaded = graph.module(path);
    if (loaded && !module.facts.rebound.has(each.as)) byName.set(each.as, loaded);
  }
  return byName;
}

function* undefinedNames({ file, facts }: Module): Generator<SeenCause> {
  for (const { name, line, definedAt } of facts.undefinedNames)
    if (!builtins.has(name) && !/^__\w+__$/.test(name)) {
      const those = name === 'display' || name === 'get_ipython' ? 'notebooks' : undefined;
      yield say('name-undefined', { name, path: file, definedAt, those }, { at: { file, line } });
    }
}
