import { posix } from 'node:path';
import { type ImageState, isPlainImage, type RunCommand, type Stage } from '../../app/docker-image.ts';
import { flagOf } from '../../app/shell.ts';
import { fits } from '../groups.ts';
import { readJsonc, scriptCommands } from './package-json.ts';
import type { Packages } from './packages.ts';
import { lacksProgram } from './programs.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';
import { toolVersion } from './tool-versions.ts';

/** What a RUN of a Dockerfile needs that the image does not have at that line. */
export function* lookAtBuildSteps(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker) return;
  for (const stage of docker.image.stages)
    for (const step of stage.commands)
      if (step.line > stage.line) {
        for (const { words } of scriptCommands(step, step.cwd, step.before.files, shipment.text) ?? [step]) {
          yield* neededFiles(shipment, docker, stage, { ...step, words });
          yield* absentProgram(docker, { ...step, words }, packages);
        }
        yield* aptUser(docker, step);
        yield* aptLists(docker, step);
        yield* toolVersion(shipment, docker, step);
        yield* packageScript(shipment, docker, step);
      }
}

const aptInstall = /^apt(?:-get)? (?:-\S+ )*install\b(?!.*\.deb)/;
/** What reads the lists of packages, or may do so, and what removes them. */
const readsLists = /^apt(?:-get)? (?:-\S+ )*update\b|\.sh$|^(?:(?:ba)?sh|curl|wget|\S*add-apt-repository)\b/;
const removesLists = /^rm\b.*\/var\/lib\/apt\/lists|^apt-get distclean/;

function* aptUser(
  { path: file, text }: Docker,
  { words: [program = ''], line, before }: RunCommand,
): Generator<SeenCause> {
  if (!/^(?:apt|apt-get|apk|dnf|yum)$/.test(program) || /^(?:root|0)$|\$/.test(before.user) || text.includes('sudo'))
    return;
  yield {
    cause: 'permission-denied',
    severity: 'error',
    at: { file, line },
    title: `${program} has to run as root, and the user of the image is ${before.user} at this line`,
    fix: 'write USER root above this line, and the other user again below it',
  };
}

/** Images have no lists of packages, so that none is found without an update. */
function* aptLists({ path: file }: Docker, { words, line, before, hasMounts }: RunCommand): Generator<SeenCause> {
  if (hasMounts || !isPlainImage(before.base) || !aptInstall.test(words.join(' '))) return;
  const texts = before.commands.map((each) => each.words.join(' '));
  const lastOf = (pattern: RegExp) => texts.findLastIndex((text) => pattern.test(text));
  if (lastOf(readsLists) > lastOf(removesLists)) return;
  yield {
    cause: 'apt-install-failed',
    severity: 'error',
    at: { file, line },
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
