import { isSecure } from '../../contract/address.ts';
import { UsageError } from '../../errors.ts';

/** An address where a delivery may go: over https, or in the clear on this machine. Throws UsageError. */
export function parseDeliveryUrl(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${flag} is no address`, { fix: `${flag} https://example.com/hook` });
  }
  if (!isSecure(url)) {
    throw new UsageError(`${flag} is not https: only on this machine may it be http`, {
      fix: `${flag} https://${url.host}${url.pathname}`,
    });
  }
  return url;
}

/** Whether an address is of this machine alone. */
export function isLoopback(address: string | URL): boolean {
  const url = new URL(address);
  return isSecure(new URL(`http://${url.host}`));
}
