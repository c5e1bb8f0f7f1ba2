import { createHash } from 'node:crypto';
import { eachPart, type Part, type PartPlan } from '../../transfer/parts.ts';
import { readContent } from '../../transfer/read-content.ts';
import type { RemoteContent } from '../../transfer/remote-content.ts';
import { runWorkers } from '../../transfer/run-workers.ts';
import { CorruptError, NoRangesError } from '../../transfer/storage-errors.ts';
import type { TransferContext } from '../../transfer/transfer-context.ts';
import { remoteMd5, type SourceContent } from './source-content.ts';

/** Reads a remote file part by part and compares it with the other copy. Throws a CorruptError if they differ. */
export async function verifyCopy(
  other: SourceContent['md5'],
  content: RemoteContent,
  plan: PartPlan,
  resources: TransferContext,
) {
  const silently = { ...resources, onBytes: () => {} };
  try {
    await verifyParts(other, content, plan, silently);
  } catch (error) {
    if (!(error instanceof NoRangesError)) throw error;
    await verifyInOrder(other, content, plan, silently);
  }
}

async function verifyParts(
  other: SourceContent['md5'],
  content: RemoteContent,
  plan: PartPlan,
  resources: TransferContext,
) {
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
async function verifyInOrder(
  other: SourceContent['md5'],
  content: RemoteContent,
  plan: PartPlan,
  resources: TransferContext,
) {
  const parts = eachPart(plan);
  let part = parts.next().value;
  let [hash, missing] = [createHash('md5'), part?.length ?? 0];
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
