import { isSecure } from '../contract/address.ts';
import { FailedError, UnexpectedReplyError } from '../errors.ts';

/** The URL of a signed link. Throws for what is no URL: the platform sent it, so it is neither the user's mistake nor ours. */
export function parseSignedUrl(text: string, what: 'upload' | 'download'): URL {
  if (!URL.canParse(text)) {
    throw new UnexpectedReplyError(
      `the platform sent a URL for the ${what} that is not valid: ${JSON.stringify(begin(text))}`,
    );
  }
  const url = new URL(text);
  if (!isSecure(url))
    throw new FailedError(`the ${what} URL must begin with https: it begins with ${url.protocol}//${url.host}`);
  return url;
}

/** Without what may be a signature. */
function begin(text: string): string {
  return String(text)
    .slice(0, 200)
    .replace(/[?#].*$/s, '');
}
