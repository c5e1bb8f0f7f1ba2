/**
 * What compressing cost is kept between deploys (docs/decisions/0012): compressed content in `segment.ts`, found by a hash
 * of the content, and in `file-index.ts` which files need not be read because they have not changed, and where tiny ones are
 * (`known-files.ts` for those who do not pack, `app-stamp.ts` for all files of an app at once).
 *
 * A packing never fails because of its cache, and its archive is the same with and without it.
 */
export { AppStamp } from './app-stamp.ts';
export { clearPackingCache, packingFolder, packingUsage } from './cache-folder.ts';
export type { Checksums } from './file-index.ts';
export { KnownFiles } from './known-files.ts';
export { type KnownContent, PackingCache, type PackingCacheOptions } from './packing-cache.ts';
