/** Limits that keep a small upload from filling the disk. */
export interface ArchiveLimits {
  /** Bytes unpacked. */
  bytes: number;
  entries: number;
  /** Maximum compression ratio, checked from `ratioFrom` unpacked bytes on. */
  ratio: number;
  ratioFrom: number;
}

export const archiveLimits: ArchiveLimits = {
  bytes: 4 * 1024 ** 3,
  entries: 1_000_000,
  ratio: 100,
  ratioFrom: 256 * 1024 ** 2,
};
