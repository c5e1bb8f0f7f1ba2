import { type Part, type PartPlan, planParts } from '../transfer/parts.ts';
import { readSums } from '../transfer/read-content.ts';
import type { RemoteContent } from '../transfer/remote-content.ts';
import { forEachPart } from '../transfer/run-workers.ts';
import { CorruptError, NoRangesError } from '../transfer/storage-errors.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { Original } from './ports.ts';
import { remoteMd5 } from './source-content.ts';

type PartMd5 = (part: Part) => Promise<string>;

/** Reads a remote file and compares it with its original, part by part if that can be. Throws a CorruptError if they differ. */
export async function verifyCopy(original: Original, content: RemoteContent, resources: TransferContext) {
  const silently = { ...resources, onBytes: () => {} };
  const { bytes } = content;
  if (typeof original === 'object') {
    const { hex } = await readSums(content, original.algorithm, silently);
    if (hex !== original.hex) throw new CorruptError('the copy differs from the source');
    return;
  }
  try {
    await verifyParts(original, content, planParts(bytes), silently);
  } catch (error) {
    if (!(error instanceof NoRangesError)) throw error;
    await verifyParts(original, content, planParts(bytes, bytes), silently);
  }
}

async function verifyParts(other: PartMd5, content: RemoteContent, plan: PartPlan, resources: TransferContext) {
  await forEachPart(plan, new Set(), resources, async (part) => {
    const [here, there] = await Promise.all([other(part), remoteMd5(content, part, resources)]);
    if (here !== there) throw new CorruptError(`the copy differs from the source after byte ${part.offset}`);
  });
}
