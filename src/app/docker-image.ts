import { posix } from 'node:path';
import {
  type Instruction,
  instructionLike,
  parseInstructions,
  parseList,
  parseWords,
  withArguments,
} from './dockerfile.ts';
import { compileGlob } from './files/glob.ts';
import { type ShellCommand, shellCommands } from './shell.ts';

export interface ImageState {
  /** The image it is made from, through the stages of the file. */
  base: string;
  workdir: string;
  user: string;
  /** Files of the app by their path in the image. */
  files: Map<string, string>;
  written: Map<string, string>;
  /** Files and folders that also have what is not from the app. */
  others: OtherPlace[];
  environment: Map<string, string>;
  commands: RunCommand[];
}

export interface OtherPlace {
  path: string;
  from?: { stage: Stage; path: string } | undefined;
}

export interface RunCommand extends ShellCommand {
  before: ImageState;
  cwd: string;
  /** Whether it sees files that are only mounted. */
  hasMounts: boolean;
  /** Folders whose content the image does not keep. */
  caches: readonly string[];
}

export interface ImageCommand {
  words: string[];
  line: number;
  isShell: boolean;
}

export interface Stage extends ImageState {
  name: string;
  line: number;
  ports: { port: string; line: number }[];
  entrypoint?: ImageCommand;
  cmd?: ImageCommand;
  command?: ImageCommand | undefined;
}

/** What COPY or ADD takes from the context, from another stage, or from another image. */
export interface Copy {
  line: number;
  sources: string[];
  from?: string;
  stage: Stage;
}

export interface DockerImage {
  stages: Stage[];
  copies: Copy[];
  /** Each with the instruction that is meant; without one, there is none like it. */
  instructions: (Instruction & { meant?: string | undefined })[];
}

/**
 * Builds, without building it, what a Dockerfile makes of the files that are sent. What it misspells, or leaves out, is read as
 * it is meant: it is one mistake.
 */
export function readImage(dockerfile: string, sent: readonly string[]): DockerImage {
  const instructions = parseInstructions(dockerfile).map((each) => ({ ...each, meant: instructionLike(each.keyword) }));
  const first = instructions.find(({ meant }) => meant !== 'ARG');
  const stages = first && first.meant !== 'FROM' ? [emptyStage('', '/')] : [];
  const image: DockerImage = { stages, copies: [], instructions };
  /** Arguments above the first FROM, which only FROM knows, and those of the stage. */
  const values = new Map<string, string>();
  let own = new Map<string, string>();
  for (const instruction of instructions) {
    const stage = image.stages.at(-1);
    const known = (text: string) => withArguments(text, stage ? new Map([...own, ...stage.environment]) : values);
    const { meant = '' } = instruction;
    if (meant === 'FROM') {
      own = new Map(values);
      image.stages.push(startStage(withArguments(instruction.text, values), image, instruction.line));
    } else if (meant === 'ARG') readArgument(known(instruction.text), stage ? own : values);
    else if (stage) readers[meant]?.(stage, instruction, known(instruction.text), image, sent);
  }
  for (const stage of image.stages) stage.command = commandOf(stage);
  return image;
}

export function baseImages(dockerfile: string): string[] {
  const bases = new Set(readImage(dockerfile, []).stages.map(({ base }) => base));
  return [...bases].filter((base) => base !== '' && base !== 'scratch' && !base.includes('$'));
}

type Reader = (
  stage: Stage,
  instruction: Instruction,
  text: string,
  image: DockerImage,
  sent: readonly string[],
) => void;

const readers: Readonly<Record<string, Reader>> = {
  WORKDIR: (stage, _, text) => {
    stage.workdir = posix.resolve(stage.workdir, unquoted(text.trim()));
  },
  USER: (stage, _, text) => {
    stage.user = text.trim().split(':')[0] ?? '';
  },
  ENV: (stage, _, text) => {
    for (const [name, value] of assignments(text)) stage.environment.set(name, value);
  },
  EXPOSE: (stage, { line }, text) => {
    for (const port of text.trim().split(/\s+/)) stage.ports.push({ port: port.replace(/\/\w+$/, ''), line });
  },
  RUN: (stage, { text, heredocs, flags, line }) => {
    const mounts = flags.flatMap(([name, value]) => (name === 'mount' ? value : []));
    const caches = mounts.filter((each) => /type=(?:cache|tmpfs)/.test(each)).map((each) => mountedAt(each, stage));
    const before = copyState(stage);
    let cwd = stage.workdir;
    for (const { words } of shellCommands(scriptOf(text, heredocs))) {
      if (words[0] === 'cd') cwd = posix.resolve(cwd, words[1] ?? '/root');
      // What came before it in the same instruction may have made what it needs.
      const found = { ...before, commands: [...stage.commands] };
      writeFile(stage, words, cwd, heredocs);
      stage.commands.push({ words, line, before: found, cwd, hasMounts: mounts.length > 0, caches });
    }
  },
  CMD: (stage, { text, line }) => {
    stage.cmd = imageCommand(text, line);
  },
  ENTRYPOINT: (stage, { text, line }) => {
    stage.entrypoint = imageCommand(text, line);
    // That of another stage goes.
    if ((stage.cmd?.line ?? line) < stage.line) delete stage.cmd;
  },
  COPY: (stage, instruction, text, image, sent) => {
    copy(image, stage, instruction, text, sent);
    const path = posix.resolve(stage.workdir, parseWords(text).at(-1) ?? '');
    if (instruction.heredocs.length > 0) stage.written.set(path, textOf(instruction.heredocs));
  },
  ADD: (stage, instruction, text, image, sent) => copy(image, stage, instruction, text, sent),
};

const withoutHeredocs = (text: string) => text.replace(/<<-?["']?\w+["']?/g, '').trim();
const textOf = ([first = '']: readonly string[]) => first.replace(/[^\n]*$/, '');
const ofShell = /^(?:(?:\S*\/)?(?:ba|da|z)?sh\b[^>]*)?$/;

function scriptOf(text: string, heredocs: readonly string[]): string {
  const own = parseList(text)?.join(' ') ?? withoutHeredocs(text);
  return heredocs.length > 0 && ofShell.test(own) ? heredocs.join('\n') : own;
}

function writeFile({ written }: Stage, words: readonly string[], cwd: string, heredocs: readonly string[]): void {
  const made = writtenBy(words, textOf(heredocs));
  const path = posix.resolve(cwd, made?.path ?? '');
  if (made) written.set(path, (made.isMore ? (written.get(path) ?? '') : '') + made.text);
}

const mountedAt = (mount: string, { workdir }: ImageState) =>
  posix.resolve(workdir, /(?:target|dst|destination)=([^,]+)/.exec(mount)?.[1] ?? '');

function readArgument(text: string, values: Map<string, string>): void {
  for (const [, name = '', value = ''] of text.matchAll(/(\w+)(?:=["']?([^"'\s]*)["']?)?/g))
    if (value !== '' || !values.has(name)) values.set(name, value);
}

const copyState = ({ files, written, others, environment, commands, ...state }: ImageState): ImageState => ({
  base: state.base,
  workdir: state.workdir,
  user: state.user,
  files: new Map(files),
  written: new Map(written),
  others: [...others],
  environment: new Map(environment),
  commands: [...commands],
});

function startStage(text: string, { stages }: DockerImage, line: number): Stage {
  const [base = '', , name = ''] = text.split(/\s+/);
  const from = stageNamed(stages, base);
  if (from) return { ...from, ...copyState(from), ports: [...from.ports], name, line };
  return { ...emptyStage(base, '/'), name, line };
}

/** An image that nothing was brought into yet. */
export const emptyStage = (base: string, workdir: string): Stage => ({
  base,
  workdir,
  user: base.startsWith('mambaorg/micromamba') ? 'mambauser' : 'root',
  files: new Map(),
  written: new Map(),
  others: [],
  environment: new Map(),
  commands: [],
  ports: [],
  name: '',
  line: 0,
});

/** A stage by its name, or its number from 0. */
export const stageNamed = (stages: readonly Stage[], name = ''): Stage | undefined =>
  stages.find(
    (each, at) => (each.name !== '' && each.name.toLowerCase() === name.toLowerCase()) || String(at) === name,
  );

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, '$2');

const assignments = (text: string): [string, string][] =>
  /^\w+=/.test(text)
    ? [...text.matchAll(/(\w+)=("[^"]*"|'[^']*'|\S*)/g)].map(([, name = '', value = '']) => [name, unquoted(value)])
    : [[text.split(/\s+/)[0] ?? '', text.replace(/^\S+\s*/, '')]];

function imageCommand(text: string, line: number): ImageCommand {
  const words = parseList(text);
  return { words: words ?? [text], line, isShell: words === undefined };
}

function commandOf({ entrypoint, cmd }: Stage): ImageCommand | undefined {
  if (!entrypoint || entrypoint.isShell || !cmd) return entrypoint ?? cmd;
  const rest = cmd.isShell ? ['/bin/sh', '-c', ...cmd.words] : cmd.words;
  return { words: [...entrypoint.words, ...rest], line: cmd.line, isShell: false };
}

/** The words of COPY, with the target that it may lack. */
const copyWords = (text: string) => [...parseWords(text), '.'].slice(0, Math.max(2, parseWords(text).length));

function copy(image: DockerImage, stage: Stage, { flags, line }: Instruction, text: string, sent: readonly string[]) {
  const words = copyWords(text);
  const given = words.slice(0, -1);
  const [target = ''] = words.slice(-1);
  const from = flags.find(([name]) => name === 'from')?.[1];
  const sources = given.filter(isPlainPath);
  image.copies.push({ line, sources, stage, ...(from !== undefined && { from }) });
  const to = posix.resolve(stage.workdir, target);
  const isFolder = isFolderTarget(target, given.length, stage);
  const placeOf = (taken: Taken) => posix.join(to, isFolder ? taken.below || taken.name : taken.below);
  const other = stageNamed(image.stages, from);
  if (sources.length < given.length) stage.others.push({ path: to });
  for (const source of sources) {
    const taken = from === undefined ? contextFiles(source, sent) : stageFiles(other, source);
    for (const each of taken) stage.files.set(placeOf(each), each.file);
    const more = from !== undefined && mayHaveMore(other, taken.length);
    stage.others = stage.others.concat(more ? otherPlaces(source, to, other, placeOf) : []);
  }
}

function otherPlaces(source: string, to: string, stage: Stage | undefined, placeOf: (taken: Taken) => string) {
  const from = stage && !/[*?[]/.test(source) ? { stage, path: posix.resolve('/', source) } : undefined;
  const file = { path: placeOf({ below: '', name: posix.basename(source) }), from };
  return /\.\w+$/.test(source) ? [file] : file.path === to ? [file] : [file, { path: to, from }];
}

/** Neither an address, nor a heredoc, nor what only the builder knows. */
const isPlainPath = (source: string) => !/^(?:https?:|git@|<<)|\$/.test(source);

function isFolderTarget(target: string, sources: number, { workdir, files }: ImageState): boolean {
  const path = posix.resolve(workdir, target);
  if (/(?:^|\/)\.{0,2}$/.test(target) || sources > 1 || path === workdir) return true;
  return [...files.keys()].some((each) => each.startsWith(`${path}/`));
}

/** What another stage made, or another image has, is not known. */
const mayHaveMore = (stage: Stage | undefined, taken: number) => stage?.commands.length !== 0 || taken === 0;

/** A file that COPY takes: its path below the folder that the source names, empty if the source names the file. */
interface Taken {
  below: string;
  name: string;
}

type TakenFile = Taken & { file: string };

function contextFiles(source: string, sent: readonly string[]): TakenFile[] {
  const path = contextPath(source);
  const isGlob = /[*?[]/.test(path);
  const depth = path.split('/').length;
  return sourceFiles(source, sent).map((file) => {
    // Of a folder that a pattern matches, what is in it is copied.
    const below = isGlob ? file.split('/').slice(depth).join('/') : path === '' ? file : file.slice(path.length + 1);
    return { below, name: posix.basename(file), file };
  });
}

function stageFiles(stage: Stage | undefined, source: string): TakenFile[] {
  const start = posix.resolve('/', source);
  return [...(stage?.files ?? [])]
    .filter(([path]) => isBelowOrSame(path, start))
    .map(([path, file]) => ({
      below: path === start ? '' : posix.relative(start, path),
      name: posix.basename(path),
      file,
    }));
}

/** `src` for `./src/`; empty for the whole context. */
export const contextPath = (source: string) =>
  posix
    .normalize(source)
    .replace(/^(\.?\/)+|\/+$/g, '')
    .replace(/^\.$/, '');

/** What a source of COPY stands for among the files of the context. */
export function sourceFiles(source: string, sent: readonly string[]): string[] {
  const path = contextPath(source);
  if (path === '') return [...sent];
  if (!/[*?[]/.test(path)) return sent.filter((file) => isBelowOrSame(file, path));
  const glob = compileGlob(path);
  const depth = path.split('/').length;
  return sent.filter((file) => glob?.matches(file.split('/').slice(0, depth).join('/')));
}

export const isBelowOrSame = (path: string, folder: string) =>
  path === folder || folder === '/' || path.startsWith(`${folder}/`);

/** Images of systems and languages: they bring no files that an app names by a path. */
const plainImage =
  /^(?:(?:docker\.io|public\.ecr\.aws\/docker)\/)?(?:library\/)?(?:debian|ubuntu|python|alpine|fedora|node|golang|rust|php|ruby|eclipse-temurin|scratch|busybox|nvidia\/cuda|denoland\/deno|oven\/bun|maven|gradle|amazoncorretto|mambaorg\/micromamba|continuumio\/miniconda3)(?::|@|$)|^gcr\.io\/distroless\/|^ghcr\.io\/astral-sh\/uv:\S*(?:python|debian|alpine|bookworm)/;

export const isPlainImage = (base: string): boolean => plainImage.test(base);

/** What installs programs and packages, or only changes what is there: no file of the app comes from it. */
const makesNoFiles =
  /^(?:apt|apt-get|apk|yum|dnf|microdnf|pip[\d.]*|pipx|conda|mamba|micromamba|chmod|chown|mkdir|rm|useradd|adduser|groupadd|addgroup|usermod|export|set|cd|test|true|ldconfig|locale-gen|update-ca-certificates|which|sed|playwright)$|^(?:npm|yarn|pnpm|bun) (?:install|i|ci)\b|^(?:poetry|bundle|composer) install|^poetry config|^uv (?:sync|pip|venv)|^python[\d.]* -m (?:venv|pip)/;

/** What a command makes, as far as it is known: undefined if it may make any file. */
export type Makes = (step: RunCommand) => ((path: string) => boolean) | undefined;

const makesNothing: Makes = ({ words }) =>
  makesNoFiles.test(words[0] ?? '') || makesNoFiles.test(words.join(' ')) ? () => false : undefined;

const ofPackages =
  /^\/(?:usr|etc|root|home|var|lib\d*|s?bin|opt|tmp|go|venv)(?:\/|$)|node_modules|venv|vendor|\.cache|\.yarn|\.pnp/;

/** Whether what installs something may have put it there: the folder is one of packages, or a command names it. */
export const mayInstall = ({ commands }: ImageState, path: string): boolean =>
  ofPackages.test(path) ||
  commands
    .filter(({ words }) => !/^(?:npm|pnpm|yarn|bun|npx)$/.test(words[0] ?? ''))
    .some(({ words, cwd }) => words.some((word) => `${word} ${posix.resolve(cwd, word)}`.includes(path)));

/** Surely: a plain image, where nothing is copied there and no command ran that could have made it. */
export function lacks({ base, workdir, files, others, commands }: ImageState, path: string, makes: Makes): boolean {
  const full = posix.resolve(workdir, path);
  const isThere = files.has(full) || [...files.keys()].some((each) => isBelowOrSame(each, full));
  if (!isPlainImage(base) || /[$*?]/.test(path) || isThere) return false;
  const lacksOther = ({ path: place, from }: OtherPlace) => {
    const there = posix.join(from?.path ?? '', posix.relative(place, full));
    return !isBelowOrSame(full, place) || (from && !mayInstall(from.stage, there) && lacks(from.stage, there, makes));
  };
  const isMade = (step: RunCommand) =>
    (makes(step) ?? makesNothing(step) ?? (() => true))(full) && !step.caches.some((each) => isBelowOrSame(full, each));
  return others.every(lacksOther) && !commands.some(isMade);
}

interface WrittenFile {
  path: string;
  text: string;
  isMore: boolean;
}

const lines = (text: string) => text.replaceAll('\\n', '\n');

const writers: Readonly<Record<string, (given: readonly string[], heredoc: string) => string>> = {
  echo: (given) => `${lines(given.filter((word) => !/^-[neE]+$/.test(word)).join(' '))}\n`,
  printf: ([format = '', ...given]) =>
    lines(format.includes('%s') ? given.map((word) => format.replace('%s', word)).join('') : format),
  cat: (_, heredoc) => heredoc,
};

/** Undefined if it writes no file, or if its text is not known. */
function writtenBy(words: readonly string[], heredoc: string): WrittenFile | undefined {
  const at = words.findIndex((word) => /^>>?/.test(word));
  const [, sign = '', near = ''] = /^(>>?)(.*)$/.exec(words[at] ?? '') ?? [];
  const [program = '', ...given] = words.slice(0, Math.max(at, 0));
  const path = near || words[at + 1];
  const text = writers[program]?.(given, heredoc);
  return !path || path.startsWith('&') || !text ? undefined : { path, text, isMore: sign === '>>' };
}
