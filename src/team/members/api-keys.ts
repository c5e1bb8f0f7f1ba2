import { GantryError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { type ApiKey, listApiKeys } from '../../platform/contract/api-keys.ts';
import { listServiceAccounts } from '../../platform/contract/service-accounts.ts';

/** An API key with the name of its service account. `apiKey` is null unless values were requested. */
export type OwnedKey = {
  [Field in keyof ApiKey as Field extends 'apiKey' ? never : Field]: ApiKey[Field];
} & { apiKey?: string | null | undefined; owner: string | null };

/** Lists the project's API keys, earliest expiry first (spec 4.1). */
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

/** Best-effort: the names only make the list easier to read. */
async function readAccountNames({ api, project, progress, signal }: ListContext): Promise<Map<string, string>> {
  try {
    const { serviceAccounts } = await api(listServiceAccounts, { project });
    return new Map(serviceAccounts?.map(({ id, name }) => [id, name ?? id]));
  } catch (error) {
    if (!(error instanceof GantryError) || signal.aborted) throw error;
    progress.warn(`cannot read the names of service accounts: ${error.message}`);
    return new Map();
  }
}
