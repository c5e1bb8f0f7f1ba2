import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { toDiskErrorOf, writeFileAtomic } from '../../disk/index.ts';
import { ConflictError } from '../../errors.ts';
import {
  type LockedFile,
  type LockedWeights,
  readWeightsLock,
  weightsLockName,
  weightsLockText,
} from '../../project/weights-lock.ts';

/** The weights of `weights.lock` in the working directory; none without it. Throws a ConflictError if it is damaged. */
export function readLock({ cwd }: Pick<Context, 'cwd'>): LockedWeights[] {
  const weights = readWeightsLock(cwd);
  if (weights !== 'damaged') return weights ?? [];
  throw new ConflictError(`${weightsLockName} cannot be read`, {
    why: 'it is not what gantry weights pull writes, or has the conflict markers of a merge',
    fix: 'take one side of the merge, restore it from git, or delete it and pull the weights again',
  });
}

/** Adds weights, in place of those of the same source in the same folder. */
export async function updateLock(context: Pick<Context, 'cwd'>, weights: LockedWeights): Promise<void> {
  const before = readLock(context);
  const others = before.filter((each) => !isSameEntry(each, weights));
  await replaceLock(context, before, [...others, weights]);
}

/**
 * Forgets when files were listed with their content, because they do not have it: the next pull reads them before it calls
 * them equal. What another command has recorded meanwhile stays.
 */
export async function forgetTimes(
  context: Pick<Context, 'cwd'>,
  weights: LockedWeights,
  wrong: readonly LockedFile[],
): Promise<void> {
  const times = new Map(wrong.map(({ path, modified }) => [path, modified]));
  const forget = ({ modified, ...file }: LockedFile): LockedFile =>
    modified === undefined || times.get(file.path) === modified ? file : { ...file, modified };
  const before = readLock(context);
  const after = before.map((each) => (isSameEntry(each, weights) ? { ...each, files: each.files.map(forget) } : each));
  await replaceLock(context, before, after);
}

async function replaceLock(
  { cwd }: Pick<Context, 'cwd'>,
  before: readonly LockedWeights[],
  after: readonly LockedWeights[],
): Promise<void> {
  const text = weightsLockText(after);
  if (before.length > 0 && text === weightsLockText(before)) return;
  await writeFileAtomic(join(cwd, weightsLockName), text).catch((cause) => {
    throw toDiskErrorOf(`cannot write ${weightsLockName}`, cause);
  });
}

export function isSameEntry(
  a: Pick<LockedWeights, 'source' | 'target'>,
  b: Pick<LockedWeights, 'source' | 'target'>,
): boolean {
  return a.source === b.source && a.target === b.target;
}
