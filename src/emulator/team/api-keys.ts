import type { Handlers } from '../platform.ts';
import { accountOf } from './account.ts';

export const apiKeys: Pick<Handlers, 'listApiKeys'> = {
  /** Sorted by expiry, what never expires last (spec 4.1). */
  listApiKeys({ project }, platform) {
    return accountOf(platform, project).keys.toSorted((a, b) => expiry(a.expiresAt) - expiry(b.expiresAt));
  },
};

function expiry(time: string | null | undefined): number {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? Number.MAX_VALUE : at;
}
