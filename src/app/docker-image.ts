import { posix } from 'node:path';
import { groupsOf } from '../kernel/groups.ts';
import { copyInto } from './docker-copy.ts';
import {
  type Instruction,
  instructionLike,
  parseInstructions,
  parseList,
  parseWords,
  withArguments,
} from './dockerfile.ts';
import { type Copy, emptyStage, type ImageCommand, type ImageState, type Stage, stageNamed } from './image-stage.ts';
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
