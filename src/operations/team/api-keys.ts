import type { Context } from '../../context.ts';
import { type ApiKey, listApiKeys } from '../../contract/api-keys.ts';
import { listServiceAccounts } from '../../contract/service-accounts.ts';
import { GantryError } from '../../errors.ts';

/** An API key and the name of the service account it belongs to. Its value is null unless it was asked for. */
export type OwnedKey = ApiKey & { owner: string | null };

/** The project's API keys in the platform's order, the one that expires first at the top (spec 4.1). */
export async function listKeysWithOwners(context: ListContext, { values }: { values: boolean }): Promise<OwnedKey[]> {
  const keys = await context.api(listApiKeys, { project: context.project });
  const owners = keys.some((key) => key.principalId) ? await readAccountNames(context) : new Map();
  return keys.map((key) => ({
    ...key,
    apiKey: values ? key.apiKey : null,
    owner: key.principalId ? (owners.get(key.principalId) ?? null) : null,
  }));
}

type ListContext = Pick<Context, 'api' | 'project' | 'progress' | 'signal'>;

/** Names only make the list easier to read: keys are shown without them as well. */
async function readAccountNames({ api, project, progress, signal }: ListContext): Promise<Map<string, string>> {
  try {
    const { serviceAccounts } = await api(listServiceAccounts, { project });
    return new Map(serviceAccounts?.map(({ id, name }) => [id, name ?? id]));
  } catch (error) {
    if (!(error instanceof GantryError) || signal.aborted) throw error;
    progress.warn(`the names of service accounts are missing: ${error.message}`);
    return new Map();
  }
}
