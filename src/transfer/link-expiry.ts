/** Before this much of its life is left, in milliseconds, a link is not used for anything new. */
const marginMs = 30_000;

/**
 * When a signed link ends, in milliseconds of this machine's clock; undefined when it does not say. Its lifetime is
 * counted from when it was received: the clock it was signed by may differ from ours.
 */
export function urlExpiry(link: string, receivedAt: number): number | undefined {
  const lifetime = urlLifetimeMs(link);
  return lifetime === undefined ? undefined : receivedAt + lifetime;
}

/** When it was signed, in milliseconds of the storage's clock: `X-Amz-Date=20261120T093000Z`. */
export function signedAt(link: string): number | undefined {
  const date = /[?&]X-Amz-Date=([^&]*)/.exec(link)?.[1] ?? '';
  const time = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
  return Number.isNaN(time) ? undefined : time;
}

/** Whether a request may still be begun. A short life leaves a smaller margin. */
export function isUsable(link: string, end: number | undefined, now: number): boolean {
  return end === undefined || now < end - Math.min(marginMs, (urlLifetimeMs(link) ?? 0) / 10);
}

/** In milliseconds. */
export function urlLifetimeMs(link: string): number | undefined {
  const seconds = /[?&]X-Amz-Expires=(\d+)(?:&|$)/.exec(link)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
