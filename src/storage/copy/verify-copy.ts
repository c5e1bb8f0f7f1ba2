import { planParts } from '../transfer/parts.ts';
import { readSums } from '../transfer/read-content.ts';
import type { RemoteContent } from '../transfer/remote-content.ts';
import { forEachPart } from '../transfer/run-workers.ts';
import { CorruptError } from '../transfer/storage-errors.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { Original } from './ports.ts';
import { remoteMd5 } from './source-content.ts';

/** Reads a remote file and compares it with its original. Throws a CorruptError if they differ. */
export async function verifyCopy(original: Original, content: RemoteContent, resources: TransferContext) {
  const silently = { ...resources, onBytes: () => {} };
  const { bytes } = content;
  if (typeof original === 'object') {
    const { hex } = await readSums(content, original.algorithm, silently);
    if (hex !== original.hex) throw new CorruptError('the copy differs from the source');
    return;
  }
  await forEachPart(planParts(bytes), new Set(), silently, async (part) => {
    const [here, there] = await Promise.all([original(part), remoteMd5(content, part, silently)]);
    if (here !== there) throw new CorruptError(`the copy differs from the source after byte ${part.offset}`);
  });
}
