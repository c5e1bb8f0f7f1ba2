export { type CacheEntry, cacheKinds, clearCache, listCache } from './local-cache.ts';
export { pythonFolder } from './python-environments.ts';
