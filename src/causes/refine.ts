import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defaultExclude, defaultInclude } from '../app/collect.ts';
import type { AppConfig } from '../app/config.ts';
import { exclusionReason } from '../app/files/entry.ts';
import { isSelected } from '../app/files/patterns.ts';
import { missingWheels, pinnedVersion } from '../app/wheels.ts';
import { closestName } from '../kernel/closest-name.ts';
import { cutText } from '../kernel/output/format.ts';
import type { Explanation } from './explanation.ts';
import { insteadOf } from './files/package-names.ts';
import { standardModules } from './files/python-names.ts';
import { groupsOf } from './groups.ts';
import { packageOf } from './import-names.ts';
import { betweenPackages, movedName, otherRelease, pipWarned, plain } from './misfits.ts';
import { missingPlace } from './missing-places.ts';
import { versionsWith } from './moved-names.ts';
import { debianPackageOfProgram, isNodeProgram, pythonPackageOfProgram } from './program-packages.ts';
import type { Captured, FailureFacts, Refinement } from './rule.ts';
import { framesOf, isForeignFile } from './tracebacks.ts';
import { lastWords } from './unknown-failure.ts';

/** A package is named only if the module surely is one: anybody can publish one under the name of an app's module. */
const missingModule: Refinement = (found, { module }, { config }, before) => {
  if (module === undefined) return undefined;
  const [top = module] = module.split('.');
  const files = before.flatMap((line) => groupsOf(/^\s+File "([^"]{1,300})", line/, line).slice(1));
  const importer = files.findLast((file) => !/^<|\/(?:importlib\/\w+|runpy)\.py$/.test(file)) ?? '';
  const isForeign = isForeignFile(importer);
  const known = packageOf(module);
  if (/(?:^|\/)\w{0,8}pickle\w{0,8}\.py$/.test(importer)) return { ...found, ...pickled };
  if (top === 'encodings') return { ...found, ...brokenPython };
  if (top.startsWith('_') || standardModules.has(top)) return { ...found, ...standardModule };
  // A module finds itself: what its own file lacks is the package of that name.
  const isNamesake = known !== undefined && importer.endsWith(`/${top}.py`);
  if (!isNamesake && (commonNames.has(top) || namesOf(files, config?.root).has(top))) return ownModule(found, module);
  if (module !== top && !namespaces.has(top))
    return isForeign || known !== undefined ? otherVersion(found, module, known ?? top) : ownModule(found, module);
  const name = known ?? (isForeign ? top.replaceAll('_', '-') : undefined);
  return name === undefined
    ? undefined
    : { ...found, fix: `add ${name} to [cerebrium.dependencies.pip]: ${name} = "${versionsWith(top) ?? 'latest'}"` };
};

/** The package that has a program, where one is known. */
const missingProgram: Refinement = (found, { command = '' }) => {
  const debian = debianPackageOfProgram(command);
  if (debian !== undefined)
    return {
      ...found,
      fix: `add ${debian} to [cerebrium.dependencies.apt]: ${debian} = "latest"`,
      setting: `dependencies.apt.${debian}`,
    };
  if (isNodeProgram(command))
    return {
      ...found,
      title: `${command} of node_modules is not there`,
      fix: `install the packages of package.json in the image (npm ci, with devDependencies: ${command} may be one), and let no mount hide node_modules`,
    };
  const python = pythonPackageOfProgram(command);
  return python === undefined
    ? undefined
    : {
        ...found,
        title: `${command} is not installed in the image, or not in its PATH`,
        fix: `add ${python} to [cerebrium.dependencies.pip], or put the folder of the virtual environment that has it into PATH`,
        setting: 'dependencies.pip',
      };
};

/** A more precise cause, for failures that the app folder or known facts explain better than the log. */
export function refine(
  found: Explanation,
  captured: Captured,
  facts: FailureFacts,
  before: readonly string[],
): Explanation {
  for (const [causes, refinement] of refinements) {
    const isMeant = causes === 'all' || causes.split(' ').includes(found.cause);
    const better = isMeant ? refinement(found, captured, facts, before) : undefined;
    if (better) return better;
  }
  return found;
}

/** A module of the app that its patterns leave out. */
const excludedModule: Refinement = (found, { module, path }, facts) => {
  const name = found.cause === 'module-missing' ? module : path;
  if (name === undefined) return undefined;
  const file = name.replace(/\.py$/, '').replaceAll('.', '/');
  // A folder is excluded if no module of it would be sent.
  return leftOut(found, 'module-excluded', [`${file}.py`, `${file}/__init__.py`, `${file}/`], facts);
};

/** A file of the app that its patterns leave out. */
const excludedFile: Refinement = (found, { path }, facts) => {
  if (path === undefined) return undefined;
  return leftOut(found, 'file-excluded', [path.replace(/^(\/cortex|\/app)\//, '').replace(/^\.\//, '')], facts);
};

/** A file that a Dockerfile copies, and that is not in the app folder: one of a similar name may be meant. */
const misspelledFile: Refinement = (found, { path }, { config }) => {
  if (!config || path === undefined) return undefined;
  const file = join(config.root, path);
  if (existsSync(file) || !existsSync(dirname(file))) return undefined;
  const meant = closestName(basename(path), readdirSync(dirname(file)));
  return meant === undefined
    ? undefined
    : { ...found, fix: `did you mean ${join(dirname(path), meant)}? Or ${found.fix}` };
};

/** On Linux, a file of other capitals is another file. */
const otherCapitals: Refinement = (found, { path }, _, before) => {
  const name = basename(path ?? '');
  if (name === '') return undefined;
  const words = before.flatMap((line) => line.split(/[\s'"/()[\],;:]+/));
  const other = words.find((word) => word !== name && word.toLowerCase() === name.toLowerCase());
  if (other === undefined) return undefined;
  return {
    ...found,
    title: `${found.title}: the log also shows ${other}`,
    fix: `write ${other} as the file is called: capitals count on Linux`,
  };
};

/** A name of Python's own modules among the requirements. */
const standardPackage: Refinement = (found, { package: name = '' }) => {
  if (!standardModules.has(name)) return undefined;
  const title = `${name} is a module of Python itself, and no package`;
  return { ...found, cause: 'requirement-invalid', title, fix: `remove ${name} from the requirements` };
};

/** A package of the system that newer releases have under another name. */
const replacedPackage: Refinement = (found, { package: name = '' }) => {
  const instead = insteadOf(name);
  return instead === undefined ? undefined : { ...found, fix: `write ${instead}: newer systems have it by that name` };
};

/** pydantic says each field in a line of its own, above what is wrong with it. */
const missingFields: Refinement = (found, { missing }, _, before) => {
  if (missing === undefined) return undefined;
  const fields = before.filter((_line, at) => before[at + 1]?.includes(missing) ?? true);
  const names = fields.map((field) => field.trim().toUpperCase()).filter((name) => /^\w+$/.test(name));
  return { ...found, title: `variables are not set: ${names.join(', ')}`, next: ['secrets', 'set', ...names] };
};

/** What the check was answered. */
const answeredCheck: Refinement = (found, { path }, _, before) => {
  if (path !== undefined) return undefined;
  const answers = before.map((line) => /"GET (\/\S{0,60}) HTTP\/1\.[01]" ([45]\d\d)/.exec(line));
  const [, asked, status] = answers.findLast((answer) => answer !== null) ?? [];
  return asked === undefined ? undefined : { ...found, title: `the check of ${asked} gets the status ${status}` };
};

function leftOut(
  found: Explanation,
  cause: string,
  paths: readonly string[],
  { config, exists = (path) => existsSync(join(config?.root ?? '', path)) }: FailureFacts,
): Explanation | undefined {
  const path = paths.find((one) => !one.startsWith('/') && !one.split('/').includes('..') && exists(one));
  if (!config || path === undefined) return undefined;
  const { include = defaultInclude, exclude = defaultExclude } = config.deployment;
  const file = path.replace(/\/$/, '/module.py');
  if (isSelected(file, include, exclude)) return undefined;
  const { why, pattern } = exclusionReason(file, exclude);
  return {
    ...found,
    cause,
    title: `${path} is in the app folder, but is not sent: ${path === file ? why : why.replace(file, `the files in ${path}`)}`,
    fix:
      pattern === undefined
        ? `add "${path}" to include`
        : `remove "${pattern}" from exclude, or change it to match fewer files`,
    setting: pattern === undefined ? 'deployment.include' : 'deployment.exclude',
    next: ['deploy', '--dry-run', '--files'],
  };
}

const newestPython = '3.13';

/** pip does not say why it has no wheel of a version; for some packages it is known. */
const unsupportedPython: Refinement = (found, { package: name = '', wanted = '', version }, { config }) => {
  const python = config?.deployment.python_version ?? newestPython;
  const local = /\+(\w{2,20})\s*$/.exec(wanted)?.[1];
  if (local !== undefined) return localVersion(found, name, wanted, local);
  const pinned = version ?? pinnedVersion(wanted);
  const missing = pinned === undefined ? undefined : missingWheels(name.toLowerCase(), pinned, python);
  // One that never has wheels is compiled: no other Python or version helps.
  if (!missing?.versions || (!config && missing.pythons.length === 0)) return undefined;
  const { pythons, versions } = missing;
  return {
    ...found,
    cause: 'python-version-unsupported',
    // A log does not say which Python it is of.
    title: config
      ? `${name} ${pinned} has no wheels for Python ${python}`
      : `${name} ${pinned} has wheels for Python ${pythons.join(', ')} only`,
    fix: pythons.length > 0 ? `python_version = "${pythons.at(-1)}"` : `use ${name} ${versions.join(' to ')}`,
    setting: 'deployment.python_version',
  };
};

/** `torch==2.1.0+cu121`: such builds are on an index of their own. */
function localVersion(found: Explanation, name: string, wanted: string, local: string): Explanation {
  const plain = wanted.replace(/\+\w{2,20}\s*$/, '').trim();
  const index = `--extra-index-url https://download.pytorch.org/whl/${local}`;
  const source = /^torch(?:vision|audio)?$/i.test(name) ? `, or list ${index} in a requirements file` : '';
  return { ...found, fix: `pin ${name}${plain}, without +${local}${source}` };
}

/** The app lists the package, and the emulator has not installed it. */
const notInstalledHere: Refinement = (found, { package: name, module, command }, { config, reason = '' }, before) => {
  const isHere = `${reason}\n${found.evidence.text}`.includes(emulatorHint);
  // The image of a Dockerfile has what that installs, wherever it is built.
  if (!isHere || config?.custom?.dockerfile_path !== undefined) return undefined;
  const names = [name, module?.split('.')[0], command].map((each) => each && plain(each));
  // The file may have another list by now.
  const ownList = /does not install pip packages.*((?:\n- .+)*)/.exec(before.join('\n'))?.[1]?.match(/(?<=- )[\w.-]+/g);
  const listed = (ownList ?? Object.keys(config?.dependencies.pip ?? {})).find((each) => names.includes(plain(each)));
  // What the packages of a requirements file are called, and what they bring along, is not known here.
  if (listed === undefined && !ownList && !listsPackages(config)) return undefined;
  const { setting: _, ...rest } = found;
  const title =
    listed === undefined
      ? `the app lists packages, but this emulator installs none: ${module ?? command} may come with them`
      : `the app lists ${listed}, but this emulator installs no packages`;
  return { ...rest, title, fix: emulatorHint, next: ['deploy', '--install'] };
};

const listsPackages = ({ dependencies }: Partial<AppConfig> = {}): boolean =>
  Object.keys(dependencies?.pip ?? {}).length > 0 || dependencies?.paths?.pip !== undefined;

/** In what the emulator says of a build and of a call. */
const emulatorHint = 'gantry deploy --install';

const exitCodeMeanings: Readonly<Record<string, string>> = {
  126: 'is not executable',
  127: 'was not found',
  137: 'was killed, usually because the build ran out of memory',
};

function withLastWords(title: string, before: readonly string[]): string {
  const said = lastWords(before);
  return said === undefined ? title : `${title}: ${cutText(said, 200)}`;
}

/** What the app said last. */
const lastWordsOfApp: Refinement = (found, _, __, before) => ({
  ...found,
  title: withLastWords(found.title, before),
});

/** Where the command is written, and what its exit code means. */
const failedCommand: Refinement = (found, { command, code = '' }, { config }, before) => {
  const ended = exitCodeMeanings[code] ?? (code === '' ? 'failed' : `failed with exit code ${code}`);
  const what = command === undefined ? `a command of the build ${ended}` : `the build command "${command}" ${ended}`;
  const title = withLastWords(
    what,
    before.filter((line) => !line.includes(`"${command}" failed`)),
  );
  const isNamed = (list: readonly string[] = []) => list.some((one) => one.trim() === command?.trim());
  const { deployment, custom } = config ?? {};
  if (custom?.dockerfile_path !== undefined) {
    return {
      ...found,
      title,
      fix: `correct it in ${custom.dockerfile_path}`,
      setting: 'runtime.custom.dockerfile_path',
    };
  }
  const key = isNamed(deployment?.pre_build_commands) ? 'pre_build_commands' : 'shell_commands';
  return { ...found, title, setting: `deployment.${key}` };
};

/** The emulator ran the app with another Python than that of `python_version`. */
const otherPythonHere: Refinement = (found, _, { reason = '' }) => {
  const [, differs] = groupsOf(/^hint: the app ran with (Python .+)$/m, reason);
  if (differs === undefined) return undefined;
  return { ...found, fix: `correct it, unless it is right there: the app ran with ${differs}` };
};

/** Of a limit that is known, more of it helps. */
const knownLimit: Refinement = (found, { killed }, { config }) => {
  const memory = config?.hardware?.memory;
  if (killed === undefined || memory === undefined) return undefined;
  return { ...found, title: 'the app ran out of memory', fix: `raise memory (now ${memory}), or load less at once` };
};

/** A name in quotes that ends with a blank came so out of a variable or a file. */
const strayBlank: Refinement = (found) => {
  const [, , name] = groupsOf(/(?<![\w'])(['"`])([^'"`\s][^'"`]{0,200}?)(?:\s|\\[nr])+\1(?!\w)/, found.evidence.text);
  if (name === undefined) return undefined;
  const fix = 'take it out of the variable or the file that holds the name, or strip the value in the code';
  return { ...found, title: `the name "${name}" has a blank or a line break at its end, so that it is not found`, fix };
};

/** Where Python was when it crashed, and whether two packages brought a runtime for threads. */
const crashedAt: Refinement = (found, _, __, before) => {
  const at = before.findLastIndex((line) => line.startsWith('Current thread '));
  const [frame] = at < 0 ? [] : framesOf(before.slice(at));
  if (frame === undefined) return undefined;
  const isDouble = [...before, found.evidence.text].some((line) =>
    /^Extension modules: .*\bfaiss\b.*\btorch\b/.test(line),
  );
  const otherwise = isDouble ? '; faiss and torch bring an OpenMP each: import torch before faiss' : '';
  const title = `the program crashed in native code that ${frame.file}:${frame.line} calls`;
  return { ...found, title, fix: `${found.fix}${otherwise}` };
};

const versions = 'import-name-missing package-api-changed module-missing';

/** By the causes that they are for; the first that has a word on it. */
const refinements: readonly (readonly [causes: string, refinement: Refinement])[] = [
  ['health-check-failed', answeredCheck],
  ['all', missingFields],
  ['package-not-found', standardPackage],
  ['data-missing file-not-found model-access-denied network-failed package-not-found', strayBlank],
  ['apt-package-not-found', replacedPackage],
  ['file-not-found', otherCapitals],
  ['shared-library-missing', otherRelease],
  ['segfault', crashedAt],
  ['all', betweenPackages],
  ['all', knownLimit],
  [versions, pipWarned],
  [versions, movedName],
  ['syntax-error', otherPythonHere],
  ['module-missing entrypoint-not-found', excludedModule],
  ['file-not-found requirements-file-missing copy-source-missing', excludedFile],
  ['copy-source-missing', misspelledFile],
  ['file-not-found', missingPlace],
  ['module-missing command-not-found', notInstalledHere],
  ['package-version-not-found package-not-found package-build-failed', unsupportedPython],
  ['app-exited', lastWordsOfApp],
  ['command-failed', failedCommand],
  ['module-missing', missingModule],
  ['command-not-found', missingProgram],
];

const standardModule = {
  title: 'the Python of the image does not have a module of the standard library',
  fix: 'use a python_version that has it, or newer versions of the packages that import it',
  setting: 'deployment.python_version',
};

const pickled = {
  cause: 'package-api-changed',
  title: 'a pickled file names a module that the installed packages, or the app, do not have',
  fix: 'pin scikit-learn, numpy and the others to the versions that wrote the file, or write it again',
  setting: 'dependencies.pip',
};

const brokenPython = {
  title: 'Python does not find its own standard library',
  fix: 'remove PYTHONHOME and PYTHONPATH from the environment, and make the virtual environment in the image that runs it',
  setting: 'deployment.docker_base_image_url',
};

/** Packages whose parts are installed one by one: that a part is missing does not show that the others are there. */
export const namespaces = new Set(['google', 'azure', 'ruamel', 'mpl_toolkits', 'opentelemetry', 'zope', 'mypy_boto3']);

/** What apps call their own modules. */
const commonNames = new Set(
  `api app apps backend base cli client common conf config configs constants core data database db dependencies domain
  endpoints engine exceptions extensions handler handlers helper helpers inference infra jobs lib libs loader logger
  logging_config main middleware model models modules my_app pipeline pipelines predict predictor prompts project
  routers routes schema schemas scripts serve server service services settings shared src startup storage task tasks
  test tests tools train types util utils views web worker workers wsgi asgi`.split(/\s+/),
);

/** The names of the files and folders that the traceback shows, but for those of Python and of packages. */
function namesOf(files: readonly string[], root = ''): Set<string> {
  const own = files.filter((file) => !isForeignFile(file)).flatMap((file) => file.replace(/\.py$/, '').split('/'));
  return new Set([...own, root.split('/').at(-1) ?? '']);
}

function ownModule(found: Explanation, module: string): Explanation {
  return {
    ...found,
    title: `the app imports ${module}, which is not where Python looks for it`,
    fix: 'send its file with the app (include), start the app in the folder that contains it, give no other file its name, and mount nothing over it',
    setting: 'deployment.include',
  };
}

function otherVersion(found: Explanation, module: string, name: string): Explanation {
  return {
    ...found,
    title: `the installed version of ${name} has no module ${module}`,
    fix: `pin ${name} to the version that the code was written for, or change the import`,
    setting: `dependencies.pip.${name}`,
  };
}
