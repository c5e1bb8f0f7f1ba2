import { posix } from 'node:path';
import { type ImageState, isBelowOrSame, isPlainImage, type RunCommand, type Stage } from '../../app/docker-image.ts';
import { pipLines, readPipLine } from '../../app/pip-line.ts';
import { flagOf } from '../../app/shell.ts';
import { fits, groupsOf } from '../groups.ts';
import { staleLock } from './locks.ts';
import { lineWith, projectFiles } from './package-files.ts';
import { readJsonc, scriptCommands } from './package-json.ts';
import type { Packages } from './packages.ts';
import { lacksProgram } from './programs.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';
import { toolVersion } from './tool-versions.ts';

/** What a RUN of a Dockerfile needs that the image does not have at that line. */
export function* lookAtBuildSteps(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker) yield* fetchers(shipment, packages);
  if (!docker) return;
  for (const stage of docker.image.stages)
    for (const step of stage.commands)
      if (step.line > stage.line) {
        for (const { words } of scriptCommands(step, step.cwd, step.before.files, shipment.text) ?? [step]) {
          yield* neededFiles(shipment, docker, stage, { ...step, words });
          yield* absentProgram(docker, { ...step, words }, packages);
        }
        yield* staleLock(shipment, docker, step);
        yield* toolVersion(shipment, docker, step);
        yield* packageIndex(docker, step);
        yield* managedPython(docker, step);
        yield* withoutRoot(docker, step);
        yield* packageScript(shipment, docker, step);
        yield* refusedNow(docker, step);
      }
}

/** Of an installation without a version, the newest. */
const newPoetry =
  /^(?![\s\S]*(?:plugin-export|POETRY_VERSION))[\s\S]*(?:pipx?[\d.]* install[^\n&]* ["']?poetry["']?(?:\s|$)|install\.python-poetry\.org)/;

/** What new versions of a tool refuse, by what of the Dockerfile brings such a version. */
const refused: readonly (readonly [command: RegExp, brings: RegExp, title: string, fix: string])[] = [
  [/^poetry export\b/, newPoetry, 'Poetry has no export since 2.0', 'write pip install poetry-plugin-export before it'],
  [/^poetry \w+\b.* --no-dev\b/, newPoetry, 'Poetry has no --no-dev since 2.0', 'write --only main'],
  [/^poetry lock\b.* --no-update\b/, newPoetry, 'Poetry has no --no-update since 2.0', 'remove it'],
  [
    /^pipenv lock\b.* (?:-r|--requirements)\b/,
    /pip[\d.]* install[^\n&]* pipenv(?:\s|$)/,
    'pipenv lock has no -r any more',
    'write pipenv requirements',
  ],
];

function* refusedNow({ path: file, text }: Docker, { words, line }: RunCommand): Generator<SeenCause> {
  const command = words.join(' ');
  const [, , title, fix] = refused.find(([pattern, brings]) => pattern.test(command) && brings.test(text)) ?? [];
  if (title !== undefined) yield { cause: 'command-failed', severity: 'error', at: { file, line }, title, fix };
}

/** Files that commands read, by the start of the command: any one of each list. */
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

function* neededFiles(shipment: Shipment, docker: Docker, stage: Stage, step: RunCommand): Generator<SeenCause> {
  const { words, line, before, cwd, hasMounts } = step;
  if (hasMounts || /\$/.test(cwd)) return;
  const text = words.join(' ');
  const rule = needs.find(([command]) => command.test(text));
  for (const { names, cause } of [
    ...(rule && !words.some((word) => /^--(?:prefix|cwd|directory|manifest-path|project)/.test(word))
      ? [{ names: rule[1], cause: rule[2] ?? 'file-not-found' }]
      : []),
    ...namedFiles(words).map((name) => ({ names: [name], cause: 'requirements-file-missing' })),
    ...goPackages(words).map((name) => ({ names: [name], cause: 'file-not-found' })),
    ...includedFiles(shipment, step).map((name) => ({ names: [name], cause: 'requirements-file-missing' })),
  ]) {
    const paths = names.map((name) => posix.resolve(cwd, name));
    if (!paths.every((path) => shipment.lacks(before, path))) continue;
    const [name = ''] = names;
    const later = paths.some((path) => stage.files.has(path));
    yield {
      cause,
      severity: 'error',
      at: { file: docker.path, line },
      title: `${text.length > 60 ? `${text.slice(0, 60)}…` : text} needs ${name}, which is not in the image at that line`,
      why: later ? 'it is copied in a later line' : undefined,
      fix: shipment.paths.some((path) => posix.basename(path) === posix.basename(name))
        ? `COPY ${name} above this line`
        : `add ${name} to the app, and COPY it above this line`,
    };
  }
}

/** Requirements files of pip, scripts of interpreters. */
function namedFiles(words: readonly string[]): string[] {
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

/** The folders that `go build` is told: `./cmd/web`. */
const goPackages = (words: readonly string[]) =>
  /^go (?:build|install|run)\b/.test(words.join(' '))
    ? words.filter((word, at) => /^\.\/(?!.*\.\.\.)[\w./-]*\w$/.test(word) && words[at - 1] !== '-o')
    : [];

/** What the requirements files of a command include, where the image has those. */
function includedFiles(shipment: Shipment, { words, cwd, before }: RunCommand): string[] {
  return namedFiles(words).flatMap((name) => {
    const path = posix.resolve(cwd, name);
    const own = fits(/^(?:pip|uv)/, words[0]) ? before.files.get(path) : undefined;
    const lines = own === undefined ? [] : pipLines(shipment.read(own)).map(({ text }) => readPipLine(text));
    return lines.flatMap((line) =>
      line.kind === 'option' && /^(?:-r|--requirement|-c|--constraint)$/.test(line.name)
        ? posix.join(posix.dirname(path), line.value)
        : [],
    );
  });
}

/** What `pyproject.toml` and `alembic.ini` name, by the commands that read them. */
const settings: readonly { command: RegExp; file: string; names: (text: string) => string[] }[] = [
  {
    command: /^alembic /,
    file: 'alembic.ini',
    names: (text) => matched(text, /^script_location\s*=\s*(?:%\(here\)s\/)?(\S+)/m),
  },
  { command: /^(?:uv )?pip[\d.]* install .*(?<= )\.(?:\[|\/?$| )/, file: 'pyproject.toml', names: projectFiles },
  {
    command: /^poetry install(?!.*--no-root)/,
    file: 'pyproject.toml',
    names: (text) =>
      /^package-mode\s*=\s*false/m.test(text) ? [] : projectFiles(text).filter((name) => !name.includes('*')),
  },
  {
    command: /^uv sync(?!.*--no-install-project)/,
    file: 'pyproject.toml',
    names: (text) => (text.includes('[build-system]') ? projectFiles(text) : []),
  },
];

const matched = (text: string, pattern: RegExp) => pattern.exec(text)?.slice(1) ?? [];

/** Files that tools are told to read and that the image does not have. */
export function* lookAtNamedFiles(shipment: Shipment): Generator<SeenCause> {
  if (!shipment.isDocker) yield* unsentFiles(shipment);
  const stages = shipment.stages;
  const last = stages.at(-1);
  const started = last ? shipment.started().map((each) => ({ ...each, before: last })) : [];
  for (const step of [...stages.flatMap(({ commands }) => commands), ...started])
    for (const { command, file, names } of settings) {
      const own = step.before.files.get(posix.resolve(step.cwd, file));
      if (own !== undefined && command.test(step.words.join(' '))) yield* namedIn(own, names, step, shipment);
    }
}

/** Of an app without a Dockerfile: that the tools read a file that is not sent, or that names one that is not. */
function* unsentFiles(shipment: Shipment): Generator<SeenCause> {
  for (const { words, at } of [...shipment.buildCommands(), ...shipment.started()])
    for (const { command, file, names } of settings) {
      const text = shipment.read(file);
      const named = command.test(words.join(' ')) ? [file, ...names(text).map((name) => posix.normalize(name))] : [];
      const [missing] = named.filter((each) => /^\w[\w./-]*$/.test(each) && isUnsent(each, file, shipment));
      if (missing === undefined) continue;
      const place = missing === file ? at : { file, line: lineWith(text, missing) };
      yield notRead(missing, words[0] ?? '', place, shipment);
    }
}

/** Without its own file, a tool takes other settings, or none. */
const isUnsent = (path: string, file: string, shipment: Shipment) =>
  !shipment.sent.has(path) && !shipment.hasFolder(path) && (path !== file || shipment.exists(path));

function notRead(path: string, tool: string, at: CausePlace | undefined, shipment: Shipment): SeenCause {
  const isThere = shipment.exists(path);
  const title = `${tool} reads ${path}, which is not ${isThere ? 'sent' : 'in the app'}`;
  const said = isThere ? shipment.reasonOf(path) : { why: undefined, fix: `add ${path}, or name another` };
  return { cause: 'file-not-found', captured: { path }, at, title, why: said.why, fix: said.fix };
}

type Step = Pick<RunCommand, 'words' | 'before' | 'cwd'>;

function* namedIn(
  file: string,
  names: (text: string) => string[],
  { words, before, cwd }: Step,
  shipment: Shipment,
): Generator<SeenCause> {
  const text = shipment.read(file);
  for (const name of names(text).filter((each) => shipment.lacks(before, posix.resolve(cwd, each))))
    yield {
      cause: 'file-not-found',
      at: { file, line: lineWith(text, posix.basename(name)) },
      title: `${file} names ${name}, which is not in the image when ${words[0]} reads it`,
      fix: shipment.exists(name) ? `COPY ${name} above that command` : 'write a path that the app has',
    };
}

/** What commands fetch files with, in an image that the settings name: the platform brings Python, and no more. */
function* fetchers(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const commands = shipment.buildCommands();
  const image = { base: shipment.config.deployment.docker_base_image_url ?? '', environment: new Map(), others: [] };
  for (const [before, { words, at }] of commands.entries()) {
    const [program = ''] = words;
    const isNeeded = /^(?:git|curl|wget|unzip)$/.test(program) && !packages.apt.has(program);
    const found = isNeeded && lacksProgram({ ...image, commands: commands.slice(0, before) }, program, packages, at);
    if (found) yield found;
  }
}

function* absentProgram(
  { path: file }: Docker,
  { words, line, before, hasMounts, caches }: RunCommand,
  packages: Packages,
): Generator<SeenCause> {
  const [program = ''] = words;
  // What is mounted may be a program.
  if (hasMounts && caches.length === 0) return;
  const isGit = program.startsWith('pip') && words.some((word) => /^(?:\S+@\s*)?git\+/.test(word));
  const needed = isGit ? 'git' : program;
  const found = lacksProgram(before, needed, packages, { file, line });
  if (found) yield isGit ? { ...found, cause: 'git-missing' } : found;
}

const isApt = (words: readonly string[], verb: string) => fits(/^apt(?:-get)?$/, words[0]) && words.includes(verb);
/** Packages that need no others: apt asks only where it would install more than it was told. */
const isAlone = /^(?:-.*|dumb-init|gosu|tini)$/;
const isAsked = (words: readonly string[]) =>
  !words.slice(words.indexOf('install') + 1).every((word) => isAlone.test(word)) &&
  !words.some((word) => /^-\w*(?:y|qq)|^--(?:yes|assume-yes)$/.test(word));
const bringsLists = /\.sh$|^(?:curl|wget)$/;

/** Debian's images have no lists of packages, and nobody answers a question in a build. */
function* packageIndex({ path: file }: Docker, { words, line, before }: RunCommand): Generator<SeenCause> {
  if (!isApt(words, 'install') || words.some((word) => /^(?:\.|\/)/.test(word))) return;
  if (isAsked(words)) yield { cause: 'apt-needs-confirmation', at: { file, line } };
  const mayHave = before.commands.some((each) => isApt(each.words, 'update') || fits(bringsLists, each.words[0]));
  if (mayHave || !isPlainImage(before.base)) return;
  yield {
    cause: 'apt-package-not-found',
    severity: 'error',
    at: { file, line },
    title: 'apt-get install knows no packages: the image has no lists of them',
    fix: 'write RUN apt-get update && apt-get install -y …',
  };
}

function* withoutRoot({ path: file }: Docker, { words, line, before }: RunCommand): Generator<SeenCause> {
  const { base, user } = before;
  const made = words[0] === 'mkdir' ? words.find((word) => isOfRoot(word, before)) : undefined;
  const command = made === undefined ? words.slice(0, 2).join(' ') : `mkdir ${made}`;
  if (
    !isPlainImage(base) ||
    fits(/^(?:root|0|\$.*)?(?::|$)/, user) ||
    !(made ?? /^(?:apt(?:-get)?|apk) (?:update|install|add|-\S+)$/.test(command))
  )
    return;
  yield {
    cause: 'permission-denied',
    severity: 'error',
    at: { file, line },
    title: `${command} needs root, and USER ${user} stands above it`,
    fix: made === undefined ? 'move USER below the commands that install' : 'move USER below it',
  };
}

/** Whether only root may make a folder: nothing before speaks of it, or gives away one that it is in. */
function isOfRoot(path: string, { commands, workdir, files, others }: RunCommand['before']): boolean {
  const [top] = groupsOf(
    /^\/(?!(?:home|tmp|var\/tmp|dev|root)(?:\/|$)|\w+\/?$(?<=^\/(?:var|usr|opt|etc|srv|mnt)\/?))(?:(?:var|usr|opt|etc|srv|mnt)\/)?[\w.-]+/,
    path,
  );
  const given = commands.flatMap(({ words }) => (fits(/^ch(?:own|mod)$/, words[0]) ? words.slice(1) : []));
  const words = commands.flatMap((each) => each.words);
  const known = [workdir, ...files.keys(), ...others.map((each) => each.path), ...words];
  return (
    top !== undefined &&
    !known.some((each) => each.includes(top)) &&
    !given.some((each) => each !== '/' && isBelowOrSame(path, each))
  );
}

const managed = /^(?:[\w.-]+\/)*(?:debian:(?:bookworm|trixie|12|13|stable)|ubuntu:(?:2[3-9]|noble|latest))/;

/** pip in the Python of a distribution. */
function* managedPython({ path: file }: Docker, { words, line, before }: RunCommand): Generator<SeenCause> {
  if (!managed.test(before.base) || !fits(/^pip3?$/, words[0]) || words[1] !== 'install') return;
  const { environment, commands } = before;
  const hasOwn = commands.some((each) => /-m venv|virtualenv|uv venv|EXTERNALLY-MANAGED/.test(each.words.join(' ')));
  if (hasOwn || words.includes('--break-system-packages') || environment.has('PIP_BREAK_SYSTEM_PACKAGES')) return;
  yield { cause: 'environment-externally-managed', severity: 'error', at: { file, line } };
}

const tasks = { kind: 'task', key: 'tasks', list: 'deno.json' } as const;
const scripts = { kind: 'script', key: 'scripts', list: 'package.json' } as const;

const namesScript = /^(?:(?:npm|pnpm|yarn|bun) run|(?<task>(?:deno )?task)|npm(?= start)) (?<name>[\w:.-]+)$/;

/** A script of package.json or a task of deno.json that a command names: Bun runs a file by the same word. */
export function* packageScript(
  shipment: Shipment,
  { path: file }: Docker,
  { words, line, before: { files, base }, cwd }: Pick<RunCommand, 'words' | 'line' | 'before' | 'cwd'>,
): Generator<SeenCause> {
  const command = words.join(' ');
  const { name, task } = namesScript.exec(command)?.groups ?? {};
  if (name === undefined || isOther(name, task, { files, base }, cwd)) return;
  const { kind, key, list } = task ? tasks : scripts;
  const own = files.get(posix.resolve(cwd, list)) ?? '';
  const known = keysOf(shipment.text(own), key);
  if (!known || [...known, ...defaultScripts(files, cwd)].includes(name)) return;
  yield {
    cause: 'command-failed',
    severity: 'error',
    at: { file, line },
    title: `${file} runs ${command}, and ${own} has no ${kind} ${name}`,
    fix: `add ${name} to ${own}, or use one of ${known.join(', ')}`,
  };
}

const isOther = (name: string, task: string | undefined, image: Pick<ImageState, 'files' | 'base'>, cwd: string) =>
  (task === 'task' && !image.base.startsWith('denoland/deno')) || image.files.has(posix.resolve(cwd, name));

/** Undefined for what is no JSON: `lookAtData` says so. */
function keysOf(text: string | undefined, key: 'scripts' | 'tasks'): string[] | undefined {
  const read = readJsonc<Record<string, object>>(text);
  return read && Object.keys(read[key] ?? {});
}

/** Without a script, npm starts server.js. */
const defaultScripts = (files: ReadonlyMap<string, string>, cwd: string) =>
  files.has(posix.resolve(cwd, 'server.js')) ? ['start'] : [];
