export { clearPackingCache, packingFolder, packingUsage } from './cache-folder.ts';
export type { Checksums, FileIndex, KnownContent, MemberPlace } from './file-index.ts';
export { openIndex, type PackedContent, PackingCache, type PackingCacheOptions } from './packing-cache.ts';
