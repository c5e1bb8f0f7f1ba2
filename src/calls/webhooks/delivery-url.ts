import { UsageError } from '../../kernel/errors.ts';
import { isSecure } from '../../platform/contract/address.ts';

/** Parses the URL for deliveries: https, or http on this machine. Throws UsageError, with the name of the flag. */
export function parseDeliveryUrl(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${flag} is not a URL`, { fix: `${flag} https://example.com/hook` });
  }
  if (!isSecure(url)) {
    throw new UsageError(`${flag} must be an https URL, except on this machine`, {
      fix: `${flag} https://${url.host}${url.pathname}`,
    });
  }
  return url;
}
