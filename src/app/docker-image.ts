import { posix } from 'node:path';
import { groupsOf } from '../kernel/groups.ts';
import {
  type Instruction,
  instructionLike,
  parseInstructions,
  parseList,
  parseWords,
  withArguments,
} from './dockerfile.ts';
import { compileGlob } from './files/glob.ts';
import {
  type Copy,
  emptyStage,
  type ImageCommand,
  type ImageState,
  isBelowOrSame,
  type Stage,
  stageNamed,
} from './image-stage.ts';
import { shellCommands } from './shell.ts';

/** What a Dockerfile makes. */
export interface DockerImage {
  stages: Stage[];
  copies: readonly Copy[];
  /** Each with the known instruction that is closest to it, if there is one. */
  instructions: readonly (Instruction & { meant?: string | undefined })[];
}

/**
 * Builds, without building it, what a Dockerfile makes of the files that are sent. What it misspells, or leaves out, is read as
 * it is meant: it is one mistake.
 */
export function readImage(dockerfile: string, sent: readonly string[]): DockerImage {
  const instructions = parseInstructions(dockerfile).map((each) => ({ ...each, meant: instructionLike(each.keyword) }));
  const first = instructions.find(({ meant }) => meant !== 'ARG');
  const stages = first && first.meant !== 'FROM' ? [emptyStage('', '/')] : [];
  /** Arguments above the first FROM, which every FROM knows, and those of the stage. */
  const values = new Map<string, string>();
  let stageValues = values;
  for (const instruction of instructions) {
    const stage = stages.at(-1);
    const { meant = '', line } = instruction;
    const valuesThere = meant === 'FROM' ? values : new Map([...stageValues, ...(stage?.environment ?? [])]);
    const text = withArguments(instruction.text, valuesThere);
    if (meant === 'FROM') {
      stageValues = new Map(values);
      stages.push(startStage(text, stages, line));
    } else if (meant === 'ARG') readArgument(text, stageValues);
    else if (stage) Object.assign(stage, readers[meant]?.({ stage, instruction, text, stages, sent }));
  }
  for (const stage of stages) stage.command = commandOf(stage);
  return { stages, copies: stages.flatMap(({ copies }) => copies), instructions };
}

export function baseImages(dockerfile: string): string[] {
  const bases = new Set(readImage(dockerfile, []).stages.map(({ base }) => base));
  return [...bases].filter((base) => base !== '' && base !== 'scratch' && !base.includes('$'));
}

/** An instruction, and the stage that it finds. */
interface BuildStep {
  stage: Stage;
  instruction: Instruction;
  /** With the values of arguments; commands keep those as they are written. */
  text: string;
  stages: readonly Stage[];
  sent: readonly string[];
}

/** What of the stage is another thing after an instruction. */
const readers: Readonly<Record<string, (step: BuildStep) => Partial<Stage>>> = {
  WORKDIR: ({ stage, text }) => ({ workdir: posix.resolve(stage.workdir, unquoted(text.trim())) }),
  USER: ({ stage, text, instruction: { line } }) => {
    const [user = ''] = text.trim().split(':');
    return { user, users: [...stage.users, { user, line, before: { ...stage } }] };
  },
  ENV: ({ stage, text }) => ({ environment: new Map([...stage.environment, ...assignments(text)]) }),
  EXPOSE: ({ stage, text, instruction: { line } }) => {
    const ports = text.trim().split(/\s+/);
    return { ports: [...stage.ports, ...ports.map((port) => ({ port: port.replace(/\/\w+$/, ''), line }))] };
  },
  RUN: run,
  CMD: ({ instruction: { text, line } }) => ({ cmd: imageCommand(text, line) }),
  ENTRYPOINT: ({ stage, instruction: { text, line } }) => ({
    entrypoint: imageCommand(text, line),
    // That of another stage goes.
    cmd: stage.cmd && stage.cmd.line < stage.line ? undefined : stage.cmd,
  }),
  COPY: copy,
  ADD: copy,
};

function copy({ stage, instruction, text, ...known }: BuildStep): Partial<Stage> {
  const { heredocs } = instruction;
  const path = posix.resolve(stage.workdir, parseWords(text).at(-1) ?? '');
  const written = heredocs.length > 0 ? new Map([...stage.written, [path, textOf(heredocs)]]) : stage.written;
  return { ...copyInto(stage, instruction, text, known), written };
}

function run({ stage, instruction: { text, heredocs, flags, line } }: BuildStep): Partial<Stage> {
  const mounts = flags.flatMap(([name, value]) => (name === 'mount' ? value : []));
  const caches = mounts.filter((each) => /type=(?:cache|tmpfs)/.test(each)).map((each) => mountedAt(each, stage));
  const written = new Map(stage.written);
  const commands = [...stage.commands];
  let cwd = stage.workdir;
  for (const { words } of shellCommands(scriptOf(text, heredocs))) {
    if (words[0] === 'cd') cwd = posix.resolve(cwd, words[1] ?? '/root');
    writeFile(written, words, cwd, heredocs);
    // What came before it in the same instruction may have made what it needs.
    const before = { ...stage, commands: [...commands] };
    commands.push({ words, line, before, cwd, hasMounts: mounts.length > 0, caches });
  }
  return { commands, written };
}

const withoutHeredocs = (text: string) => text.replace(/<<-?["']?\w+["']?/g, '').trim();
const textOf = ([first = '']: readonly string[]) => first.replace(/[^\n]*$/, '');
const ofShell = /^(?:(?:\S*\/)?(?:ba|da|z)?sh\b[^>]*)?$/;

function scriptOf(text: string, heredocs: readonly string[]): string {
  const command = parseList(text)?.join(' ') ?? withoutHeredocs(text);
  return heredocs.length > 0 && ofShell.test(command) ? heredocs.join('\n') : command;
}

function writeFile(
  written: Map<string, string>,
  words: readonly string[],
  cwd: string,
  heredocs: readonly string[],
): void {
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

function startStage(text: string, stages: readonly Stage[], line: number): Stage {
  const [base = '', , name = ''] = text.split(/\s+/);
  const from = stageNamed(stages, base) ?? emptyStage(base, '/');
  return { ...from, copies: [], name, line };
}

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

const lines = (text: string) => text.replaceAll('\\n', '\n');

const writers: Readonly<Record<string, (given: readonly string[], heredoc: string) => string>> = {
  echo: (given) => `${lines(given.filter((word) => !/^-[neE]+$/.test(word)).join(' '))}\n`,
  printf: ([format = '', ...given]) =>
    lines(format.includes('%s') ? given.map((word) => format.replace('%s', word)).join('') : format),
  cat: (_, heredoc) => heredoc,
};

/** Undefined if it writes no file, or if its text is not known. */
function writtenBy(words: readonly string[], heredoc: string) {
  const at = words.findIndex((word) => /^>>?/.test(word));
  const [, sign = '', near = ''] = groupsOf(/^(>>?)(.*)$/, words[at] ?? '');
  const [program = '', ...given] = words.slice(0, Math.max(at, 0));
  const path = near || words[at + 1];
  const text = writers[program]?.(given, heredoc);
  return !path || path.startsWith('&') || !text ? undefined : { path, text, isMore: sign === '>>' };
}

/** The words of COPY, with the target that it may lack. */
const copyWords = (text: string) => [...parseWords(text), '.'].slice(0, Math.max(2, parseWords(text).length));

/** What a stage has after COPY or ADD: files of the app, and places that have others. */
function copyInto(
  stage: Stage,
  { flags, line }: Instruction,
  text: string,
  { stages, sent }: { stages: readonly Stage[]; sent: readonly string[] },
): Pick<Stage, 'files' | 'others' | 'copies'> {
  const words = copyWords(text);
  const given = words.slice(0, -1);
  const [target = ''] = words.slice(-1);
  const from = flags.find(([name]) => name === 'from')?.[1];
  const sources = given.filter(isPlainPath);
  const to = posix.resolve(stage.workdir, target);
  const isFolder = isFolderTarget(target, given.length, stage);
  const placeOf = (taken: Taken) => posix.join(to, isFolder ? taken.below || taken.name : taken.below);
  const other = stageNamed(stages, from);
  const taken = sources.map((source) => (from === undefined ? contextFiles(source, sent) : stageFiles(other, source)));
  const files = new Map([...stage.files, ...taken.flat().map((each) => [placeOf(each), each.file] as const)]);
  const unknown = sources.length < given.length ? [{ path: to }] : [];
  const more = sources.flatMap((source, at) =>
    from !== undefined && mayHaveMore(other, taken[at]?.length ?? 0) ? otherPlaces(source, to, other, placeOf) : [],
  );
  const copies = [...stage.copies, { line, sources, stage, ...(from !== undefined && { from }) }];
  return { files, others: [...stage.others, ...unknown, ...more], copies };
}

function otherPlaces(source: string, to: string, stage: Stage | undefined, placeOf: (taken: Taken) => string) {
  const from = stage && !/[*?[]/.test(source) ? { stage, path: posix.resolve('/', source) } : undefined;
  const file = { path: placeOf({ below: '', name: posix.basename(source) }), from };
  // A name with an end is that of a file, and what lies among programs is one of them.
  const isFile = /\.\w+$|^\/uvx?$|^\/(?:usr\/(?:local\/)?)?s?bin\/[\w.-]+$/.test(source);
  return isFile || file.path === to ? [file] : [file, { path: to, from }];
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
