import { createHash } from 'node:crypto';
import { readSums } from '../transfer/file-sum.ts';
import { eachPart, type Part, type PartPlan } from '../transfer/parts.ts';
import { readContent } from '../transfer/read-content.ts';
import type { RemoteContent } from '../transfer/remote-content.ts';
import { runWorkers } from '../transfer/run-workers.ts';
import { CorruptError, NoRangesError } from '../transfer/storage-errors.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { Original } from './opened-source.ts';
import { remoteMd5 } from './source-content.ts';

type PartMd5 = (part: Part) => Promise<string>;

/** Reads a remote file and compares it with its original, part by part if that can be. Throws a CorruptError if they differ. */
export async function verifyCopy(
  original: Original,
  content: RemoteContent,
  plan: PartPlan,
  resources: TransferContext,
) {
  const silently = { ...resources, onBytes: () => {} };
  if (typeof original === 'object') {
    const { hex } = await readSums(content, original.algorithm, silently);
    if (hex !== original.hex) throw new CorruptError('the copy differs from the source');
    return;
  }
  try {
    await verifyParts(original, content, plan, silently);
  } catch (error) {
    if (!(error instanceof NoRangesError)) throw error;
    await verifyInOrder(original, content, plan, silently);
  }
}

async function verifyParts(other: PartMd5, content: RemoteContent, plan: PartPlan, resources: TransferContext) {
  const parts = eachPart(plan);
  await runWorkers(Math.min(plan.count, resources.requests.maxLarge), resources.signal, async (stop) => {
    for (const part of parts) {
      if (stop.aborted) return;
      const [here, there] = await Promise.all([other(part), remoteMd5(content, part, resources)]);
      if (here !== there) throw differenceError(part);
    }
  });
}

/** For storage that does not support ranges. */
async function verifyInOrder(other: PartMd5, content: RemoteContent, plan: PartPlan, resources: TransferContext) {
  const parts = eachPart(plan);
  let part = parts.next().value;
  let hash = createHash('md5');
  let missing = part?.length ?? 0;
  for await (const piece of readContent(content, resources)) {
    for (let at = 0; part && at < piece.length; ) {
      const taken = piece.subarray(at, at + missing);
      hash.update(taken);
      at += taken.length;
      missing -= taken.length;
      if (missing > 0) break;
      if (hash.digest('hex') !== (await other(part))) throw differenceError(part);
      part = parts.next().value;
      [hash, missing] = [createHash('md5'), part?.length ?? 0];
    }
  }
}

function differenceError({ offset }: Part): CorruptError {
  return new CorruptError(`the copy differs from the source after byte ${offset}`);
}
