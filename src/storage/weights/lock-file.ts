import { join } from 'node:path';
import {
  damagedLock,
  type LockedWeights,
  readWeightsLock,
  weightsLockName,
  weightsLockText,
} from '../../app/weights-lock.ts';
import { toDiskErrorOf, waitForLock, writeFileAtomic } from '../../kernel/disk/index.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';

/** The weights of `weights.lock` in the working directory; none without it. Throws a ConflictError if it is damaged. */
export function readLock({ cwd }: Pick<Context, 'cwd'>): LockedWeights[] {
  const weights = readWeightsLock(cwd);
  if (weights !== 'damaged') return weights ?? [];
  throw new ConflictError(`${weightsLockName} cannot be read`, damagedLock);
}

/** Another command holds the file only while it writes it. */
const waitMs = 10_000;

/** Adds weights, in place of those of the same source in the same folder. Pulls may end at the same moment. */
export async function updateLock(context: Pick<Context, 'cwd'>, weights: LockedWeights): Promise<void> {
  if (changedText(context, weights) === undefined) return;
  const path = join(context.cwd, weightsLockName);
  try {
    const held = await waitForLock(`${path}.lock`, waitMs);
    try {
      const text = changedText(context, weights);
      if (text !== undefined) await writeFileAtomic(path, text);
    } finally {
      held?.release();
    }
  } catch (cause) {
    if (cause instanceof ConflictError) throw cause;
    throw toDiskErrorOf(`cannot write ${weightsLockName}`, cause);
  }
}

/** Undefined if nothing changes. */
function changedText(context: Pick<Context, 'cwd'>, weights: LockedWeights): string | undefined {
  const before = readLock(context);
  const text = weightsLockText([...before.filter((each) => !isSameEntry(each, weights)), weights]);
  return before.length > 0 && text === weightsLockText(before) ? undefined : text;
}

type EntryKey = Pick<LockedWeights, 'source' | 'target'>;

export const isSameEntry = (a: EntryKey, b: EntryKey) => a.source === b.source && a.target === b.target;
