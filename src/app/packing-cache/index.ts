export { clearPackingCache, packingFolder, packingUsage } from './cache-folder.ts';
export type { Checksums, FileIndex, KnownContent } from './file-index.ts';
export { openIndex, type PackedContent, PackingCache, type PackingCacheOptions } from './packing-cache.ts';
