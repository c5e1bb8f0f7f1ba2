import { posix } from 'node:path';
import { type ImageState, isPlainImage, lacks, type RunCommand, type Stage } from '../../app/docker-image.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** What a RUN of a Dockerfile needs that the image does not have at that line. */
export function* lookAtBuildSteps(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  for (const stage of docker?.image.stages ?? [])
    for (const step of stage.commands)
      if (docker && step.line > stage.line) {
        yield* neededFiles(shipment, docker, stage, step);
        yield* absentProgram(docker, step);
        yield* packageIndex(docker, step);
        yield* managedPython(docker, step);
        yield* packageScript(shipment, docker, step);
      }
}

/** Files that commands read, by the start of the command: any one of each list. */
const needs: readonly (readonly [command: RegExp, files: readonly string[], cause?: string])[] = [
  [/^npm ci\b/, ['package-lock.json', 'npm-shrinkwrap.json'], 'lock-file-outdated'],
  [/^(?:npm|yarn|pnpm|bun) (?:install|i|ci|run)(?= -|$| run)/, ['package.json']],
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
    if (!paths.every((path) => lacks(before, path))) continue;
    const [name = ''] = names;
    const later = paths.some((path) => stage.files.has(path));
    yield {
      cause,
      severity: 'error',
      captured: { path: name },
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
      (word, at) => /^(?:-r|--requirement|-c|--constraint)$/.test(words[at - 1] ?? '') && !/:\/\//.test(word),
    );
  if (/^(?:python[\d.]*|(?:ba)?sh|node|ruby|php)$/.test(program) && /^[\w./-]+\.\w+$/.test(first)) return [first];
  return /^\.\/[\w./-]+$/.test(program) ? [program] : [];
}

/** Programs that images lack unless a command installs them, and what helps. Those of a system lack it in any image. */
const absent: readonly (readonly [program: RegExp, image: RegExp, fix: string, isOfSystem?: boolean])[] = [
  [/^apt(?:-get)?$/, /alpine|fedora|centos|rockylinux|almalinux|amazonlinux/, 'use apk add --no-cache', true],
  [/^apk$/, /slim|bookworm|bullseye|trixie|buster|debian|ubuntu|jammy|noble|focal|fedora/, 'use apt-get', true],
  [
    /^(?:yum|dnf|microdnf)$/,
    /alpine|slim|bookworm|bullseye|debian|ubuntu/,
    'use the package manager of the image',
    true,
  ],
  [/^(?:javac|mvn)$/, /[-:]jre\b|-jre\b/, 'build in an image with a JDK', true],
  [/^(?:bash|zsh)$/, /alpine/, 'write sh, or RUN apk add --no-cache bash'],
  [/^(?:git|curl|wget)$/, /slim/, 'install it first with apt-get'],
  [/^(?:git|curl)$/, /alpine/, 'install it first with apk'],
  [/^(?:python|pip)$/, /^(?:debian|ubuntu|nvidia\/cuda):/, 'write python3 or pip3, or install python-is-python3'],
];

/** What may bring any program. */
const bringsPrograms = /^(?:ln|update-alternatives|curl|wget)$/;

/** What helps, where a program surely was installed by nothing before. */
export function lacksProgram({ base, commands, environment }: ImageState, program: string): string | undefined {
  const [, , fix, isOfSystem] = absent.find(([one, image]) => one.test(program) && image.test(base)) ?? [];
  if (fix === undefined || isOfSystem || !isPlainImage(base)) return isOfSystem ? fix : undefined;
  const isInstalled = commands.some(
    ({ words }) =>
      bringsPrograms.test(words[0] ?? '') ||
      words.some((word) => word === program || /venv|conda|is-python3|build-essential/.test(word)),
  );
  // A folder of the image may come first in the PATH.
  return isInstalled || environment.has('PATH') ? undefined : fix;
}

function* absentProgram({ path: file }: Docker, { words, line, before }: RunCommand): Generator<SeenCause> {
  const [program = ''] = words;
  const isGit = program.startsWith('pip') && words.some((word) => /^(?:\S+@\s*)?git\+/.test(word));
  const needed = isGit ? 'git' : program;
  const fix = lacksProgram(before, needed);
  if (fix !== undefined)
    yield {
      cause: isGit ? 'git-missing' : 'command-not-found',
      severity: 'error',
      captured: { command: needed },
      at: { file, line },
      why: `the image ${before.base} has no ${needed}`,
      fix,
    };
}

const isApt = (words: readonly string[], verb: string) => /^apt(?:-get)?$/.test(words[0] ?? '') && words.includes(verb);
const bringsLists = /\.sh$|^(?:curl|wget)$/;

/** Debian's images have no lists of packages, and nobody answers a question in a build. */
function* packageIndex({ path: file }: Docker, { words, line, before }: RunCommand): Generator<SeenCause> {
  if (!isApt(words, 'install') || words.some((word) => /^(?:\.|\/)/.test(word))) return;
  if (!words.some((word) => /^-\w*(?:y|qq)|^--(?:yes|assume-yes)$/.test(word)))
    yield { cause: 'apt-needs-confirmation', severity: 'warning', captured: {}, at: { file, line } };
  const mayHave = before.commands.some((each) => isApt(each.words, 'update') || bringsLists.test(each.words[0] ?? ''));
  if (mayHave || !isPlainImage(before.base)) return;
  yield {
    cause: 'apt-package-not-found',
    severity: 'error',
    captured: {},
    at: { file, line },
    title: 'apt-get install knows no packages: the image has no lists of them',
    fix: 'write RUN apt-get update && apt-get install -y …',
  };
}

const managed = /^(?:[\w.-]+\/)*(?:debian:(?:bookworm|trixie|12|13|stable)|ubuntu:(?:2[3-9]|noble|latest))/;

/** pip in the Python of a distribution. */
function* managedPython({ path: file }: Docker, { words, line, before }: RunCommand): Generator<SeenCause> {
  if (!managed.test(before.base) || !/^pip3?$/.test(words[0] ?? '') || words[1] !== 'install') return;
  const { environment, commands } = before;
  const hasOwn = commands.some((each) => /-m venv|virtualenv|uv venv|EXTERNALLY-MANAGED/.test(each.words.join(' ')));
  if (hasOwn || words.includes('--break-system-packages') || environment.has('PIP_BREAK_SYSTEM_PACKAGES')) return;
  yield { cause: 'environment-externally-managed', severity: 'error', captured: {}, at: { file, line } };
}

const tasks = { kind: 'task', key: 'tasks', list: 'deno.json' } as const;
const scripts = { kind: 'script', key: 'scripts', list: 'package.json' } as const;

const namesScript = /^(?:(?:npm|pnpm|yarn|bun) run|(?<task>(?:deno )?task)|npm(?= start)) (?<name>[\w:.-]+)$/;

/** A script of package.json or a task of deno.json that a command names. */
export function* packageScript(
  shipment: Shipment,
  { path: file }: Docker,
  { words, line, before: { files, base }, cwd }: Pick<RunCommand, 'words' | 'line' | 'before' | 'cwd'>,
): Generator<SeenCause> {
  const command = words.join(' ');
  const { name, task } = namesScript.exec(command)?.groups ?? {};
  const isOther = task === 'task' && !base.startsWith('denoland/deno');
  if (name === undefined || isOther) return;
  const { kind, key, list } = task ? tasks : scripts;
  const own = files.get(posix.resolve(cwd, list));
  const known = own && keysOf(shipment.text(own), key);
  if (!known || [...known, ...defaultScripts(files, cwd)].includes(name)) return;
  yield {
    cause: 'command-failed',
    severity: 'error',
    captured: { command },
    at: { file, line },
    title: `${file} runs ${command}, and ${own} has no ${kind} ${name}`,
    fix: `add ${name} to ${own}, or use one of ${known.join(', ')}`,
  };
}

/** Without a script, npm starts server.js. */
const defaultScripts = (files: ReadonlyMap<string, string>, cwd: string) =>
  files.has(posix.resolve(cwd, 'server.js')) ? ['start'] : [];

/** Undefined for what is no JSON: `lookAtData` says so. */
function keysOf(text: string | undefined, key: 'scripts' | 'tasks'): string[] | undefined {
  try {
    const read = JSON.parse(text ?? '') as { scripts?: object; tasks?: object };
    return Object.keys(read[key] ?? {});
  } catch {
    return undefined;
  }
}
