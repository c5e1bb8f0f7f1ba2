import type { Context } from '../context.ts';

type Clocks = Pick<Context, 'now' | 'platformNow'>;

/** A reply shows the platform's clock in whole seconds. */
const minDifferenceMs = 2_000;

/**
 * Looks at a period that is counted from the platform's clock, such as the last hour. The first reply of a command shows that
 * clock, so only if it differs from the one that was assumed, the look is repeated.
 */
export async function atPlatformTime<T>(clocks: Clocks, look: (now: number) => Promise<T>): Promise<T> {
  const wasRight = assumeClock(clocks);
  const first = look(clocks.platformNow());
  await first.catch(() => {});
  return wasRight() ? first : look(clocks.platformNow());
}

/** Tells later whether replies have shown that the platform's clock is the one that is assumed now. */
export function assumeClock({ now, platformNow }: Clocks): () => boolean {
  const aheadMs = () => platformNow() - now();
  const assumed = aheadMs();
  return () => Math.abs(aheadMs() - assumed) < minDifferenceMs;
}
