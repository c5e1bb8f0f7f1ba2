import { posix } from 'node:path';
import { contextPath } from '../../app/docker-image.ts';
import { isPlainImage } from '../../app/image-contents.ts';
import type { Stage } from '../../app/image-stage.ts';
import { flagOf } from '../../app/shell.ts';
import { fits, groupsOf, matchesIn } from '../../kernel/groups.ts';
import { normalizeName } from '../import-names.ts';
import { type Look, type LookedApp, lookAtEach } from './looked-app.ts';
import { absentFiles } from './named-files.ts';
import { projectName } from './package-files.ts';
import { type PackageJson, readJsonc } from './package-json.ts';
import { gemMissing, lacksProgram, misspelledProgram } from './programs.ts';
import { say, sayUnsent } from './said.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Docker, ImageStep, Shipment } from './shipment.ts';
import { toolVersion } from './tool-versions.ts';

/** What the commands of a Dockerfile need that the image does not have where they run. */
export function* lookAtImageCommands(app: LookedApp): Generator<SeenCause> {
  const { shipment } = app;
  const docker = shipment.dockerfile();
  const { startedAt: place, stage } = shipment;
  if (!docker && place) yield* lookAtEach([{ stage: stage(), at: place, what: 'entrypoint =' }], app, [wordList]);
  if (!docker) return;
  yield* lookAtEach(shipment.steps(), app, [neededFiles, absentProgram, notLocked, misspelledProgram]);
  yield* lookAtEach(shipment.ownSteps(), app, [aptUser, aptLists, toolVersion, packageScript]);
  // The entrypoint of the settings is looked at as that of any app.
  if (shipment.config.custom?.entrypoint) return;
  const at = { file: docker.path, line: docker.stage.command?.line };
  const started = shipment.started().map((each) => ({ ...each, at: each.at?.file === undefined ? at : each.at }));
  yield* lookAtEach([{ ...docker, at, what: 'CMD' }], app, [wordList, form]);
  yield* lookAtEach(started, app, [absentFiles, lacksProgram, gemMissing, packageScript, toolVersion]);
}

/** A command with the image that it finds. */
type FoundStep = Pick<ImageStep, 'words' | 'cwd' | 'at' | 'before'>;

const absentProgram: Look<ImageStep> = (step, app) => {
  const { words, hasMounts, caches } = step;
  const [program = ''] = words;
  // What is mounted may be a program.
  if (hasMounts && caches.length === 0) return undefined;
  const isGit = program.startsWith('pip') && words.some((word) => /^(?:\S+@\s*)?git\+/.test(word));
  if (!isGit) return lacksProgram(step, app);
  const lack = lacksProgram({ ...step, words: ['git'] }, app);
  return lack && { ...lack, cause: 'git-missing' };
};

const aptInstall = /^apt(?:-get)? (?:-\S+ )*install\b(?!.*\.deb)/;
/** What reads the lists of packages, or may do so, and what removes them. */
const readsLists = /^apt(?:-get)? (?:-\S+ )*update\b|\.sh$|^(?:(?:ba)?sh|curl|wget|\S*add-apt-repository)\b/;
const removesLists = /^rm\b.*\/var\/lib\/apt\/lists|^apt-get distclean/;

const aptUser: Look<ImageStep> = ({ words: [program = ''], before: { user } }, { shipment }) => {
  const isRoot = /^(?:root|0)$|\$/.test(user) || fits(/sudo/, shipment.dockerfile()?.text);
  return !isRoot && /^(?:apt|apt-get|apk|dnf|yum)$/.test(program)
    ? say('permission-denied user', { program, user })
    : undefined;
};

/** Images have no lists of packages, so that none is found without an update. */
const aptLists: Look<ImageStep> = ({ words, before, hasMounts }) => {
  if (hasMounts || !isPlainImage(before.base) || !aptInstall.test(words.join(' '))) return undefined;
  const texts = before.commands.map((each) => each.words.join(' '));
  const lastOf = (pattern: RegExp) => texts.findLastIndex((text) => pattern.test(text));
  return lastOf(readsLists) <= lastOf(removesLists) ? say('apt-install-failed', {}) : undefined;
};

/** Files that commands read, by how the command begins: one of each list is enough. */
const needs: readonly (readonly [command: RegExp, files: readonly string[], cause?: string])[] = [
  [/^npm ci\b/, ['package-lock.json', 'npm-shrinkwrap.json'], 'lock-file-outdated'],
  [/^(?:npm|yarn|pnpm|bun) (?:install|i|ci|run)(?= -|$| run)(?!.* (?:-g|--global)\b)/, ['package.json']],
  [/^yarn install\b.*--(?:frozen-lockfile|immutable)/, ['yarn.lock'], 'lock-file-outdated'],
  [/^pnpm (?:install|i)\b.*--frozen-lockfile/, ['pnpm-lock.yaml'], 'lock-file-outdated'],
  [/^bun install\b.*--frozen-lockfile/, ['bun.lock', 'bun.lockb'], 'lock-file-outdated'],
  [/^uv sync\b.*--(?:frozen|locked)/, ['uv.lock'], 'lock-file-outdated'],
  [/^cargo build\b.*--(?:frozen|locked)/, ['Cargo.lock'], 'lock-file-outdated'],
  [/^(?:uv sync|poetry install|pdm (?:install|sync))\b/, ['pyproject.toml']],
  [/^pipenv (?:install|sync)\b.*--(?:deploy|system)/, ['Pipfile.lock', 'Pipfile']],
  [/^cargo build\b/, ['Cargo.toml']],
  [/^go (?:build|mod download)\b/, ['go.mod']],
  [/^bundle install\b/, ['Gemfile']],
  [/^composer install\b/, ['composer.json']],
];

const neededFiles: Look<ImageStep> = ({ words, before, cwd, hasMounts, stage }, { shipment }) => {
  if (hasMounts || /\$/.test(cwd)) return undefined;
  const text = words.join(' ');
  const command = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const placesOf = (names: readonly string[]) => names.map((name) => posix.resolve(cwd, name));
  const project = before.files.get(posix.resolve(cwd, 'pyproject.toml')) ?? '';
  const ofProject = [...readmeOf(words, shipment.read(project)), ...partsOf(text, project, shipment)];
  const absent = [...filesNeeded(words, text), ...ofProject].filter(({ names }) =>
    placesOf(names).every((path) => shipment.lacks(before, path)),
  );
  const copied = new Set(shipment.dockerfile()?.image.copies.flatMap(({ sources }) => sources.map(contextPath)));
  return absent.flatMap(({ names, ...how }) => {
    const [path = ''] = names;
    const sentFile = shipment.paths.find((each) => posix.basename(each) === posix.basename(path));
    if (sentFile === undefined && shipment.exists(path)) return copied.has(path) ? [] : sayUnsent(path, shipment);
    const target = posix.join(posix.dirname(path), '/').replace(/^(?=\w)/, './');
    const later = placesOf(names).some((each) => stage.files.has(each)) ? 'a later line' : undefined;
    return say('file-not-found needed', { path, command, own: sentFile, target, later }, how);
  });
};

/** What a command reads: one of the names, and the cause if it is not there. */
function filesNeeded(words: readonly string[], text: string): NeededFile[] {
  const [, names = [], cause = 'file-not-found'] = needs.find(([command]) => command.test(text)) ?? [];
  const isElsewhere = words.some((word) => /^--(?:prefix|cwd|directory|manifest-path|project)/.test(word));
  return [
    ...(isElsewhere || names.length === 0 ? [] : [{ names, cause }]),
    ...filesOfBuild(words).map((name) => ({ names: [name], cause: 'requirements-file-missing' })),
  ];
}

interface NeededFile {
  names: readonly string[];
  cause: string;
  isCertain?: boolean;
}

/** The readme of a project, without which its build refuses to install it. */
function readmeOf(words: readonly string[], project: string): NeededFile[] {
  const installs = /^(?:poetry install\b(?!.*--no-root)|(?:uv )?pip[\d.]* install (?:-\S+ )*\.(?: |$))/;
  const [, name] = groupsOf(/^readme\s*=\s*["']([^"']+)["']/m, installs.test(words.join(' ')) ? project : '');
  const isPlain = name === undefined || /^package-mode\s*=\s*false/m.test(project);
  // Some versions of the builders only warn.
  return isPlain ? [] : [{ names: [name], cause: 'file-not-found', isCertain: false }];
}

/** The parts of a workspace that uv installs with a project. */
function partsOf(command: string, project: string, { paths, read }: Shipment): NeededFile[] {
  const installs = /^uv sync\b(?!.*--(?:no-install-(?:workspace|local|project|package)|only-group))/.test(command);
  const wanted = matchesIn(installs ? read(project) : '', /^([\w.-]+)\s*=\s*\{\s*workspace\s*=\s*true/gm);
  return wanted.flatMap(({ match: [, name = ''] }) => {
    const manifest = paths.find(
      (path) => path.endsWith('pyproject.toml') && projectName(read(path)) === normalizeName(name),
    );
    return manifest === undefined
      ? []
      : [{ names: [posix.relative(posix.dirname(project), manifest)], cause: 'file-not-found' }];
  });
}

interface NpmLock {
  packages?: Record<string, unknown>;
}

/** `npm ci` refuses a lock file that lacks a package. */
const notLocked: Look<ImageStep> = ({ words, cwd, before: { files } }, { shipment }) => {
  if (!/^npm ci\b/.test(words.join(' '))) return undefined;
  const at = (name: string) => shipment.text(files.get(posix.resolve(cwd, name)) ?? '');
  const { packages } = readJsonc<NpmLock>(at('package-lock.json')) ?? {};
  const { dependencies, devDependencies } = readJsonc<PackageJson>(at('package.json')) ?? {};
  const listed = Object.keys({ ...dependencies, ...devDependencies });
  const lacking = packages && listed.find((name) => packages[`node_modules/${name}`] === undefined);
  return lacking === undefined ? undefined : say('lock-file-outdated npm', { package: lacking });
};

/** How a command names a file, or a folder, that it reads. */
const namesFile: readonly RegExp[] = [
  /^(?:python[\d.]*|(?:ba)?sh|node|ruby|php) ([\w./-]+\.\w+)(?= |$)/,
  /^(\.\/[\w./-]+)(?= |$)/,
  /^go (?:build|install|run) (?:.* )?(\.\/[\w./-]*\w)$/,
  /^dotnet (?:restore|build|publish) ([\w./-]+\.(?:csproj|sln))\b/,
];

/** Requirements files of pip, scripts of interpreters, sources of compilers. */
function filesOfBuild(words: readonly string[]): string[] {
  const text = words.join(' ');
  if (/^(?:pip[\d.]*|uv) /.test(text))
    return words.filter(
      (word, at) => fits(/^(?:-r|--requirement|-c|--constraint)$/, words[at - 1]) && !/:\/\//.test(word),
    );
  if (/^(?:(?:npx|yarn|pnpm exec) )?tsc(?: |$)(?!.*(?:-v|--init|--version|\.tsx?)\b)/.test(text))
    return [flagOf(words, '-p', '--project') ?? 'tsconfig.json'];
  return namesFile.flatMap((pattern) => groupsOf(pattern, text).slice(1));
}

const namesScript = /^(?:(?:npm|pnpm|yarn|bun) run|npm(?= start)) ([\w:.-]+)$/;

/** A script of package.json that a command names: Bun runs a file by the same word. */
const packageScript: Look<FoundStep> = ({ words, cwd, at, before: { files } }, { shipment }) => {
  const command = words.join(' ');
  const [, name = ''] = groupsOf(namesScript, command);
  if (name === '' || files.has(posix.resolve(cwd, name))) return undefined;
  const manifestFile = files.get(posix.resolve(cwd, 'package.json')) ?? '';
  const manifest = readJsonc<PackageJson>(shipment.text(manifestFile));
  // What is no JSON is named with the data.
  const scripts = manifest && Object.keys(manifest.scripts ?? {});
  return !scripts || [...scripts, ...defaultScripts(files, cwd)].includes(name)
    ? undefined
    : say('command-failed script', { name, file: at.file, command, own: manifestFile, known: scripts.join(', ') });
};

/** Without a script, npm starts server.js. */
const defaultScripts = (files: ReadonlyMap<string, string>, cwd: string) =>
  files.has(posix.resolve(cwd, 'server.js')) ? ['start'] : [];

/** The command of an image, and what says it. */
type StartedStage = Pick<Docker, 'stage'> & { at: CausePlace; what: string };

/** A list of words that is no JSON, and a variable in one, which only a shell replaces. */
const wordList: Look<StartedStage> = ({ what, at, stage: { command, cmd } }) => {
  const { words = [], line, isShell } = (cmd?.isShell ? cmd : command) ?? {};
  const [program = ''] = words;
  const isText = isShell && /^\s*\[/.test(program);
  const hasShell = isShell || /^(?:\S*\/)?(?:ba|da)?sh$/.test(program);
  const [, variable] = groupsOf(/(?:^|[\s:=])\$\{?(\w+)/, hasShell ? '' : words.join(' '));
  const place = at.file === undefined ? at : { ...at, line };
  if (isText) return say('dockerfile-invalid list', { problem: 'the list of CMD is no JSON' }, { at: place });
  return variable === undefined
    ? undefined
    : say('port-invalid', { variable, what, of: what.replace(' =', '') }, { at: place });
};

const serving = /vllm\/vllm-openai|text-(?:generation|embeddings)-inference|ollama\/ollama/;
const isProgram = /^(?:(?:ba)?sh|python3?|uvicorn|vllm|ollama|text-(?:generation-launcher|embeddings-router)|\S+\.sh)$/;
const shellPlace = /busybox|\/(?:s?bin|sh)$/;

/** Commands that an image cannot start as they are written. */
const forms: Readonly<Record<string, (stage: Stage) => boolean | undefined>> = {
  'entrypoint-invalid no-shell': ({ command, base, others }) =>
    command?.isShell &&
    /^scratch$|distroless\/(?!.*debug)/.test(base) &&
    !others.some(({ path }) => shellPlace.test(path)),
  'entrypoint-invalid one-word': ({ command }) =>
    command?.isShell === false && command.words.length === 1 && fits(/^\S+ +\S/, command.words[0]),
  'entrypoint-invalid of-image': ({ entrypoint, cmd, base }) =>
    !entrypoint && serving.test(base) && cmd?.isShell === false && fits(isProgram, cmd.words[0]),
};

const form: Look<StartedStage> = ({ stage }) =>
  Object.entries(forms).flatMap(([name, fails]) =>
    fails(stage) ? say(name, { form: stage.entrypoint ? 'ENTRYPOINT' : 'CMD', base: stage.base }) : [],
  );
