import { posix } from 'node:path';
import { isPlainImage, type Stage } from '../../app/docker-image.ts';
import { flagOf } from '../../app/shell.ts';
import { fits, groupsOf } from '../groups.ts';
import type { LookedApp } from './looked-app.ts';
import { namedFiles } from './named-files.ts';
import { type PackageJson, readJsonc } from './package-json.ts';
import { lacksProgram } from './programs.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, ImageStep, Shipment } from './shipment.ts';
import { toolVersion } from './tool-versions.ts';

/** What the commands of a Dockerfile need that the image does not have where they run. */
export function* lookAtImageCommands({ shipment, packages }: LookedApp): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker) return;
  for (const step of shipment.steps()) {
    yield* neededFiles(step, shipment);
    yield* absentProgram(step, packages);
  }
  for (const step of shipment.ownSteps()) {
    yield* aptUser(step, docker.text);
    yield* aptLists(step);
    yield* toolVersion(step, shipment);
    yield* packageScript(step, shipment);
  }
  // The entrypoint of the settings is looked at as that of any app.
  if (!shipment.config.custom?.entrypoint) yield* imageStart(docker, shipment, packages);
}

function* imageStart(docker: Docker, shipment: Shipment, packages: LookedApp['packages']): Generator<SeenCause> {
  const { path: file, stage } = docker;
  yield* wordList(docker);
  const at = { file, line: stage.command?.line };
  for (const [fails, title, fix] of forms)
    if (fails(stage)) yield { cause: 'entrypoint-invalid', severity: 'error', at, title: title(stage), fix };
  for (const each of shipment.started()) {
    const step = { ...each, at: each.at?.file === undefined ? at : each.at, before: stage };
    yield* absentFiles(step, shipment);
    const found = lacksProgram(step, each.words[0], packages);
    if (found) yield found;
    yield* packageScript(step, shipment);
    yield* toolVersion(step, shipment);
  }
}

/** A command with the image that it finds. */
type Step = Pick<ImageStep, 'words' | 'cwd' | 'at' | 'before'>;

function* absentProgram(step: ImageStep, packages: LookedApp['packages']): Generator<SeenCause> {
  const { words, hasMounts, caches } = step;
  const [program = ''] = words;
  // What is mounted may be a program.
  if (hasMounts && caches.length === 0) return;
  const isGit = program.startsWith('pip') && words.some((word) => /^(?:\S+@\s*)?git\+/.test(word));
  const found = lacksProgram(step, isGit ? 'git' : program, packages);
  if (found) yield isGit ? { ...found, cause: 'git-missing' } : found;
}

const aptInstall = /^apt(?:-get)? (?:-\S+ )*install\b(?!.*\.deb)/;
/** What reads the lists of packages, or may do so, and what removes them. */
const readsLists = /^apt(?:-get)? (?:-\S+ )*update\b|\.sh$|^(?:(?:ba)?sh|curl|wget|\S*add-apt-repository)\b/;
const removesLists = /^rm\b.*\/var\/lib\/apt\/lists|^apt-get distclean/;

function* aptUser({ words: [program = ''], at, before }: ImageStep, text: string): Generator<SeenCause> {
  if (!/^(?:apt|apt-get|apk|dnf|yum)$/.test(program) || /^(?:root|0)$|\$/.test(before.user) || text.includes('sudo'))
    return;
  yield {
    cause: 'permission-denied',
    severity: 'error',
    at,
    title: `${program} has to run as root, and the user of the image is ${before.user} at this line`,
    fix: 'write USER root above this line, and the other user again below it',
  };
}

/** Images have no lists of packages, so that none is found without an update. */
function* aptLists({ words, at, before, hasMounts }: ImageStep): Generator<SeenCause> {
  if (hasMounts || !isPlainImage(before.base) || !aptInstall.test(words.join(' '))) return;
  const texts = before.commands.map((each) => each.words.join(' '));
  const lastOf = (pattern: RegExp) => texts.findLastIndex((text) => pattern.test(text));
  if (lastOf(readsLists) > lastOf(removesLists)) return;
  yield {
    cause: 'apt-install-failed',
    severity: 'error',
    at,
    title: 'apt-get install finds no packages: the image has no lists of them at this line',
    fix: 'write RUN apt-get update && apt-get install …, in one RUN',
  };
}

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

function* neededFiles(step: ImageStep, shipment: Shipment): Generator<SeenCause> {
  const { words, at, before, cwd, hasMounts, stage } = step;
  if (hasMounts || /\$/.test(cwd)) return;
  const text = words.join(' ');
  const rule = needs.find(([command]) => command.test(text));
  for (const { names, cause } of [
    ...(rule && !words.some((word) => /^--(?:prefix|cwd|directory|manifest-path|project)/.test(word))
      ? [{ names: rule[1], cause: rule[2] ?? 'file-not-found' }]
      : []),
    ...filesOfBuild(words).map((name) => ({ names: [name], cause: 'requirements-file-missing' })),
  ]) {
    const paths = names.map((name) => posix.resolve(cwd, name));
    if (!paths.every((path) => shipment.lacks(before, path))) continue;
    const [name = ''] = names;
    const later = paths.some((path) => stage.files.has(path));
    yield {
      cause,
      severity: 'error',
      at,
      title: `${text.length > 60 ? `${text.slice(0, 60)}…` : text} needs ${name}, which is not in the image at that line`,
      why: later ? 'it is copied in a later line' : undefined,
      fix: shipment.paths.some((path) => posix.basename(path) === posix.basename(name))
        ? `COPY ${name} above this line`
        : `add ${name} to the app, and COPY it above this line`,
    };
  }
}

/** Requirements files of pip, scripts of interpreters. */
function filesOfBuild(words: readonly string[]): string[] {
  const [program = '', first = ''] = words;
  if (/^(?:pip[\d.]*|uv)$/.test(program))
    return words.filter(
      (word, at) => fits(/^(?:-r|--requirement|-c|--constraint)$/, words[at - 1]) && !/:\/\//.test(word),
    );
  if (/^(?:python[\d.]*|(?:ba)?sh|node|ruby|php)$/.test(program) && /^[\w./-]+\.\w+$/.test(first)) return [first];
  if (/^(?:(?:npx|yarn|pnpm exec) )?tsc(?: |$)(?!.*(?:-v|--init|--version|\.tsx?)\b)/.test(words.join(' ')))
    return [flagOf(words, '-p', '--project') ?? 'tsconfig.json'];
  return /^\.\/[\w./-]+$/.test(program) ? [program] : [];
}

const namesScript = /^(?:(?:npm|pnpm|yarn|bun) run|npm(?= start)) ([\w:.-]+)$/;

/** A script of package.json that a command names: Bun runs a file by the same word. */
function* packageScript(step: Step, { text }: Shipment): Generator<SeenCause> {
  const command = step.words.join(' ');
  const [, name = ''] = groupsOf(namesScript, command);
  const { cwd, at } = step;
  const { files } = step.before;
  if (name === '' || files.has(posix.resolve(cwd, name))) return;
  const own = files.get(posix.resolve(cwd, 'package.json')) ?? '';
  const manifest = readJsonc<PackageJson>(text(own));
  // What is no JSON is named with the data.
  const known = manifest && Object.keys(manifest.scripts ?? {});
  if (!known || [...known, ...defaultScripts(files, cwd)].includes(name)) return;
  yield {
    cause: 'command-failed',
    severity: 'error',
    at,
    title: `${at.file} runs ${command}, and ${own} has no script ${name}`,
    fix: `add ${name} to ${own}, or use one of ${known.join(', ')}`,
  };
}

/** Without a script, npm starts server.js. */
const defaultScripts = (files: ReadonlyMap<string, string>, cwd: string) =>
  files.has(posix.resolve(cwd, 'server.js')) ? ['start'] : [];

/** A list of words that is no JSON, and a variable in one, which only a shell replaces. */
function* wordList({ path: file, stage: { command, cmd } }: Docker): Generator<SeenCause> {
  const { words = [], line, isShell } = (cmd?.isShell ? cmd : command) ?? {};
  const [program = ''] = words;
  const at = { file, line };
  if (isShell && /^\s*\[/.test(program))
    yield {
      cause: 'dockerfile-invalid',
      severity: 'error',
      captured: { problem: 'the list of CMD is no JSON' },
      at,
      why: 'it is run as the text of a shell command; JSON has double quotes',
      fix: 'write the words in double quotes',
    };
  const hasShell = isShell || /^(?:\S*\/)?(?:ba|da)?sh$/.test(program);
  const [, variable] = (!hasShell && /(?:^|[\s:=])\$\{?(\w+)/.exec(words.join(' '))) || [];
  if (variable !== undefined)
    yield {
      cause: 'port-invalid',
      at,
      title: `CMD has $${variable}, which is not replaced in a list of words`,
      fix: `write the value, or CMD ["sh", "-c", "exec …"]`,
    };
}

const serving = /vllm\/vllm-openai|text-(?:generation|embeddings)-inference|ollama\/ollama/;
const isProgram = /^(?:(?:ba)?sh|python3?|uvicorn|\S+\.sh)$/;
const shellPlace = /busybox|\/(?:s?bin|sh)$/;
const formOf = ({ entrypoint }: Stage) => (entrypoint ? 'ENTRYPOINT' : 'CMD');

/** Commands that an image cannot start as they are written: what is wrong with them, and what helps. */
const forms: readonly (readonly [
  fails: (stage: Stage) => boolean | undefined,
  title: (stage: Stage) => string,
  fix: string,
])[] = [
  [
    ({ command, base, others }) =>
      command?.isShell &&
      /^scratch$|distroless\/(?!.*debug)/.test(base) &&
      !others.some(({ path }) => shellPlace.test(path)),
    (stage) => `${formOf(stage)} is the text of a shell command, and ${stage.base} has no shell`,
    'write a list of words: ["/app", "--flag"]',
  ],
  [
    ({ command }) => command?.isShell === false && command.words.length === 1 && fits(/^\S+ +\S/, command.words[0]),
    (stage) => `${formOf(stage)} is a list of one word that contains spaces: no program has that name`,
    'write each word of it in quotes of its own',
  ],
  [
    ({ entrypoint, cmd, base }) =>
      !entrypoint && serving.test(base) && cmd?.isShell === false && fits(isProgram, cmd.words[0]),
    ({ base }) => `${base} has an ENTRYPOINT of its own, which takes CMD for its flags`,
    'write ENTRYPOINT instead of CMD',
  ],
];

/** Files that a command of the start runs or reads, and that the image does not have. */
function* absentFiles({ words, cwd, at, before }: Step, shipment: Shipment): Generator<SeenCause> {
  for (const { file, isRead } of namedFiles(words)) {
    const path = posix.resolve(cwd, file);
    if (/^\/(?:usr\/)?s?bin\//.test(path) || !shipment.lacks(before, path)) continue;
    const same = [...before.files.keys(), ...before.others.map((each) => each.path)].find(
      (each) => posix.basename(each) === posix.basename(path),
    );
    yield {
      cause: 'entrypoint-not-found',
      severity: 'error',
      at,
      title: isRead
        ? `${words[0]} reads ${file}, which is not in the image`
        : `${path} is started, which is not in the image`,
      why: same && `the image has ${same}`,
      fix: same ? `${isRead ? 'name' : 'start'} ${same}` : `copy it in ${shipment.dockerfile()?.path}`,
    };
  }
}
