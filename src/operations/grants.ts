import type { Context } from '../context.ts';
import { listServiceAccounts, type ServiceAccount, updateServiceAccount } from '../contract/service-accounts.ts';
import { FailedError, NotFoundError, UsageError } from '../errors.ts';

/** What a service account may access before and after a change. */
export interface GrantChange {
  serviceAccountId: string;
  before: string[];
  after: string[];
  changed: boolean;
  dryRun: boolean;
}

export type Change = 'grant' | 'revoke' | 'set';

/**
 * Changes the projects a service account may access. The platform replaces the whole list (spec 4.15), so it is read
 * first. Asks before access is taken away. Throws UsageError when nothing would be left, and makes no call when all is
 * as asked.
 */
export async function changeGrants(
  context: Pick<Context, 'api' | 'project' | 'progress' | 'prompt'>,
  { id, change, projects, dryRun }: { id: string; change: Change; projects: string[]; dryRun: boolean },
): Promise<GrantChange> {
  const { api, project, progress, prompt } = context;
  const account = await findAccount(context, id);
  const known = change === 'set' ? grantedProjects(account) : knownGrants(account);
  const before = known ?? [];
  const after = outcome[change](before, projects);
  if (after.length === 0) throw nothingLeft(id);

  const changed = known === undefined || !sameSet(before, after);
  if (!changed) return { serviceAccountId: id, before, after: before, changed, dryRun };
  progress.note(`before  ${before.join(', ') || (known ? 'none' : 'not known')}\nafter   ${after.join(', ')}`);
  if (dryRun) return { serviceAccountId: id, before, after, changed, dryRun };
  if (change !== 'grant') await prompt.confirm(`Let ${id} access ${after.join(', ')} and nothing else?`);
  await api(updateServiceAccount, { project, serviceAccount: id, body: { grants: after } });
  return { serviceAccountId: id, before, after, changed, dryRun };
}

/** The projects of a service account; undefined when the platform's form of one is not understood (wire §0). */
export function grantedProjects({ grants }: ServiceAccount): string[] | undefined {
  const projects = grants === undefined ? [undefined] : (grants ?? []).map(projectOf);
  return projects.every((name) => name !== undefined) ? [...new Set(projects)] : undefined;
}

const outcome: Record<Change, (before: string[], projects: string[]) => string[]> = {
  grant: (before, projects) => [...new Set([...before, ...projects])],
  revoke: (before, projects) => before.filter((name) => !projects.includes(name)),
  set: (_, projects) => [...new Set(projects)],
};

async function findAccount({ api, project }: Pick<Context, 'api' | 'project'>, id: string): Promise<ServiceAccount> {
  const { serviceAccounts } = await api(listServiceAccounts, { project });
  const found = serviceAccounts?.find((account) => account.id === id);
  if (found) return found;
  throw new NotFoundError(`service account ${id} not found`, { fix: 'gantry service-accounts list' });
}

/** To add to a list or take from it one must know all of it: what is not sent back is lost. */
function knownGrants(account: ServiceAccount): string[] {
  const known = grantedProjects(account);
  if (known) return known;
  throw new FailedError(`what service account ${account.id} may access now cannot be read`, {
    why: 'the platform lists its grants in a form that is not known, and replaces all of them at once',
    fix: `gantry service-accounts set-grants ${account.id} PROJECT…`,
  });
}

/** A project's id, or an object that holds one. */
function projectOf(grant: unknown): string | undefined {
  if (typeof grant === 'string') return grant;
  const { projectId, project_id, id } = (grant ?? {}) as Record<string, unknown>;
  return [projectId, project_id, id].find((value) => typeof value === 'string') as string | undefined;
}

function nothingLeft(id: string): UsageError {
  return new UsageError(`service account ${id} would be left without any project`, {
    why: 'the platform wants at least one grant',
    fix: `gantry service-accounts set-grants ${id} PROJECT…`,
  });
}

function sameSet(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
