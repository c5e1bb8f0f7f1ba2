import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { sections } from '../app/schema.ts';
import { missingWheels, pinnedVersion } from '../app/wheels.ts';
import { groupsOf } from '../kernel/groups.ts';
import { defined } from '../kernel/json-text.ts';
import { cutText } from '../kernel/output/format.ts';
import { stepOf } from './dockerfile-fix.ts';
import type { Explanation } from './explanation.ts';
import { insteadOf } from './files/package-names.ts';
import { standardModules } from './files/python-names.ts';
import { packageOf } from './import-names.ts';
import { whyNotSent } from './left-out.ts';
import { betweenPackages, movedKeyword, movedName, pipWarned, plain } from './misfits.ts';
import { versionsWith } from './moved-names.ts';
import { debianPackageOfProgram, isNodeProgram, pythonPackageOfProgram } from './program-packages.ts';
import { refined } from './refined.ts';
import type { Captured, FailureFacts, Refinement } from './rule.ts';
import { findUncaught, framesOf, isForeignFile } from './tracebacks.ts';
import { errorsIn, lastWords } from './unknown-failure.ts';

/** A more precise cause, for failures that the app folder or known facts explain better than the log. */
export function refine(
  explanation: Explanation,
  captured: Captured,
  facts: FailureFacts,
  before: readonly string[],
): Explanation {
  for (const [causes, refinement] of refinements) {
    const better = causes.split(' ').includes(explanation.cause) && refinement(captured, facts, before, explanation);
    if (better) return { ...explanation, ...better };
  }
  return explanation;
}

/** A package is named only if the module surely is one: anybody can publish one under the name of an app's module. */
const missingModule: Refinement = ({ module = '' }, { config }, before) => {
  const [top = module] = module.split('.');
  const files = before.flatMap((line) => groupsOf(/^\s+File "([^"]{1,300})", line/, line).slice(1));
  const owner = packageOf(module);
  if (module === '') return undefined;
  if (top.startsWith('_') || standardModules.has(top)) return refined('module of Python', {});
  // A module finds itself: what its own file lacks is the package of that name.
  const isNamesake = owner !== undefined && files.at(-1)?.endsWith(`/${top}.py`);
  const isOwn = !isNamesake && (commonNames.has(top) || namesOf(files, config?.root).has(top));
  const isPart = module !== top && !namespaces.has(top);
  if (isOwn || (isPart && owner === undefined && !isForeignFile(files.at(-1))))
    return refined('module of the app', { module });
  if (isPart) return refined('module of a package', { owner: owner ?? top, module });
  return refined('package', { name: owner, version: versionsWith(top) ?? 'latest' });
};

/** The package that has a program, where one is known; else the list of the language that asks for it. */
const missingProgram: Refinement = ({ command = '' }, _, before, { evidence }) =>
  refined('program of the system', { name: debianPackageOfProgram(command) }) ??
  refined('program of a package', { command, name: pythonPackageOfProgram(command) }) ??
  (isNodeProgram(command) || [...before, evidence.text].some((line) => ofNode.test(line))
    ? refined('program of Node', {})
    : undefined);

const ofNode = /\bnode_modules\b|^(?:npm|pnpm|yarn) |\bspawn \S{1,60} ENOENT|\(node:/;

const existsIn =
  (root = '') =>
  (path: string) =>
    existsSync(join(root, path));

/** A module or a file of the app that its patterns leave out. */
const notSent: Refinement = (
  { module, path: file = module },
  { config, exists = existsIn(config?.root) },
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
  const path = paths.find((each) => !each.startsWith('/') && !each.split('/').includes('..') && exists(each));
  const unsent = path && whyNotSent(path.replace(/\/$/, '/module.py'), config, path);
  if (!unsent) return undefined;
  const { why, ...rest } = unsent;
  return {
    cause: isModule ? 'module-excluded' : 'file-excluded',
    title: `${path} is in the app folder, but is not sent: ${why}`,
    ...rest,
  };
};

/** A file of the app that has the name of a module of Python. */
const hidden: Refinement = (_, __, ___, { evidence: { text } }) => {
  const [, module = ''] = groupsOf(/\/(?:cortex|app|code|src|workspace)\/(\w{1,40})\.py\b/, text);
  return standardModules.has(module) ? { cause: 'circular-import', ...refined('hidden', { module }) } : undefined;
};

/** A file that is written has no folder; one that is read is to be copied to the volume. */
const onVolume: Refinement = ({ path = '' }, { config, exists = existsIn(config?.root) }, before) => {
  const isWritten = /["'][wax]b?\+?["']|\.(?:write|to_|save|mkdir)\w*\(/.test(framesOf(before).at(-1)?.code ?? '');
  const [, target] = groupsOf(/^\/persistent-storage(\/.+)$/, path);
  if (isWritten && path.includes('/')) return refined('folder to write in', { folder: posix.dirname(path) });
  if (target === undefined) return undefined;
  const name = posix.basename(path);
  const local = config && exists(name) ? name : undefined;
  const next = local === undefined ? undefined : ['cp', local, `:${target}`];
  return { ...refined('on the volume', { path, local, target }), ...defined({ next }) };
};

/** That a user is missing may show when the image is started: the line that names it is to be changed. */
const startedAs: Refinement = ({ user }, _, __, { step }) => (step === 'CMD' ? { step: `USER ${user}` } : undefined);

/** What one stage of a Dockerfile copies from another was not made there. */
const notMade: Refinement = ({ path }, _, __, { step = '' }) =>
  / --from=/.test(step) ? refined('not made', { path }) : undefined;

/** A package of the system that newer releases have under another name. */
const replacedPackage: Refinement = ({ package: name = '' }) => refined('replaced', { instead: insteadOf(name) });

/** pydantic says each field in a line of its own, above what is wrong with it. */
const missingFields: Refinement = ({ missing }, _, before, { fix }) => {
  if (missing === undefined) return undefined;
  const fields = before.filter((_line, at) => before[at + 1]?.includes(missing) ?? true);
  const names = fields.map((field) => field.trim().toUpperCase()).filter((name) => /^\w+$/.test(name));
  return { ...refined('fields', { names: names.join(', '), fix }), next: ['secrets', 'set', ...names] };
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
  const pythons = missing.pythons.join(', ');
  const versions = missing.versions.join(' to ');
  // A log does not say which Python it is of.
  const details = { name, pinned, python: config && python, pythons, newest: missing.pythons.at(-1), versions };
  return { cause: 'python-version-unsupported', ...refined('wheels', details) };
};

/** `torch==2.1.0+cu121`: such builds are on an index of their own. */
function localVersion(name: string, wanted: string, local: string) {
  const index = /^torch(?:vision|audio)?$/i.test(name) ? local : undefined;
  return refined('local version', { name, plain: wanted.replace(/\+\w{2,20}\s*$/, '').trim(), local, index });
}

/** The app lists the package, and the emulator has not installed it. */
const notInstalledHere: Refinement = ({ package: name, module, command }, facts, before, { evidence }) => {
  const { config, reason = '' } = facts;
  // The image of a Dockerfile has what that installs, wherever it is built.
  const [, fix] = groupsOf(emulatorHint, `${reason}\n${evidence.text}`);
  if (fix === undefined || config?.custom?.dockerfile_path !== undefined) return undefined;
  const names = [name, module?.split('.')[0], command].map((each) => each && plain(each));
  // The file may have another list by now.
  const ownList = /does not install pip packages.*((?:\n- .+)*)/.exec(before.join('\n'))?.[1]?.match(/(?<=- )[\w.-]+/g);
  const { pip = {}, paths } = config?.dependencies ?? {};
  const list = ownList ?? Object.keys(pip);
  const listed = list.find((each) => names.includes(plain(each)));
  // What the packages of a requirements file are called, and what they bring along, is not known here.
  if (listed === undefined && list.length === 0 && paths?.pip === undefined) return undefined;
  const title = `the app lists ${listed ?? `packages, which ${module ?? command} may come with`}, but this emulator installs no packages`;
  return { title, fix, setting: undefined, next: fix.split(' ').slice(1) };
};

/** In what the emulator says of a build, a call and the run of a file. */
const emulatorHint = /installs packages only with --install \((gantry [\w -]+)\)/;

/** A file that is run has no entrypoint: its arguments are those of the command line. */
const refusedByProgram: Refinement = ({ target }, { source, exitCode }) =>
  source === 'run' && exitCode !== undefined && target !== undefined
    ? {
        cause: 'code-error',
        title: `the program refuses its arguments: ${target}`,
        fix: 'correct what follows the file on the command line, or what the program accepts',
        setting: undefined,
      }
    : undefined;

/** A script that has come to its end. */
const ended: Refinement = ({ code }, { config }) => {
  const { entrypoint = [], port } = config?.custom ?? {};
  const [, file] = groupsOf(/^python[\d.]* (?:-u )?(\S+\.py)(?: |$)/, entrypoint.join(' '));
  return code === '0'
    ? refined('ended', { file, port: String(port ?? sections['runtime.custom'].keys.port.default) })
    : undefined;
};

/** How a process ended, and that it is restarted: the platform or a watch says that, not the app. */
const ends = / ended with (?:exit code |SIG)|^replica \S+ restarted \d+ times/;

/** What was said last, or first of the errors of a build, and where the command is written. */
const lastSaid: Refinement = ({ command }, { config }, before, { title, cause }) => {
  const isHeader = (line: string) => line === `+ ${command}` || (stepOf([line]) !== undefined && !/ >>> /.test(line));
  // A shell, or an engine, shows a command before what that prints.
  const ofCommand = before.slice(before.findLastIndex(isHeader) + 1);
  const isEnd = (line: string) => (command === undefined ? ends.test(line) : line.includes(`"${command}" failed`));
  const printed = ofCommand.filter((line) => !isEnd(line));
  const error = cause === 'command-failed' ? firstError(printed) : undefined;
  const { said, fix } = error ?? { said: saidLast(printed), fix: 'correct what the last line says, or the command' };
  const isFirst = config?.deployment.pre_build_commands?.some((each) => each.trim() === command?.trim());
  return {
    ...(said !== undefined && { title: `${title}: ${cutText(said, 200)}`, fix }),
    ...(isFirst && { setting: 'deployment.pre_build_commands' }),
  };
};

const saidLast = (printed: readonly string[]) => lastWords(printed) ?? printed.find((line) => tool.test(line));

/** What a tool says of the part of its work that failed, where that printed nothing. */
const tool = /^make(?:\[\d\])?: \*\*\* \[|^npm (?:ERR!|error) command (?!failed)/;

/** The first error that a command printed: others follow from it. */
function firstError(printed: readonly string[]): { said: string; fix: string } | undefined {
  const error = errorsIn(printed).find((line) => toldError.test(line));
  if (error === undefined) return undefined;
  const at = printed.indexOf(error);
  const said = printed.slice(at, at + (error.endsWith(':') ? 2 : 1)).join(' ');
  const { place } = findUncaught(printed) ?? framesOf(printed).findLast(({ file }) => !isForeignFile(file)) ?? {};
  return {
    said: said.trim(),
    fix: place ? `look for its reason at ${place}` : 'correct what is said there, or the command',
  };
}

const toldError =
  /(?:^|[^\w.-])(?:(?:fatal )?error|ERROR|Error|[A-Z]\w+Error)(?:\[\w{1,9}\])?(?::(?: |$)| TS\d|\]| at )|: undefined reference to /;

/** What a build says of itself decides why it fails. */
const buildSaid: Refinement = (_, __, before, { title }) => {
  if (!title.endsWith('building it fails')) return undefined;
  const said = before.findLast((line) => buildError.test(line));
  return { title: said === undefined ? `${title}, and no rule knows why` : `${title}: ${cutText(said.trim(), 200)}` };
};

const buildError = /\berror: (?!subprocess|command|metadata|legacy|Failed)|\w(?:Error|Exception): |^\s*CMake Error/;

/** The innermost line of a traceback names the variable that it reads, and a build runs beside the secrets of the app. */
const unsetVariable: Refinement = ({ name, missing }, _, before, { step = '', fix }) => {
  const read = groupsOf(/(?:environ(?:\.get)?|getenv)[[(]["'](\w{1,80})["']/, framesOf(before).at(-1)?.code)[1];
  const isUnnamed = read !== undefined && name === undefined && missing === undefined;
  const isBuilt = step.startsWith('RUN ') && fix.includes('as a secret');
  return isUnnamed || isBuilt
    ? {
        ...(isUnnamed && {
          title: `the variable ${read} is not set`,
          fix: 'set it as a secret of the app, or give it a default in the code',
          next: ['secrets', 'set', read],
        }),
        ...(isBuilt && {
          fix: 'run that command when the app starts, where its secrets are; or give it a value in its line (NAME=x COMMAND), or a default in the code',
        }),
      }
    : undefined;
};

/** The machine that builds has no GPU, whatever the replica has. */
const gpuInBuild: Refinement = (_, __, ___, { step = '' }) =>
  step.startsWith('RUN ') ? refined('GPU in a build', {}) : undefined;

const versions = 'import-name-missing package-api-changed module-missing';

/** Refinements by the causes that they are for; the first that has a word on it. */
const refinements: readonly (readonly [causes: string, refinement: Refinement])[] = [
  ['secret-missing', missingFields],
  ['secret-missing', unsetVariable],
  ['apt-package-not-found', replacedPackage],
  ['copy-source-missing', notMade],
  ['user-missing', startedAs],
  ['import-name-missing package-api-changed python-version-unsupported circular-import', hidden],
  [versions, pipWarned],
  [versions, movedName],
  ['import-name-missing package-api-changed', betweenPackages],
  ['wrong-arguments package-api-changed', movedKeyword],
  ['module-missing entrypoint-not-found file-not-found requirements-file-missing copy-source-missing', notSent],
  ['module-missing command-not-found', notInstalledHere],
  ['entrypoint-invalid', refusedByProgram],
  ['package-version-not-found package-not-found package-build-failed', unsupportedPython],
  ['package-build-failed', buildSaid],
  ['gpu-driver-missing', gpuInBuild],
  ['app-exited', ended],
  ['app-exited command-failed', lastSaid],
  ['file-not-found', onVolume],
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
  const ownNames = files.filter((file) => !isForeignFile(file)).flatMap((file) => file.replace(/\.py$/, '').split('/'));
  return new Set([...ownNames, root.split('/').at(-1) ?? '']);
}
