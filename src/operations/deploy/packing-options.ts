import type { Context } from '../../context.ts';
import type { PackingCacheOptions } from '../../project/packing-cache/index.ts';

/** Where compressed files are kept for the next archive; undefined if the user wants none kept. */
export function packingCache({ settings, cwd, now, trace }: Context, isWanted = true): PackingCacheOptions | undefined {
  if (!isWanted || settings.packingCache.value === 'off') return undefined;
  return { cache: settings.folders.cache, root: cwd, now: now(), trace };
}
