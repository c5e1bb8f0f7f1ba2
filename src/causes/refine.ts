import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingWheels, pinnedVersion } from '../app/wheels.ts';
import { cutText } from '../kernel/output/format.ts';
import type { Explanation } from './explanation.ts';
import { insteadOf } from './files/package-names.ts';
import { standardModules } from './files/python-names.ts';
import { groupsOf } from './groups.ts';
import { packageOf } from './import-names.ts';
import { whyNotSent } from './left-out.ts';
import { betweenPackages, movedKeyword, movedName, pipWarned, plain } from './misfits.ts';
import { versionsWith } from './moved-names.ts';
import { debianPackageOfProgram, pythonPackageOfProgram } from './program-packages.ts';
import type { Captured, FailureFacts, Refinement } from './rule.ts';
import { isForeignFile } from './tracebacks.ts';
import { lastWords } from './unknown-failure.ts';

/** A more precise cause, for failures that the app folder or known facts explain better than the log. */
export function refine(
  found: Explanation,
  captured: Captured,
  facts: FailureFacts,
  before: readonly string[],
): Explanation {
  for (const [causes, refinement] of refinements) {
    const better = causes.split(' ').includes(found.cause) && refinement(captured, facts, before, found);
    if (better) return { ...found, ...better };
  }
  return found;
}

/** A package is named only if the module surely is one: anybody can publish one under the name of an app's module. */
const missingModule: Refinement = ({ module = '' }, { config }, before) => {
  const [top = module] = module.split('.');
  const files = before.flatMap((line) => groupsOf(/^\s+File "([^"]{1,300})", line/, line).slice(1));
  const isForeign = isForeignFile(files.at(-1));
  const known = packageOf(module);
  if (module === '') return undefined;
  if (top.startsWith('_') || standardModules.has(top)) return standardModule;
  // A module finds itself: what its own file lacks is the package of that name.
  const isNamesake = known !== undefined && files.at(-1)?.endsWith(`/${top}.py`);
  const isOwn = !isNamesake && (commonNames.has(top) || namesOf(files, config?.root).has(top));
  const isPart = module !== top && !namespaces.has(top);
  if (isOwn || (isPart && !isForeign && known === undefined))
    return { ...ownModule, title: `the app imports ${module}, which is not where Python looks for it` };
  if (isPart) return withoutModule(known ?? top, module);
  return known === undefined
    ? undefined
    : { fix: `add ${known} to [cerebrium.dependencies.pip]: ${known} = "${versionsWith(top) ?? 'latest'}"` };
};

const withoutModule = (name: string, module: string) => ({
  title: `the installed version of ${name} has no module ${module}`,
  fix: `pin ${name} to the version that the code was written for, or change the import`,
  setting: `dependencies.pip.${name}`,
});

const standardModule = {
  title: 'the Python of the image does not have a module of the standard library',
  fix: 'use a python_version that has it, or newer versions of the packages that import it',
  setting: 'deployment.python_version',
};

const ownModule = {
  fix: 'send its file with the app (include), start the app in the folder that contains it, give no other file its name, and mount nothing over it',
  setting: 'deployment.include',
};

/** The package that has a program, where one is known. */
const missingProgram: Refinement = ({ command = '' }) => {
  const debian = debianPackageOfProgram(command);
  const python = pythonPackageOfProgram(command);
  if (debian !== undefined)
    return {
      fix: `add ${debian} to [cerebrium.dependencies.apt]: ${debian} = "latest"`,
      setting: `dependencies.apt.${debian}`,
    };
  return python === undefined
    ? undefined
    : {
        title: `${command} is not installed in the image, or not in its PATH`,
        fix: `add ${python} to [cerebrium.dependencies.pip], or put the folder of the virtual environment that has it into PATH`,
        setting: 'dependencies.pip',
      };
};

/** A module or a file of the app that its patterns leave out. */
const notSent: Refinement = (
  { module, path: file = module },
  { config, exists = (path) => existsSync(join(config?.root ?? '', path)) },
  _,
  { cause },
) => {
  if (!config || file === undefined) return undefined;
  const isModule = /^(?:module|entrypoint)/.test(cause);
  const name = file.replace(/\.py$/, '').replaceAll('.', '/');
  // A folder is excluded if no module of it would be sent.
  const paths = isModule
    ? [`${name}.py`, `${name}/__init__.py`, `${name}/`]
    : [file.replace(/^(?:\/cortex\/|\/app\/|\.\/)/, '')];
  const path = paths.find((one) => !one.startsWith('/') && !one.split('/').includes('..') && exists(one));
  const found = path && whyNotSent(path.replace(/\/$/, '/module.py'), config, path);
  if (!found) return undefined;
  const { why, ...rest } = found;
  return {
    cause: isModule ? 'module-excluded' : 'file-excluded',
    title: `${path} is in the app folder, but is not sent: ${why}`,
    ...rest,
  };
};

/** That a user is missing may show when the image is started: the line that names it is to be changed. */
const startedAs: Refinement = ({ user }, _, __, { step }) => (step === 'CMD' ? { step: `USER ${user}` } : undefined);

/** What one stage of a Dockerfile copies from another was not made there. */
const notMade: Refinement = ({ path = '' }, _, __, { step = '' }) =>
  / --from=/.test(step)
    ? {
        title: `${path} is not in the stage or the image that the Dockerfile copies it from`,
        fix: 'correct the path, and let the step that makes it fail when it makes nothing: no ; and no || before the end of its RUN line',
      }
    : undefined;

/** A package of the system that newer releases have under another name. */
const replacedPackage: Refinement = ({ package: name = '' }) => {
  const instead = insteadOf(name);
  return instead === undefined ? undefined : { fix: `write ${instead}: newer systems have it by that name` };
};

/** pydantic says each field in a line of its own, above what is wrong with it. */
const missingFields: Refinement = ({ missing }, _, before) => {
  if (missing === undefined) return undefined;
  const fields = before.filter((_line, at) => before[at + 1]?.includes(missing) ?? true);
  const names = fields.map((field) => field.trim().toUpperCase()).filter((name) => /^\w+$/.test(name));
  return { title: `variables are not set: ${names.join(', ')}`, next: ['secrets', 'set', ...names] };
};

const newestPython = '3.13';

/** pip does not say why it has no wheel of a version; for some packages it is known. */
const unsupportedPython: Refinement = ({ package: name = '', wanted = '', version }, { config }) => {
  const python = config?.deployment.python_version ?? newestPython;
  const local = /\+(\w{2,20})\s*$/.exec(wanted)?.[1];
  if (local !== undefined) return localVersion(name, wanted, local);
  const pinned = version ?? pinnedVersion(wanted);
  const missing = pinned === undefined ? undefined : missingWheels(name.toLowerCase(), pinned, python);
  // One that never has wheels is compiled: no other Python or version helps.
  if (!missing?.versions || (!config && missing.pythons.length === 0)) return undefined;
  const { pythons, versions } = missing;
  return {
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
function localVersion(name: string, wanted: string, local: string): Partial<Explanation> {
  const plain = wanted.replace(/\+\w{2,20}\s*$/, '').trim();
  const index = `--extra-index-url https://download.pytorch.org/whl/${local}`;
  const source = /^torch(?:vision|audio)?$/i.test(name) ? `, or list ${index} in a requirements file` : '';
  return { fix: `pin ${name}${plain}, without +${local}${source}` };
}

/** The app lists the package, and the emulator has not installed it. */
const notInstalledHere: Refinement = ({ package: name, module, command }, facts, before, { evidence }) => {
  const { config, reason = '' } = facts;
  // The image of a Dockerfile has what that installs, wherever it is built.
  if (!`${reason}\n${evidence.text}`.includes(emulatorHint) || config?.custom?.dockerfile_path !== undefined)
    return undefined;
  const names = [name, module?.split('.')[0], command].map((each) => each && plain(each));
  // The file may have another list by now.
  const ownList = /does not install pip packages.*((?:\n- .+)*)/.exec(before.join('\n'))?.[1]?.match(/(?<=- )[\w.-]+/g);
  const { pip = {}, paths } = config?.dependencies ?? {};
  const list = ownList ?? Object.keys(pip);
  const listed = list.find((each) => names.includes(plain(each)));
  // What the packages of a requirements file are called, and what they bring along, is not known here.
  if (listed === undefined && list.length === 0 && paths?.pip === undefined) return undefined;
  const title = `the app lists ${listed ?? `packages, which ${module ?? command} may come with`}, but this emulator installs no packages`;
  return { title, fix: emulatorHint, setting: undefined, next: ['deploy', '--install'] };
};

/** In what the emulator says of a build and of a call. */
const emulatorHint = 'gantry deploy --install';

/** What was said last, and where the command is written. */
const lastSaid: Refinement = ({ command }, { config }, before, { title }) => {
  // A shell shows a command before what that prints.
  const own = before.slice(before.lastIndexOf(`+ ${command}`) + 1);
  const said = lastWords(own.filter((line) => command === undefined || !line.includes(`"${command}" failed`)));
  const isFirst = config?.deployment.pre_build_commands?.some((one) => one.trim() === command?.trim());
  return {
    title: said === undefined ? title : `${title}: ${cutText(said, 200)}`,
    ...(isFirst && { setting: 'deployment.pre_build_commands' }),
  };
};

/** What a build says of itself decides why it fails. */
const buildSaid: Refinement = (_, __, before, { title }) => {
  if (!title.endsWith('building it fails')) return undefined;
  const said = before.findLast((line) => buildError.test(line));
  return { title: said === undefined ? `${title}, and no rule knows why` : `${title}: ${cutText(said.trim(), 200)}` };
};

const buildError = /\berror: (?!subprocess|command|metadata|legacy|Failed)|\w(?:Error|Exception): |^\s*CMake Error/;

/** The machine that builds has no GPU, whatever the replica has. */
const gpuInBuild: Refinement = (_, __, ___, { step = '' }) =>
  step.startsWith('RUN ')
    ? {
        title: 'a command of the build wants a GPU, and a build has none',
        fix: 'do it when the app starts, or on the CPU (map_location="cpu"); to compile for a GPU, name it: TORCH_CUDA_ARCH_LIST',
        setting: 'deployment.shell_commands',
      }
    : undefined;

const versions = 'import-name-missing package-api-changed module-missing';

/** Refinements by the causes that they are for; the first that has a word on it. */
const refinements: readonly (readonly [causes: string, refinement: Refinement])[] = [
  ['secret-missing', missingFields],
  ['apt-package-not-found', replacedPackage],
  ['copy-source-missing', notMade],
  ['user-missing', startedAs],
  [versions, pipWarned],
  [versions, movedName],
  ['import-name-missing package-api-changed', betweenPackages],
  ['wrong-arguments package-api-changed', movedKeyword],
  ['module-missing entrypoint-not-found file-not-found requirements-file-missing copy-source-missing', notSent],
  ['module-missing command-not-found', notInstalledHere],
  ['package-version-not-found package-not-found package-build-failed', unsupportedPython],
  ['package-build-failed', buildSaid],
  ['gpu-driver-missing', gpuInBuild],
  ['app-exited command-failed', lastSaid],
  ['module-missing', missingModule],
  ['command-not-found', missingProgram],
];

/** Packages whose parts are installed one by one: that a part is missing does not show that the others are there. */
const namespaces = new Set(['google', 'azure', 'ruamel', 'mpl_toolkits', 'opentelemetry', 'zope', 'mypy_boto3']);

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
