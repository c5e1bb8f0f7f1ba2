import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { listServiceAccounts, type ServiceAccount, updateServiceAccount } from '../../contract/service-accounts.ts';
import { FailedError, NotFoundError, UsageError } from '../../errors.ts';
import { stringifyJson } from '../../json-text.ts';
import { cutText } from '../../output/format.ts';

/** What a service account may access before and after a change. */
export interface GrantChange {
  serviceAccountId: string;
  /** Null when the platform lists the grants in a form that is not known. */
  before: string[] | null;
  after: string[];
  changed: boolean;
  dryRun: boolean;
}

export type GrantAction = 'grant' | 'revoke' | 'set';

type Calls = Pick<Context, 'api' | 'project'>;

/**
 * Changes the projects a service account may access. The platform replaces the whole list (spec 4.15), so it is read
 * first, and read again to see that it changed. Asks before access is taken away. Throws UsageError when nothing would
 * be left, and makes no call when all is as asked.
 */
export async function changeGrants(
  context: Calls & Pick<Context, 'progress' | 'prompt'>,
  { id, change, projects, dryRun }: { id: string; change: GrantAction; projects: string[]; dryRun: boolean },
): Promise<GrantChange> {
  const { api, project, progress, prompt } = context;
  const account = await findAccount(context, id);
  const known = knownGrants(account);
  if (known === undefined && change !== 'set') throw unknownGrantsError(account);
  const before = known ?? [];
  const after = applyAction[change](before, projects);
  if (after.length === 0) throw noGrantsLeftError(id);

  const changed = known === undefined || !isSameSet(before, after);
  const done = { serviceAccountId: id, before: known ?? null, after: changed ? after : before, changed, dryRun };
  if (!changed) return done;
  progress.note(`before  ${before.join(', ') || (known ? 'none' : 'not known')}\nafter   ${after.join(', ')}`);
  if (dryRun) return done;
  if (change !== 'grant') await prompt.confirm(`Let ${id} access ${after.join(', ')} and nothing else?`);
  await api(updateServiceAccount, { project, serviceAccount: id, body: { grants: after } });
  await confirmGrants(context, id, after);
  return done;
}

/**
 * The projects of a service account, for display; undefined when a grant has an unknown form. An object that has only
 * an id counts as a project here, but never for a change: see {@link knownGrants}.
 */
export function grantedProjects({ grants }: ServiceAccount): string[] | undefined {
  return mapGrants(grants, (grant) => knownProject(grant) ?? readId(grant));
}

/** The projects of a service account where there is no doubt: what is not sent back is lost. */
function knownGrants({ grants }: ServiceAccount): string[] | undefined {
  return mapGrants(grants, knownProject);
}

function mapGrants(grants: ServiceAccount['grants'], projectOf: (grant: unknown) => string | undefined) {
  const projects = grants === undefined ? [undefined] : (grants ?? []).map(projectOf);
  return projects.every((name) => name !== undefined) ? [...new Set(projects)] : undefined;
}

const applyAction: Record<GrantAction, (before: string[], projects: string[]) => string[]> = {
  grant: (before, projects) => [...new Set([...before, ...projects])],
  revoke: (before, projects) => before.filter((name) => !projects.includes(name)),
  set: (_, projects) => [...new Set(projects)],
};

async function findAccount({ api, project }: Calls, id: string): Promise<ServiceAccount> {
  const { serviceAccounts } = await api(listServiceAccounts, { project });
  const found = serviceAccounts.find((account) => account.id === id);
  if (found) return found;
  throw new NotFoundError(`service account ${id} not found`, { fix: gantryCommand`service-accounts list` });
}

/** Text is what a change sends too. An object is certain when it names its project, and says nothing that would be lost. */
function knownProject(grant: unknown): string | undefined {
  if (typeof grant === 'string') return grant || undefined;
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant)) return undefined;
  const { projectId, project_id, project, ...rest } = grant as Record<string, unknown>;
  const inner = typeof project === 'object' ? readId(project) : project;
  const named = [projectId, project_id, inner].filter((value) => value !== undefined && value !== null);
  const [id] = named;
  const isCertain = named.every((value) => value === id) && Object.keys(rest).every((key) => ignoredFields.has(key));
  if (typeof id !== 'string' || !isCertain) return undefined;
  // Some call a project by its name where others have its id.
  const isId = projectId === id || project_id === id || /^(\w+-)?p-[\w-]+$/.test(id);
  return isId ? id : undefined;
}

/** What may stand in a grant without a meaning for access. A role or an end would be lost by sending the project alone. */
const ignoredFields = new Set([
  ...['id', 'grantId', 'name', 'projectName', 'project_name', 'serviceAccountId', 'since'],
  ...['createdAt', 'updatedAt', 'created_at', 'updated_at', 'createdByUserId', 'createdBy'],
]);

function readId(grant: unknown): string | undefined {
  const { id } = Object(grant) as Record<string, unknown>;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The call was accepted; whether access changed, only the list tells. */
async function confirmGrants(context: Calls & Pick<Context, 'progress'>, id: string, after: string[]): Promise<void> {
  const account = await findAccount(context, id);
  const now = knownGrants(account);
  if (now === undefined) {
    context.progress.note(`the change was accepted, but the grants of ${id} are listed in a form that is not known`);
    return;
  }
  if (isSameSet(now, after)) return;
  throw new FailedError(`the platform accepted the change, but ${id} has other grants`, {
    why: `it has access to ${now.join(', ') || 'nothing'}, not to ${after.join(', ')}`,
    fix: gantryCommand`service-accounts list`,
    details: { now, wanted: after },
  });
}

function unknownGrantsError(account: ServiceAccount): FailedError {
  const unclear = (account.grants ?? []).find((grant) => knownProject(grant) === undefined);
  const example = unclear === undefined ? '' : `: ${cutText(stringifyJson(unclear), 200)}`;
  return new FailedError(`the grants of service account ${account.id} cannot be read${example}`, {
    why: 'the platform replaces all grants at once, so those that are not understood would be lost',
    fix: `gantry service-accounts set-grants ${account.id} PROJECT…`,
  });
}

function noGrantsLeftError(id: string): UsageError {
  return new UsageError(`service account ${id} would be left without any project`, {
    why: 'the platform wants at least one grant',
    fix: `gantry service-accounts set-grants ${id} PROJECT…`,
  });
}

function isSameSet(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
