import { UsageError } from '../../kernel/errors.ts';
import { isSecure } from '../contract/address.ts';
import { type OnInvalidSetting, throwInvalid } from './invalid-setting.ts';

/**
 * Checks a URL that the token is sent to: https, except on this machine, and without credentials or a query, which would
 * be shown with the settings. Returns it without a trailing slash. `origin` is undefined for one that was just typed.
 */
export function checkUrl(text: string, origin: string | undefined, onInvalid: OnInvalidSetting = throwInvalid): string {
  const source = origin === undefined ? {} : { why: `it comes from the ${origin}` };
  if (!URL.canParse(text)) {
    onInvalid(new UsageError(`"${text}" is not a URL: expected https://HOST`, source));
    return '';
  }
  // Logs are read from the same address over WebSockets and over HTTP.
  const url = new URL(text.replace(/^ws(?=s?:)/i, 'http'));
  if (url.username || url.password || url.search || url.hash) {
    onInvalid(
      new UsageError(`the URL of ${url.host} must not contain credentials, a query or a fragment`, {
        ...source,
        fix: `use ${url.origin}`,
      }),
    );
    return '';
  }
  if (!isSecure(url)) {
    onInvalid(
      new UsageError(`refusing to send the token to ${url.origin}: it is not https`, {
        ...source,
        fix: `use https://${url.host}`,
      }),
    );
    return '';
  }
  return url.href.replace(/\/$/, '');
}
