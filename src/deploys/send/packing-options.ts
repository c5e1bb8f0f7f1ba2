import { smallAppBytes } from '../../app/archive.ts';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { PackingCacheOptions } from '../../app/packing-cache/index.ts';
import type { Context } from '../../platform/context.ts';
import type { LocalApp } from './local-app.ts';

/** Where compressed files are kept for the next archive; undefined if the user wants none kept. */
export function packingCache({ settings, cwd, now, trace }: Context, repack = false): PackingCacheOptions | undefined {
  if (repack || settings.packingCache.value === 'off') return undefined;
  return { cache: settings.folders.cache, root: cwd, now: now(), trace };
}

/** The checksums of an app's files. A small app is read by the time a cache is open. */
export function fileChecksums(context: Context, { bytes }: LocalApp, repack = false): FileChecksums {
  return new FileChecksums(packingCache(context, repack || bytes < smallAppBytes));
}
