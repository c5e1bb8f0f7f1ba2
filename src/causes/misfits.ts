import { groupsOf } from './groups.ts';
import { normalizeName, packageOf } from './import-names.ts';
import { packageOfFile } from './last-error.ts';
import { keywordOf, moduleOf, versionsWith } from './moved-names.ts';
import type { Refinement } from './rule.ts';
import { framesOf } from './tracebacks.ts';

/** As packages are compared, without extras. */
export const plain = (name: string) => normalizeName(name.replace(/\[.*$/, ''));

/** The package of a module, as far as its name tells. */
const ownerOf = (module: string) => packageOf(module) ?? plain(module.replace(/\..*$/, ''));

/** pip installs all the same, and says which versions do not fit. */
export const pipWarned: Refinement = ({ package: given, module = '' }, _, before, found) => {
  const name = plain(given ?? ownerOf(module));
  for (const line of before.toReversed()) {
    const [, owner, wanted = '', bound] = groupsOf(incompatible, line);
    if (owner === undefined || plain(wanted) !== name) continue;
    const title = `${found.title}: pip replaced ${wanted}, of which ${owner} needs ${bound}`;
    const fix = `pin ${wanted} = "${bound}", or update ${owner}`;
    return { cause: 'dependency-conflict', title, fix, setting: `dependencies.pip.${wanted}` };
  }
  return undefined;
};

const incompatible =
  /^(\S{1,80} \S{1,30}) requires ([\w.-]{1,80}?)([<>=!~]\S{1,60}), but you have \S{1,80} \S{1,30} which is incompatible/;

/** Python before 3.7 does not say what it imports from. */
const importedFrom = (before: readonly string[]) =>
  groupsOf(/^from ([\w.]{1,120}) import\b/, framesOf(before).at(-1)?.code)[1];

/** The versions that have a name, where they are known. */
export const movedName: Refinement = ({ object = '', name, package: given, module: found }, _, before, { cause }) => {
  const module = found ?? moduleOf(object, name ?? '') ?? importedFrom(before) ?? '';
  const bound = versionsWith(name === undefined ? module : `${module}.${name}`);
  const owner = given ?? ownerOf(module);
  if (bound === undefined || (cause === 'module-missing' && !module.includes('.'))) return undefined;
  const otherwise = bound.startsWith('<') ? ', or update the package or the code that uses it' : '';
  const moved = cause === 'module-missing' && { title: `the installed version of ${owner} has no module ${module}` };
  return { ...moved, fix: `pin ${owner} = "${bound}"${otherwise}`, setting: `dependencies.pip.${owner}` };
};

/** What one package takes from another one, which does not have it: they are of different times. */
export const betweenPackages: Refinement = ({ name, ...captured }, _, before, { title }) => {
  const module = captured.module ?? importedFrom(before);
  const importer = packageOfFile(framesOf(before).at(-1)?.file);
  if (!name || !module || importer === undefined || importer === module.split('.')[0]) return undefined;
  const owner = ownerOf(module);
  return {
    title: `${title}: ${importer}, which takes it from there, is made for another version of ${owner}`,
    fix: `update ${importer} and ${owner}, or pin one of them to the time of the other`,
    setting: `dependencies.pip.${owner}`,
  };
};

/** A keyword that a call takes in some versions of its package only. */
export const movedKeyword: Refinement = ({ name = '', wanted = '', argument = wanted }) => {
  const word = argument.replaceAll("'", '');
  const key = keywordOf(name, word);
  if (key === undefined) return undefined;
  const owner = ownerOf(key);
  return {
    cause: 'package-api-changed',
    title: `${name} takes no ${word} in the version of ${owner} that is installed`,
    fix: `pin ${owner} = "${versionsWith(key)}", or update the package or the code that gives it`,
    setting: `dependencies.pip.${owner}`,
  };
};
