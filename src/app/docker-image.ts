import { posix } from 'node:path';
import { type Instruction, parseInstructions, parseWords, withArguments } from './dockerfile.ts';
import { compileGlob } from './files/glob.ts';
import { type ShellCommand, shellCommands } from './shell.ts';

/** A stage of a Dockerfile, as it is after its last instruction. */
export interface Stage {
  name: string;
  /** The image it is made from, through the stages of the file. */
  base: string;
  workdir: string;
  /** Files of the app by their path in the image. */
  files: Map<string, string>;
  /** Folders that also have what is not from the app. */
  others: string[];
  environment: Map<string, string>;
  /** Commands of RUN, with the line of the instruction. */
  commands: ShellCommand[];
  ports: { port: string; line: number }[];
  /** What it starts: as words, or as a text for a shell. */
  command?: { words: string[]; line: number; isShell: boolean };
}

/** What COPY or ADD takes from the context, or from another stage. */
export interface Copy {
  line: number;
  sources: string[];
  target: string;
  /** The stage; undefined for the context. */
  from?: string;
  stage: Stage;
}

export interface DockerImage {
  stages: Stage[];
  copies: Copy[];
  /** Files that a command reads before they are copied. */
  early: { path: string; line: number; stage: Stage }[];
  instructions: Instruction[];
}

/** Builds, without building it, what a Dockerfile makes of the files that are sent. */
export function readImage(dockerfile: string, sent: readonly string[]): DockerImage {
  const instructions = parseInstructions(dockerfile);
  const image: DockerImage = { stages: [], copies: [], early: [], instructions };
  const values = new Map<string, string>();
  let stage: Stage | undefined;
  for (const { keyword, rest, line } of instructions) {
    const text =
      keyword === 'RUN' || keyword === 'CMD' || keyword === 'ENTRYPOINT'
        ? rest
        : withArguments(rest, new Map([...values, ...(stage?.environment ?? [])]));
    if (keyword === 'FROM') {
      stage = startStage(text, image.stages);
      image.stages.push(stage);
    } else if (keyword === 'ARG') {
      const [, name = '', value = ''] = /^(\w+)(?:=["']?([^"'\s]*))?/.exec(text) ?? [];
      if (value !== '' || !values.has(name)) values.set(name, value);
    }
    if (!stage) continue;
    if (keyword === 'WORKDIR') stage.workdir = posix.resolve(stage.workdir, text.trim().replace(/^["']|["']$/g, ''));
    else if (keyword === 'ENV') for (const [name, value] of assignments(text)) stage.environment.set(name, value);
    else if (keyword === 'RUN') {
      const commands = commandsOf(rest).map((each) => ({ ...each, line }));
      for (const each of commands) stage.commands.push(each);
      if (!rest.includes('--mount='))
        for (const { words } of commands)
          for (const each of readBy(words, stage).map((path) => ({ path, line, stage: stage as Stage })))
            image.early.push(each);
    } else if (keyword === 'EXPOSE')
      for (const each of text.split(/\s+/).map((port) => ({ port: port.replace(/\/\w+$/, ''), line })))
        stage.ports.push(each);
    else if (keyword === 'CMD' || keyword === 'ENTRYPOINT') startWith(stage, keyword, rest, line);
    else if (keyword === 'COPY' || keyword === 'ADD') copy(image, stage, text, line, sent);
  }
  return image;
}

/** Requirements files that a command reads and that the image does not have yet. */
function readBy(words: readonly string[], { workdir, files, others }: Stage): string[] {
  const named = words.filter(
    (word, at) => /^(?:-r|--requirement)$/.test(words[at - 1] ?? '') && !/\$|:\/\//.test(word),
  );
  return named.filter((word) => {
    const path = posix.resolve(workdir, word);
    return !files.has(path) && !others.some((each) => path.startsWith(each));
  });
}

function startStage(text: string, stages: readonly Stage[]): Stage {
  const [, base = '', name = ''] = /^(?:--\S+\s+)*(\S+)(?:\s+[Aa][Ss]\s+(\S+))?/.exec(text) ?? [];
  const from = stages.find((each) => each.name !== '' && each.name.toLowerCase() === base.toLowerCase());
  const plain = { base, workdir: '/', files: new Map(), others: [], environment: new Map(), commands: [], ports: [] };
  if (!from) return { ...plain, name };
  return {
    ...from,
    name,
    files: new Map(from.files),
    others: [...from.others],
    environment: new Map(from.environment),
    commands: [...from.commands],
    ports: [...from.ports],
  };
}

const assignments = (text: string): [string, string][] =>
  /^\w+=/.test(text)
    ? [...text.matchAll(/(\w+)=(?:"([^"]*)"|'([^']*)'|(\S*))/g)].map(([, name = '', ...value]) => [
        name,
        value.find(Boolean) ?? '',
      ])
    : [[text.split(/\s+/)[0] ?? '', text.replace(/^\S+\s*/, '')]];

/** Without flags such as `--mount`. */
function commandsOf(rest: string): ShellCommand[] {
  const text = rest.replace(/^(--\S+\s+)+/, '');
  const words = /^\s*\[/.test(text) ? parseWords(text) : undefined;
  return shellCommands(words?.join(' ') ?? text);
}

function startWith(stage: Stage, keyword: string, rest: string, line: number): void {
  const isShell = !isWordList(rest);
  const words = isShell ? [rest] : parseWords(rest);
  const before = stage.command;
  // CMD has the arguments of an ENTRYPOINT that is a list of words.
  const isAfter = keyword === 'CMD' && before !== undefined && stage.environment.get(entrypointMark) === 'yes';
  stage.command =
    isAfter && !before.isShell
      ? { words: [...before.words, ...words], line, isShell: false }
      : { words, line, isShell };
  if (keyword === 'ENTRYPOINT') stage.environment.set(entrypointMark, 'yes');
}

/** No name of a variable. */
const entrypointMark = ' entrypoint';

function isWordList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

function copy(image: DockerImage, stage: Stage, text: string, line: number, sent: readonly string[]): void {
  const words = parseWords(text.replace(/^(--\S+\s+)+/, ''));
  const [, from] = /^(?:--\S+\s+)*--from=(\S+)/.exec(text) ?? [];
  const [target = '', sources] = [words.at(-1), words.slice(0, -1)];
  const plain = sources.filter((source) => !/^(?:https?:|git@|<<)|\$/.test(source));
  image.copies.push({ line, sources: plain, target, stage, ...(from !== undefined && { from }) });
  const to = posix.resolve(stage.workdir, target);
  const isFolder =
    target.endsWith('/') ||
    target === '.' ||
    target === '..' ||
    sources.length > 1 ||
    sources.some((each) => /[*?[]/.test(each));
  const other = image.stages.find(
    (each, at) => each !== stage && (each.name.toLowerCase() === from?.toLowerCase() || String(at) === from),
  );
  for (const source of plain) {
    if (from !== undefined) {
      const start = posix.resolve(other?.workdir ?? '/', source);
      let isKnown = false;
      for (const [path, file] of other?.files ?? []) {
        if (path !== start && !path.startsWith(start === '/' ? '/' : `${start}/`)) continue;
        isKnown = true;
        stage.files.set(
          path === start
            ? isFolder
              ? posix.join(to, posix.basename(path))
              : to
            : posix.join(to, path.slice(start.length)),
          file,
        );
      }
      if (!isKnown || (other?.commands.length ?? 0) > 0)
        stage.others.push(isFolder && posix.extname(source) !== '' ? posix.join(to, posix.basename(source)) : to);
      continue;
    }
    for (const file of sourceFiles(source, sent)) {
      const path = contextPath(source);
      const below = /[*?[]/.test(path) ? posix.basename(file) : path === '' ? file : file.slice(path.length + 1);
      stage.files.set(
        below === '' ? (isFolder ? posix.join(to, posix.basename(file)) : to) : posix.join(to, below),
        file,
      );
    }
  }
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
  if (!/[*?[]/.test(path)) return sent.filter((file) => file === path || file.startsWith(`${path}/`));
  const glob = compileGlob(path);
  return sent.filter(
    (file) => glob?.matches(file) || glob?.matches(file.split('/').slice(0, path.split('/').length).join('/')),
  );
}
