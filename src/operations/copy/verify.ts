import { FailedError } from '../../errors.ts';
import type { Engine } from '../../transfer/engine.ts';
import { type PartPlan, partsOf } from '../../transfer/parts.ts';
import type { RemoteContent } from '../../transfer/remote-content.ts';
import { remoteMd5, type Source } from './source.ts';

/** Reads a remote file part by part and compares it with its other copy. Throws a FailedError when they differ. */
export async function verify(other: Pick<Source, 'md5'>, content: RemoteContent, plan: PartPlan, engine: Engine) {
  const silently = { ...engine, onBytes: () => {} };
  const parts = partsOf(plan);
  const compareNext = async () => {
    for (const part of parts) {
      const [here, there] = await Promise.all([other.md5(part), remoteMd5(content, part, silently)]);
      if (here !== there)
        throw new FailedError(`read back, it differs between byte ${part.offset} and ${part.offset + part.length}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.count, engine.large.widest) }, compareNext));
}
