import { groupsOf } from './groups.ts';
import { normalizeName, packageOf } from './import-names.ts';
import { moduleOf, versionsWith } from './moved-names.ts';
import type { Refinement } from './rule.ts';
import { framesOf, isForeignFile, packageOfFile } from './tracebacks.ts';

/** As packages are compared, without extras. */
export const plain = (name: string) => normalizeName(name.replace(/\[.*$/, ''));

/** pip installs all the same, and says which versions do not fit. */
export const pipWarned: Refinement = (found, { package: given, module = '' }, _, before) => {
  const name = plain(given ?? packageOf(module) ?? module.split('.')[0] ?? '');
  for (const line of before.toReversed()) {
    const [, owner, wanted, bound] = groupsOf(incompatible, line);
    if (owner === undefined || plain(wanted ?? '') !== name) continue;
    const title = `${found.title}: pip replaced ${wanted}, of which ${owner} needs ${bound}`;
    const fix = `pin ${wanted} = "${bound}", or update ${owner}`;
    return { ...found, cause: 'dependency-conflict', title, fix, setting: `dependencies.pip.${wanted}` };
  }
  return undefined;
};

const incompatible =
  /^(\S{1,80} \S{1,30}) requires ([\w.-]{1,80}?)([<>=!~]\S{1,60}), but you have \S{1,80} \S{1,30} which is incompatible/;

/** The versions that have a name, where they are known. */
export const movedName: Refinement = (
  found,
  { object = '', name, package: given, module = moduleOf(object, name ?? '') ?? '' },
) => {
  const bound = versionsWith(name === undefined ? module : `${module}.${name}`);
  const owner = given ?? packageOf(module) ?? plain(module.split('.')[0] ?? '');
  if (bound === undefined || (found.cause === 'module-missing' && !module.includes('.'))) return undefined;
  const otherwise = bound.startsWith('<') ? ', or update the package or the code that uses it' : '';
  return { ...found, fix: `pin ${owner} = "${bound}"${otherwise}`, setting: `dependencies.pip.${owner}` };
};

/** A package that passes what another one does not take. What the event loop refuses, its caller was given by another. */
export const betweenPackages: Refinement = (found, { name = '', argument }, _, before) => {
  const start = before.findLastIndex((line) => line.startsWith('Traceback'));
  const frames = framesOf(before.slice(Math.max(start, 0)));
  const callers = frames.flatMap(({ file }) => packageOfFile(file) ?? (isForeignFile(file) ? [] : 'the code'));
  const caller = callers.at(-1);
  if (caller === undefined || argument === undefined) return undefined;
  if (!/^Base\w{0,20}EventLoop\./.test(name))
    return { ...found, title: `${caller} passes ${argument} to ${name} of another package, which does not take it` };
  const passer = callers.findLast((one) => one !== caller) ?? 'the code';
  const wanted = versionsWith(`${caller}.${argument}`);
  return {
    ...found,
    title: `${passer} passes ${argument} to ${caller}, which does not take it in the version that is installed`,
    fix: `pin ${caller}${wanted === undefined ? ` to the version that ${passer} was written for` : ` = "${wanted}"`}, or update ${passer}`,
    setting: `dependencies.pip.${caller}`,
  };
};

/** The distribution of the image has the library in another version. */
export const otherRelease: Refinement = (found, { library = '' }, _, before) => {
  const [, stem, wanted] = groupsOf(/^(lib[\w+-]{1,40})\.so\.(\d{1,4})/, library);
  if (stem === undefined) return undefined;
  const isOther = (word: string) =>
    word.startsWith(stem) && /^\d/.test(word.slice(stem.length)) && word !== stem + wanted;
  const there = before.flatMap((line) => line.split(/[^\w+-]+/)).find(isOther);
  if (there === undefined) return undefined;
  return {
    ...found,
    title: `the image has ${there}, and ${library} of another version is wanted`,
    fix: `use a base image whose distribution has ${library}, get it from conda-forge, or use a version of the package that takes ${there}`,
    setting: 'deployment.docker_base_image_url',
  };
};
