import { groupsOf } from '../kernel/groups.ts';
import { normalizeName, packageOf } from './import-names.ts';
import { packageOfFile } from './last-error.ts';
import { keywordOf, moduleOf, versionsWith } from './moved-names.ts';
import { refined } from './refined.ts';
import type { Refinement } from './rule.ts';
import { framesOf } from './tracebacks.ts';

/** As packages are compared, without extras. */
export const plain = (name: string) => normalizeName(name.replace(/\[.*$/, ''));

/** The package of a module, as far as its name tells. */
const ownerOf = (module: string) => packageOf(module) ?? plain(module.replace(/\..*$/, ''));

/** pip installs all the same, and says which versions do not fit. */
export const pipWarned: Refinement = ({ package: given, module = '' }, _, before, explanation) => {
  const name = plain(given ?? ownerOf(module));
  for (const line of before.toReversed()) {
    const [, owner, wanted = '', bound] = groupsOf(incompatible, line);
    if (owner === undefined || plain(wanted) !== name) continue;
    return { cause: 'dependency-conflict', ...refined('conflict', { title: explanation.title, wanted, owner, bound }) };
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
  const missing = cause === 'module-missing' ? module : undefined;
  return refined('moved', { owner, missing, bound, otherwise });
};

/** What one package takes from another one, which does not have it: they are of different times. */
export const betweenPackages: Refinement = ({ name, ...captured }, _, before, { title }) => {
  const module = captured.module ?? importedFrom(before);
  const importer = packageOfFile(framesOf(before).at(-1)?.file);
  if (!name || !module || importer === undefined || importer === module.split('.')[0]) return undefined;
  return refined('between packages', { title, importer, owner: ownerOf(module) });
};

/** A keyword that a call takes in some versions of its package only. */
export const movedKeyword: Refinement = ({ name = '', wanted = '', argument = wanted }) => {
  const word = argument.replaceAll("'", '');
  const key = keywordOf(name, word);
  if (key === undefined) return undefined;
  const details = { name, word, owner: ownerOf(key), bound: versionsWith(key) };
  return { cause: 'package-api-changed', ...refined('keyword', details) };
};
