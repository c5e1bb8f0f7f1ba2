import { gantryCommand, sentence } from '../kernel/command-line.ts';
import { FailedError, type GantryError, NotFoundError, throwUnexpected, UsageError } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json-text.ts';
import { cutText } from '../kernel/output/format.ts';
import { words } from '../kernel/words.ts';
import type { Context } from '../platform/context.ts';
import {
  type ApiKey,
  inviteUser,
  listApiKeys,
  listServiceAccounts,
  type ServiceAccount,
  updateServiceAccount,
} from '../platform/contract/team.ts';
import { readEvidence, type Shown, waitForChange } from '../platform/waiting/index.ts';

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
    return new Map(serviceAccounts.map(({ id, name }) => [id, name ?? id]));
  } catch (error) {
    throwUnexpected(error, signal);
    progress.warn(`cannot read the names of service accounts: ${error.message}`);
    return new Map();
  }
}

/** Invites a user to the project (spec 4.12). Throws FailedError if the platform sends no invitation. */
export async function sendInvitation(
  { api, project, prompt, willChange }: Pick<Context, 'api' | 'project' | 'prompt' | 'willChange'>,
  email: string,
  role: string,
) {
  await checkRole(prompt, email, role);
  willChange(`invite ${email} to ${project} as ${role}`, { email, role, changed: true });
  const { success } = await api(inviteUser, { project, body: { emailAddress: email, role } });
  if (success) return { email, role, changed: true };
  throw new FailedError(`no invitation was sent to ${email}`, {
    why: 'the platform gives no reason; the user may already be a member or invited',
    fix: gantryCommand`users list`,
  });
}

/** The platform does not document its roles: these are known, and another one is sent after a confirmation. */
const knownRoles = ['member', 'billing', 'admin'];

async function checkRole(prompt: Context['prompt'], email: string, role: string): Promise<void> {
  if (knownRoles.includes(role.toLowerCase())) return;
  await prompt.confirm(`The known roles are ${knownRoles.join(', ')}. Invite ${email} as ${role}?`);
}

type GrantAction = 'grant' | 'revoke' | 'set-grants';

type GrantCalls = Pick<Context, 'api' | 'project'>;

/**
 * Changes the projects that a service account has access to. The platform replaces the whole list (spec 4.15), so it is
 * read before and after. Asks for confirmation unless access is only added. Throws UsageError if no grant would be left.
 */
export async function changeGrants(
  context: GrantCalls & Pick<Context, 'progress' | 'prompt' | 'willChange' | 'delay'>,
  { id, change, projects }: { id: string; change: GrantAction; projects: string[] },
) {
  const { api, project, progress, prompt, willChange } = context;
  const listed = await readEvidence(() => findAccount(context, id));
  if ('refusal' in listed) throw unknownGrantsError(project, id, listed);
  const understood = knownGrants(listed.state);
  // What replaces all grants keeps none of those that are not understood.
  if (!understood && change !== 'set-grants') throw unknownGrantsError(project, id, listed);
  const before = understood ?? grantTexts(listed.state);
  const after = applyAction[change](before, projects);
  if (after.length === 0) throw noGrantsLeftError(id);

  if (understood && isSameSet(understood, after)) {
    return { serviceAccount: id, before, after: before, changed: false, confirmed: true };
  }
  const result = { serviceAccount: id, before, after, changed: true };
  progress.note(`before  ${before.join(', ') || 'none'}\nafter   ${after.join(', ')}`);
  if (!understood?.every((name) => after.includes(name)))
    await prompt.confirm(`Limit the access of ${id} to ${after.join(', ')}?`);
  willChange(`set the access of ${id} to ${after.join(', ')}`, { ...result, confirmed: false });
  await api(updateServiceAccount, { project, serviceAccount: id, body: { grants: after } });
  return { ...result, confirmed: await confirmGrants(context, id, after) };
}

/**
 * The projects of a service account, for display; undefined if a grant has an unknown format. An object that has only an
 * id counts as a project here, but not for a change: see {@link knownGrants}.
 */
export function grantedProjects({ grants }: ServiceAccount): string[] | undefined {
  return mapGrants(grants, (grant) => knownProject(grant) ?? readId(grant));
}

/** The projects of a service account, if every grant is understood: grants that are not sent back are lost. */
function knownGrants({ grants }: ServiceAccount): string[] | undefined {
  return mapGrants(grants, knownProject);
}

/** Those that are not understood as JSON. */
function grantTexts({ grants }: ServiceAccount): string[] {
  return (grants ?? []).map((grant) => knownProject(grant) ?? stringifyJson(grant));
}

function mapGrants(grants: ServiceAccount['grants'], projectOf: (grant: unknown) => string | undefined) {
  const projects = grants === undefined ? [undefined] : (grants ?? []).map(projectOf);
  return projects.every((name) => name !== undefined) ? [...new Set(projects)] : undefined;
}

const applyAction: Record<GrantAction, (before: string[], projects: string[]) => string[]> = {
  grant: (before, projects) => [...new Set([...before, ...projects])],
  revoke: (before, projects) => before.filter((name) => !projects.includes(name)),
  'set-grants': (_, projects) => [...new Set(projects)],
};

async function findAccount({ api, project }: GrantCalls, id: string): Promise<ServiceAccount> {
  const { serviceAccounts } = await api(listServiceAccounts, { project });
  const serviceAccount = serviceAccounts.find((account) => account.id === id);
  if (serviceAccount) return serviceAccount;
  throw new NotFoundError(`service account ${id} not found`, { fix: gantryCommand`service-accounts list` });
}

/** The project of a grant. An object must name its project and have no fields that a change would lose. */
function knownProject(grant: unknown): string | undefined {
  if (typeof grant === 'string') return grant || undefined;
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant)) return undefined;
  const { projectId, project_id, project, ...rest } = grant as Record<string, unknown>;
  const inner = typeof project === 'object' ? readId(project) : project;
  const named = [projectId, project_id, inner].filter((value) => value !== undefined && value !== null);
  const [id] = named;
  const isCertain = named.every((value) => value === id) && Object.keys(rest).every((key) => ignoredFields.has(key));
  if (typeof id !== 'string' || !isCertain) return undefined;
  // `project` may be a name rather than an id.
  const isId = projectId === id || project_id === id || /^(\w+-)?p-[\w-]+$/.test(id);
  return isId ? id : undefined;
}

/** Fields that do not affect access, unlike a role or an expiry, which a change would lose. */
const ignoredFields = new Set<string>(
  words(
    'id grantId name projectName project_name serviceAccountId since',
    'createdAt updatedAt created_at updated_at createdByUserId createdBy',
  ),
);

function readId(grant: unknown): string | undefined {
  const { id } = Object(grant) as Record<string, unknown>;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Lists the grants until they are what was sent: the reply does not show whether they changed. */
async function confirmGrants(context: GrantCalls & Pick<Context, 'progress' | 'delay'>, id: string, after: string[]) {
  const isSet = (grants: string[] | undefined) => grants === undefined || isSameSet(grants, after);
  const read = async () => knownGrants(await findAccount(context, id));
  const now = await waitForChange(read, isSet, context.delay);
  if (now === undefined) {
    context.progress.warn(
      `the change was accepted, but cannot be confirmed: the grants of ${id} have an unknown format`,
    );
    return false;
  }
  if (isSameSet(now, after)) return true;
  throw new FailedError(`the platform accepted the change, but ${id} has other grants`, {
    why: `it has access to ${now.join(', ') || 'nothing'} instead of ${after.join(', ')}`,
    fix: gantryCommand`service-accounts list`,
    details: { now, wanted: after },
  });
}

/** One grant cannot be added to grants that are not known. */
function unknownGrantsError(project: string, id: string, listed: Shown<ServiceAccount>): GantryError {
  const facts = {
    why: 'the platform replaces all grants at once, so unknown ones would be lost',
    fix: sentence`${'refusal' in listed ? gantryCommand`api PATCH /v2/projects/${project}/service-accounts/${id} --field ${'grants:=["PROJECT"]'}` : gantryCommand`service-accounts set-grants ${id} PROJECT`} replaces all of them`,
  };
  if ('refusal' in listed) {
    const { refusal } = listed;
    Object.assign(refusal.facts, facts);
    refusal.message = `the grants of service account ${id} cannot be listed: ${refusal.message}`;
    return refusal;
  }
  const unclear = (listed.state.grants ?? []).find((grant) => knownProject(grant) === undefined);
  const example = unclear === undefined ? '' : `: ${cutText(stringifyJson(unclear), 200)}`;
  return new FailedError(`the grants of service account ${id} have an unknown format${example}`, facts);
}

function noGrantsLeftError(id: string): UsageError {
  return new UsageError(`service account ${id} must keep access to at least one project`, {
    why: 'the platform requires at least one grant',
    fix: sentence`${gantryCommand`service-accounts grant ${id} PROJECT`}, then revoke the others`,
  });
}

function isSameSet(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
