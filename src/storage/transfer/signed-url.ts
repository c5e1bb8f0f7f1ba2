import { FailedError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { isSecure } from '../../platform/contract/address.ts';

/** Throws an UnexpectedReplyError if the text, which the platform sent, is not a URL, and a FailedError without https. */
export function parseSignedUrl(text: string, what: 'upload' | 'download'): URL {
  if (!URL.canParse(text)) {
    // A query may contain a signature.
    const beginning = JSON.stringify(text.slice(0, 200).replace(/[?#].*$/s, ''));
    throw new UnexpectedReplyError(`the platform sent an invalid ${what} URL: ${beginning}`);
  }
  const url = new URL(text);
  if (!isSecure(url))
    throw new FailedError(`the ${what} URL must begin with https: it begins with ${url.protocol}//${url.host}`);
  return url;
}

/** A URL is not used for a new request this long before it expires, in ms. */
const marginMs = 30_000;

/** In ms of the clock of `receivedAt`, as the signer's may differ; undefined if it has no lifetime. */
export function urlExpiry(url: string, receivedAt: number): number | undefined {
  const lifetime = urlLifetimeMs(url);
  return lifetime === undefined ? undefined : receivedAt + lifetime;
}

/** When it was signed, in ms since 1970 by the storage's clock: `X-Amz-Date=20261120T093000Z`. */
export function signedAt(url: string): number | undefined {
  const [, date = ''] = groupsOf(/[?&]X-(?:Amz|Goog)-Date=([^&]*)/, url);
  const time = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
  return Number.isNaN(time) ? undefined : time;
}

/** Whether a new request may use the URL. The margin is smaller for a short lifetime. */
export function isUsable(url: string, expiresAt: number | undefined, now: number): boolean {
  return expiresAt === undefined || now < expiresAt - Math.min(marginMs, (urlLifetimeMs(url) ?? 0) / 10);
}

export function urlLifetimeMs(url: string): number | undefined {
  const seconds = /[?&]X-Amz-Expires=(\d+)(?:&|$)/.exec(url)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
