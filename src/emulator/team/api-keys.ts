import type { Handlers } from '../platform.ts';
import { getAccount } from './account.ts';

export const apiKeyHandlers: Pick<Handlers, 'listApiKeys'> = {
  /** Sorted by expiry; keys that never expire come last (spec 4.1). */
  listApiKeys({ project }, platform) {
    return getAccount(platform, project).keys.toSorted((a, b) => expiry(a.expiresAt) - expiry(b.expiresAt));
  },
};

function expiry(time: string | null | undefined): number {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? Number.MAX_VALUE : at;
}
