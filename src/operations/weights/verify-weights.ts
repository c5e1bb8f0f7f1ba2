import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gantryCommand, sentence } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { sha256OfFile } from '../../disk/index.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { type LockedFile, type LockedWeights, mountedPath, weightsLockName } from '../../project/weights-lock.ts';
import { parseRemotePath, withTrailingSlash } from '../../transfer/remote-path.ts';
import { parseVolumePath } from '../volumes/index.ts';
import { ListedFiles, readFileSums } from './listed-files.ts';
import { readLock } from './lock-file.ts';

export interface VerifySummary {
  lock: string;
  /** The number of files that were compared, and their size. */
  files: number;
  bytes: number;
  /** Files that are not as the lock says. */
  problems: { path: string; problem: 'missing' | 'other size' | 'other time' | 'other content' }[];
  /** Whether only the listing was compared. */
  quick: boolean;
}

/**
 * Compares weights with `weights.lock`: those on the volume, or in a folder of this machine, where apps see a volume or a
 * copy of it. Reads the files, or with `quick` only what is listed.
 */
export async function verifyWeights(
  context: Context,
  path: string | undefined,
  { quick }: { quick: boolean },
): Promise<VerifySummary> {
  const weights = readLock(context);
  if (weights.length === 0) {
    throw new NotFoundError(`there is no ${weightsLockName} in this folder`, {
      fix: sentence`pull weights first: ${gantryCommand`weights pull hf://ORG/NAME :/models/NAME`}`,
    });
  }
  const isLocal = path !== undefined && !parseRemotePath(path);
  const chosen = isLocal ? [chooseLocal(context, path, weights)] : chooseRemote(context, path, weights);
  const problems: VerifySummary['problems'] = [];
  for (const one of chosen) {
    const found = isLocal ? await verifyFolder(context, path, one, quick) : await verifyVolume(context, one, quick);
    problems.push(...found);
  }
  problems.sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = chosen.flatMap((each) => each.files);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { lock: weightsLockName, files: files.length, bytes, problems, quick };
}

/** The weights at a path or below it; all without one. */
function chooseRemote(context: Context, path: string | undefined, weights: LockedWeights[]): LockedWeights[] {
  if (path === undefined) return weights;
  const at = parseVolumePath(path, context.settings);
  const folder = `${at.volume}:${withTrailingSlash(at.path)}`;
  const chosen = weights.filter(({ target }) => target.startsWith(folder));
  if (chosen.length > 0) return chosen;
  throw new NotFoundError(`${weightsLockName} has no weights in ${folder}`, {
    why: `it has ${weights.map(({ target }) => target).join(', ')}`,
  });
}

/** A folder where apps see the weights tells which ones it has. */
function chooseLocal({ cwd }: Context, path: string, weights: LockedWeights[]): LockedWeights {
  const folder = withTrailingSlash(resolve(cwd, path));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new NotFoundError(`${path} is no folder`);
  const [first, ...others] = weights.filter((each) => folder.endsWith(withTrailingSlash(mountedPath(each))));
  const [only, ...more] = weights;
  const chosen = others.length === 0 ? (first ?? (more.length === 0 ? only : undefined)) : undefined;
  if (chosen) return chosen;
  throw new UsageError(`${weightsLockName} has several weights, and it is not known which ones ${path} has`, {
    why: `they are ${weights.map(mountedPath).join(', ')}`,
  });
}

async function verifyFolder(
  { cwd, signal, progress }: Context,
  folder: string,
  { files }: LockedWeights,
  quick: boolean,
): Promise<VerifySummary['problems']> {
  const problems: VerifySummary['problems'] = [];
  const step = progress.step('Reading files');
  let read = 0;
  for (const { path, bytes, sha256 } of files) {
    const file = join(resolve(cwd, folder), path);
    const there = statSync(file, { throwIfNoEntry: false });
    if (!there?.isFile()) problems.push({ path, problem: 'missing' });
    else if (there.size !== bytes) problems.push({ path, problem: 'other size' });
    else if (!quick && (await sha256OfFile(file, signal)) !== sha256) problems.push({ path, problem: 'other content' });
    read += bytes;
    step.update({ bytes: read });
  }
  step.clear();
  return problems;
}

async function verifyVolume(
  context: Context,
  { target, files, seen }: LockedWeights,
  quick: boolean,
): Promise<VerifySummary['problems']> {
  const at = parseVolumePath(target, context.settings);
  const volume = new ListedFiles(context, { ...at, path: withTrailingSlash(at.path) });
  const isSeenHere = seen.project === context.project && seen.region === at.region;
  const problems: VerifySummary['problems'] = [];
  const toRead: (LockedFile & { at: typeof at; algorithm: 'sha256' })[] = [];
  for (const file of files) {
    const there = await volume.find(file.path);
    const { path, bytes, modified } = file;
    if (!there) problems.push({ path, problem: 'missing' });
    else if (there.size !== null && there.size !== bytes) problems.push({ path, problem: 'other size' });
    else if (!quick) toRead.push({ ...file, at: volume.at(path), algorithm: 'sha256' });
    else if (isSeenHere && modified !== (there.modified ?? undefined)) problems.push({ path, problem: 'other time' });
  }
  await readFileSums(context, toRead, ({ path, sha256 }, sums) => {
    if (sums?.sha256 !== sha256) problems.push({ path, problem: 'other content' });
  });
  return problems;
}
