import { type LockedFile, type LockedWeights, weightsLockName } from '../../app/weights-lock.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { NotFoundError, throwUnexpected } from '../../kernel/errors.ts';
import { boolean, choice, integer, type ObjectOf, objects, text } from '../../kernel/shape.ts';
import type { Context } from '../../platform/context.ts';
import { ListedFiles } from '../copy/index.ts';
import { withTrailingSlash } from '../transfer/remote-path.ts';
import { type ListedEntry, parseVolumePath } from '../volumes/index.ts';
import { readLock, updateLock } from './lock-file.ts';
import { readFileSums } from './read-file-sums.ts';

const problemFields = {
  target: text('folder on the volume'),
  path: text('path below the folder'),
  problem: choice(['missing', 'other size', 'other time', 'other content'], 'what differs'),
};
type FileProblem = ObjectOf<typeof problemFields>;

export const verifyFields = {
  lock: text('file that says what the weights must be'),
  files: integer('number of files that were compared'),
  bytes: integer('their size'),
  problems: objects('files that are not as the lock says: folder, path and problem', problemFields),
  quick: boolean('true if only what is listed was compared'),
};
export type VerifySummary = ObjectOf<typeof verifyFields>;

/** Compares weights on the volume. With `quick` only what is listed. */
export async function verifyWeights(
  context: Context,
  path: string | undefined,
  { quick }: { quick: boolean },
): Promise<VerifySummary> {
  const weights = readLock(context);
  if (weights.length === 0) {
    throw new NotFoundError(`there is no ${weightsLockName} in this folder`, {
      fix: sentence`pull weights first: ${gantryCommand`cp hf://ORG/NAME :/models/NAME`}; of a folder copied from here: ${gantryCommand`cp FOLDER ${path ?? ':/FOLDER'} --verify`}`,
    });
  }
  const chosen = chooseWeights(context, path, weights);
  const problems: FileProblem[] = [];
  for (const entry of chosen) {
    for (const [{ path }, problem] of (await verifyVolume(context, entry, quick)).sort(byPath))
      problems.push({ target: entry.target, path, problem });
  }
  const files = chosen.flatMap((each) => each.files);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { lock: weightsLockName, files: files.length, bytes, problems, quick };
}

/** The weights at a path or below it; all without one. */
function chooseWeights(context: Context, path: string | undefined, weights: LockedWeights[]): LockedWeights[] {
  if (path === undefined) return weights;
  const at = parseVolumePath(path, context.settings);
  const folder = `${at.volume}:${withTrailingSlash(at.path)}`;
  const chosen = weights.filter(({ target }) => target.startsWith(folder));
  if (chosen.length > 0) return chosen;
  throw new NotFoundError(`${weightsLockName} has no weights in ${folder}`, {
    why: `it has ${weights.map(({ target }) => target).join(', ')}`,
  });
}

type WrongFile = readonly [file: LockedFile, problem: FileProblem['problem']];

const byPath = ([a]: WrongFile, [b]: WrongFile) => (a.path < b.path ? -1 : 1);

function listedProblem(
  { bytes, modified }: LockedFile,
  there: Pick<ListedEntry, 'bytes' | 'updatedAt'> | undefined,
  comparesTime: boolean,
): FileProblem['problem'] | undefined {
  if (!there) return 'missing';
  if (bytes !== there.bytes) return 'other size';
  return comparesTime && modified !== (there.updatedAt ?? undefined) ? 'other time' : undefined;
}

async function verifyVolume(context: Context, weights: LockedWeights, quick: boolean): Promise<WrongFile[]> {
  const { target, files, seen } = weights;
  const at = parseVolumePath(target, context.settings);
  const volume = new ListedFiles(context, { ...at, path: withTrailingSlash(at.path) });
  const isSeenHere = seen.project === context.project && seen.region === at.region;
  const problems: WrongFile[] = [];
  const wrong: LockedFile[] = [];
  const toRead: { file: LockedFile; at: typeof at; bytes: number; algorithm: 'sha256' }[] = [];
  for (const file of files) {
    const there = await volume.find(file.path);
    const problem = listedProblem(file, there, quick && isSeenHere);
    if (problem) problems.push([file, problem]);
    else if (!quick) toRead.push({ file, at: volume.at(file.path), bytes: file.bytes, algorithm: 'sha256' });
  }
  await readFileSums(context, toRead, ({ file }, sums) => {
    if (sums?.sha256 !== file.sha256) wrong.push(file);
  });
  if (isSeenHere && wrong.length > 0) await forget(context, weights, wrong);
  return [...problems, ...wrong.map((file) => [file, 'other content'] as const)];
}

/**
 * Tells the next pull, which trusts the size and the time of a file, to read the wrong ones. What was found is shown even if
 * that fails.
 */
async function forget(context: Context, weights: LockedWeights, wrong: readonly LockedFile[]): Promise<void> {
  const files = weights.files.map(({ modified, ...file }) =>
    modified === undefined || wrong.some(({ path }) => path === file.path) ? file : { ...file, modified },
  );
  await updateLock(context, { ...weights, files }).catch((error: unknown) => {
    throwUnexpected(error);
    context.progress.warn({
      severity: 'warning',
      message: error.message,
      why: 'a pull takes files for equal whose size and time it has',
      fix: `make it writable and verify again`,
    });
  });
}
