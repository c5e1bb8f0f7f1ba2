import { UsageError } from './errors.ts';

/** In ms. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Throws UsageError if a range of time ends before it begins. */
export function checkRange({ since, until }: Partial<Record<'since' | 'until', number | undefined>>): void {
  if (since === undefined || until === undefined || until >= since) return;
  throw new UsageError('invalid range: --until is before --since', { fix: 'name the earlier time with --since' });
}
