import type { Context } from '../context.ts';
import { type ApiKey, listApiKeys } from '../contract/api-keys.ts';
import { listServiceAccounts } from '../contract/service-accounts.ts';
import { DeniedError, NotFoundError } from '../errors.ts';

/** An API key and the name of the service account it belongs to. Its value is null unless it was asked for. */
export type OwnedKey = ApiKey & { owner: string | null };

/** The project's API keys in the platform's order, the one that expires first at the top (spec 4.1). */
export async function listKeys({ api, project }: Calls, { values }: { values: boolean }): Promise<OwnedKey[]> {
  const keys = await api(listApiKeys, { project });
  const owners = keys.some((key) => key.principalId) ? await accountNames({ api, project }) : new Map();
  return keys.map((key) => ({
    ...key,
    apiKey: values ? key.apiKey : null,
    owner: key.principalId ? (owners.get(key.principalId) ?? null) : null,
  }));
}

type Calls = Pick<Context, 'api' | 'project'>;

/** Who may see keys need not be allowed to see accounts: then there are no names. */
async function accountNames({ api, project }: Calls): Promise<Map<string, string | null | undefined>> {
  try {
    const { serviceAccounts } = await api(listServiceAccounts, { project });
    return new Map(serviceAccounts?.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof DeniedError || error instanceof NotFoundError) return new Map();
    throw error;
  }
}
