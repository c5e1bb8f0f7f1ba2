import { timingSafeEqual } from 'node:crypto';

/** Compares secrets: the time does not tell how much of one is right. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
