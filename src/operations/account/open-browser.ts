import type { Context } from '../../context.ts';
import { isSecure } from '../../contract/address.ts';

/** Shows an address the platform gave in the user's browser. Says why when it does not; that is no failure. */
export async function openInBrowser(
  { openBrowser, progress }: Pick<Context, 'openBrowser' | 'progress'>,
  address: string,
): Promise<void> {
  if (!URL.canParse(address) || !isSecure(new URL(address))) {
    progress.warn('the address is not opened: only https is, except on this machine');
  } else if (!(await openBrowser(new URL(address).href))) {
    progress.note('no browser could be opened here: open the address yourself');
  }
}
