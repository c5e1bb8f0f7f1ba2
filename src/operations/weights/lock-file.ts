import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { toDiskErrorOf, writeFileAtomic } from '../../disk/index.ts';
import { ConflictError } from '../../errors.ts';
import { type LockedWeights, readWeightsLock, weightsLockName, weightsLockText } from '../../project/weights-lock.ts';

/** The weights of `weights.lock` in the working directory; none without it. Throws a ConflictError if it is damaged. */
export function readLock({ cwd }: Pick<Context, 'cwd'>): LockedWeights[] {
  const weights = readWeightsLock(cwd);
  if (weights !== 'damaged') return weights ?? [];
  throw new ConflictError(`${weightsLockName} cannot be read`, {
    why: 'it is not what gantry weights pull writes',
    fix: 'restore it from git, or delete it and pull the weights again',
  });
}

/** Adds weights, in place of those of the same source in the same folder. Returns whether the file has changed. */
export async function updateLock(context: Pick<Context, 'cwd'>, weights: LockedWeights): Promise<boolean> {
  const before = readLock(context);
  const others = before.filter((each) => !isSameEntry(each, weights));
  const text = weightsLockText([...others, weights]);
  if (before.length > 0 && text === weightsLockText(before)) return false;
  await writeFileAtomic(join(context.cwd, weightsLockName), text).catch((cause) => {
    throw toDiskErrorOf(`cannot write ${weightsLockName}`, cause);
  });
  return true;
}

export function isSameEntry(
  a: Pick<LockedWeights, 'source' | 'target'>,
  b: Pick<LockedWeights, 'source' | 'target'>,
): boolean {
  return a.source === b.source && a.target === b.target;
}
