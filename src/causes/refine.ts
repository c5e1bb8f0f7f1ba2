import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultExclude, defaultInclude } from '../app/collect.ts';
import type { AppConfig } from '../app/config.ts';
import { exclusionReason } from '../app/files/exclusion-reason.ts';
import { isSelected } from '../app/files/patterns.ts';
import { missingWheels, pinnedVersion } from '../app/wheels.ts';
import type { Explanation } from './explanation.ts';
import { missingModule } from './missing-module.ts';
import { missingProgram } from './missing-program.ts';
import type { Captured, FailureFacts, Refinement } from './rule.ts';

/** A more precise cause, for failures that the app folder or known facts explain better than the log. */
export function refine(
  found: Explanation,
  captured: Captured,
  facts: FailureFacts,
  before: readonly string[],
): Explanation {
  for (const refinement of refinements) {
    const better = refinement(found, captured, facts, before);
    if (better) return better;
  }
  return found;
}

/** A module of the app that its patterns leave out. */
const excludedModule: Refinement = (found, { module, path }, facts) => {
  const name = found.cause === 'module-missing' ? module : found.cause === 'entrypoint-not-found' ? path : undefined;
  if (name === undefined) return undefined;
  const file = name.replace(/\.py$/, '').replaceAll('.', '/');
  // A folder is excluded if no module of it would be sent.
  return leftOut(found, 'module-excluded', [`${file}.py`, `${file}/__init__.py`, `${file}/`], facts);
};

const fileCauses = new Set(['file-not-found', 'requirements-file-missing', 'copy-source-missing']);

/** A file of the app that its patterns leave out. */
const excludedFile: Refinement = (found, { path }, facts) => {
  if (path === undefined || !fileCauses.has(found.cause)) return undefined;
  return leftOut(found, 'file-excluded', [path.replace(/^(\/cortex|\/app)\//, '').replace(/^\.\//, '')], facts);
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
  if (!['package-version-not-found', 'package-not-found', 'package-build-failed'].includes(found.cause))
    return undefined;
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
const notInstalledHere: Refinement = (found, { package: name, module, command }, { config, reason = '' }) => {
  if (!['module-missing', 'command-not-found'].includes(found.cause) || !reason.includes(emulatorHint))
    return undefined;
  const plain = (text: string) =>
    text
      .replace(/\[.*$/, '')
      .replace(/[-_.]+/g, '-')
      .toLowerCase();
  const names = [name, module?.split('.')[0], command].map((each) => each && plain(each));
  const listed = Object.keys(config?.dependencies.pip ?? {}).find((each) => names.includes(plain(each)));
  // What the packages of a requirements file are called, and what they bring along, is not known here.
  if (listed === undefined && !listsPackages(config)) return undefined;
  const { setting: _, ...rest } = found;
  const title =
    listed === undefined
      ? `the app lists packages, but this emulator installs none: ${module ?? command} may come with them`
      : `the app lists ${listed}, but this emulator installs no packages`;
  return {
    ...rest,
    title,
    fix: 'start the emulator with --install, or install the package for python3 on this machine',
  };
};

function listsPackages(config: AppConfig | undefined): boolean {
  const { pip = {}, paths } = config?.dependencies ?? {};
  return Object.keys(pip).length > 0 || paths?.pip !== undefined;
}

/** In the reason of the emulator. */
const emulatorHint = 'the emulator installs packages only with --install';

const exitCodeMeanings: Readonly<Record<string, string>> = {
  126: 'is not executable',
  127: 'was not found',
  137: 'was killed, usually because the build ran out of memory',
};

/** Where the command is written, and what its exit code means. */
const failedCommand: Refinement = (found, { command, code = '' }, { config }) => {
  if (found.cause !== 'command-failed') return undefined;
  const ended = exitCodeMeanings[code] ?? (code === '' ? 'failed' : `failed with exit code ${code}`);
  const title = command === undefined ? `a command of the build ${ended}` : `the build command "${command}" ${ended}`;
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
  const [, differs] = /^hint: the app ran with (Python .+)$/m.exec(reason) ?? [];
  if (differs === undefined || found.cause !== 'syntax-error') return undefined;
  return { ...found, fix: `correct it, unless it is right there: the app ran with ${differs}` };
};

const refinements: readonly Refinement[] = [
  otherPythonHere,
  excludedModule,
  excludedFile,
  notInstalledHere,
  unsupportedPython,
  failedCommand,
  missingModule,
  missingProgram,
];
