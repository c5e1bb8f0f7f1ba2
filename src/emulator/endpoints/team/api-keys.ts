import type { ApiKey } from '../../../platform/contract/api-keys.ts';
import { getAccount } from '../../model/account.ts';
import { signToken } from '../account/access.ts';
import type { Handlers, Platform } from '../platform.ts';

export const apiKeyHandlers: Pick<Handlers, 'listApiKeys'> = {
  /** Sorted by expiry; keys that never expire come last (spec 4.1). */
  listApiKeys({ project }, platform) {
    return getAccount(platform, project)
      .keys.toSorted((a, b) => expiry(a.expiresAt) - expiry(b.expiresAt))
      .map((key) => ({ ...key, apiKey: key.apiKey || keyValue(project, key, platform) }));
  },
};

/** A token of the service account, or of the project. New at each start, as the store's key is. */
function keyValue(project: string, { id, principalId, createdAt, expiresAt }: ApiKey, { store }: Platform): string {
  const expires = Date.parse(expiresAt ?? '');
  return signToken(
    {
      sub: principalId || project,
      project_id: project,
      key: id,
      iat: Math.floor(Date.parse(createdAt ?? '') / 1000) || 0,
      ...(!Number.isNaN(expires) && { exp: Math.floor(expires / 1000) }),
    },
    store.key,
  );
}

function expiry(time: string | null | undefined): number {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? Number.MAX_VALUE : at;
}
