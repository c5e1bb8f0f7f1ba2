import type { Engine } from '../../transfer/engine.ts';
import { type PartPlan, partsOf } from '../../transfer/parts.ts';
import { CorruptError } from '../../transfer/refusal.ts';
import type { RemoteContent } from '../../transfer/remote-content.ts';
import { together } from '../../transfer/together.ts';
import { remoteMd5, type Source } from './source.ts';

/** Reads a remote file part by part and compares it with its other copy. Throws a CorruptError when they differ. */
export async function verify(other: Source['md5'], content: RemoteContent, plan: PartPlan, engine: Engine) {
  const silently = { ...engine, onBytes: () => {} };
  const parts = partsOf(plan);
  await together(Math.min(plan.count, engine.large.widest), engine.signal, async (stop) => {
    for (const part of parts) {
      if (stop.aborted) return;
      const [here, there] = await Promise.all([other(part), remoteMd5(content, part, silently)]);
      if (here !== there) throw new CorruptError(`read back, it differs after byte ${part.offset}`);
    }
  });
}
