import { posix } from 'node:path';
import { type Instruction, parseWords } from './dockerfile.ts';
import { compileGlob } from './files/glob.ts';
import { type ImageState, isBelowOrSame, type Stage, stageNamed } from './image-stage.ts';

/** The words of COPY, with the target that it may lack. */
const copyWords = (text: string) => [...parseWords(text), '.'].slice(0, Math.max(2, parseWords(text).length));

/** What a stage has after COPY or ADD: files of the app, and places that have others. */
export function copyInto(
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
