import { UsageError } from '../errors.ts';

/** How much of a file or of stdin is held in memory, unless the caller allows less. */
export const maxReadBytes = 64 * 2 ** 20;

/** Throws UsageError if a file is larger than it may be. */
export function checkReadSize(name: string, bytes: number, maxBytes: number = maxReadBytes): void {
  if (bytes > maxBytes) throw tooLargeError(name, bytes, maxBytes);
}

/** `bytes` is undefined if nobody knows how much more there is. */
export function tooLargeError(name: string, bytes: number | undefined, maxBytes: number): UsageError {
  const has = bytes === undefined ? `more than ${rounded(maxBytes)}` : rounded(bytes);
  return new UsageError(`${name} is too large`, {
    why: `it has ${has}; gantry reads at most ${rounded(maxBytes)} of it`,
  });
}

function rounded(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${['B', 'KiB', 'MiB', 'GiB'][power]}`;
}
