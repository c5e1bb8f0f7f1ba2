import { allApps, recordEvent } from '../../deploys/history/index.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { ConflictError, FailedError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { isDown, listContainers } from '../../platform/contract/containers.ts';
import {
  getAppSecrets,
  getProjectSecrets,
  type Secrets,
  type StoredSecrets,
  setAppSecrets,
  setProjectSecrets,
} from '../../platform/contract/secrets.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { confirmStored, isSame } from './confirm-stored.ts';

/** The secrets of an app, or of the project without one. */
export interface SecretScope {
  app?: string | undefined;
}

/** The names of the secrets by what happened to them, without values. */
export interface SecretChange {
  app: string | null;
  changed: boolean;
  added: string[];
  replaced: string[];
  removed: string[];
  unchanged: string[];
  /** Replicas that started before; of a project, apps that may have some. */
  stale: string[];
}

/** Reads all secrets with their values. */
export async function readSecrets({ api, project }: Context, { app }: SecretScope): Promise<StoredSecrets> {
  const read = app ? await api(getAppSecrets, { project, app }) : await api(getProjectSecrets, { project });
  return read ?? {};
}

/**
 * Adds and replaces secrets. Calls `values` after the current secrets were read, and asks before it replaces a value.
 * Throws ConflictError if a secret was changed meanwhile, FailedError if a stored secret is not text.
 */
export async function setSecrets(
  context: Context,
  scope: SecretScope,
  values: () => Promise<Secrets> | Secrets,
): Promise<SecretChange> {
  const before = await readForChange(context, scope);
  const newValues = await values();
  context.secrets.add(Object.values(newValues));
  return changeSecrets(context, scope, Object.keys(newValues), before, { ...before, ...newValues });
}

/** Removes secrets, after a confirmation. Missing ones are reported as unchanged. Throws like {@link setSecrets}. */
export async function unsetSecrets(context: Context, scope: SecretScope, names: string[]): Promise<SecretChange> {
  const before = await readForChange(context, scope);
  const kept = Object.entries(before).filter(([name]) => !names.includes(name));
  return changeSecrets(context, scope, names, before, Object.fromEntries(kept));
}

async function changeSecrets(context: Context, { app }: SecretScope, named: string[], before: Secrets, after: Secrets) {
  context.secrets.add(Object.values(before));
  const place = app ? `app ${app}` : `project ${context.project}`;
  const kindOf = (name: string) => {
    const [had, has] = [before, after].map((secrets) => Object.hasOwn(secrets, name));
    if (had !== has) return has ? 'added' : 'removed';
    return had && before[name] !== after[name] ? 'replaced' : 'unchanged';
  };
  const names = [...new Set(named)].sort();
  const of = (kind: ReturnType<typeof kindOf>) => names.filter((name) => kindOf(name) === kind);
  const [added, replaced, removed] = [of('added'), of('replaced'), of('removed')];
  if (replaced.length > 0) await context.prompt.confirm(`Replace ${replaced.join(', ')} in ${place}?`);
  if (removed.length > 0) await context.prompt.confirm(`Remove ${removed.join(', ')} from ${place}?`);
  const done = [...added, ...replaced, ...removed];
  const changed = done.length > 0;
  const change = { app: app ?? null, changed, added, replaced, removed, unchanged: of('unchanged'), stale: [] };
  if (!changed) return change;
  const told = (verb: string, which: string[], at: string) => which.map((name) => `${verb} ${name} ${at} ${place}`);
  const more = [...told('replace', replaced, 'in'), ...told('remove', removed, 'from')];
  context.willChange([...told('add', added, 'in'), ...more], change);
  await replaceSecrets(context, { app }, before, after);
  // At once: a replica that starts later has the new secrets.
  const finding = findStale(context, { app });
  await recordEvent(context, app ?? allApps, 'secrets', { names: done, isSet: removed.length === 0 });
  await confirmStored(context, () => readSecrets(context, { app }), before, after);
  return { ...change, stale: await finding };
}

/** Reads the secrets for a change. All of them are sent back, so values that are not text would be lost. */
async function readForChange(context: Context, scope: SecretScope): Promise<Secrets> {
  const stored = await readSecrets(context, scope);
  const unreadable = Object.keys(stored).filter((name) => typeof stored[name] !== 'string');
  if (unreadable.length === 0) return stored as Secrets;
  throw new FailedError(`the value of ${unreadable.sort().join(', ')} is not text`, {
    why: 'the platform replaces all secrets at once, so these values would be lost; nothing was changed',
    fix: 'change the secrets in the dashboard',
    details: { unclear: unreadable },
  });
}

/**
 * Replaces all secrets, as the platform has no other way to change one. Reads them again first, so that a change made by
 * someone else in the meantime is not undone.
 */
async function replaceSecrets(context: Context, scope: SecretScope, before: Secrets, after: Secrets): Promise<void> {
  const { api, project } = context;
  const now = await readSecrets(context, scope);
  const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => !isSame(before[name], now[name]) || Object.hasOwn(before, name) !== Object.hasOwn(now, name),
  );
  if (changed.length > 0) {
    throw new ConflictError(`secrets were changed by someone else in the meantime: ${changed.sort().join(', ')}`, {
      why: 'the platform replaces all secrets at once, so this change would undo the other one; nothing was changed',
      fix: sentence`check ${gantryCommand`secrets list`}, then run the same command again`,
      details: { changed },
    });
  }
  if (scope.app) await api(setAppSecrets, { project, app: scope.app, body: after });
  else await api(setProjectSecrets, { project, body: after });
}

/** One request, best effort: what runs of the app, or which apps of the project may. */
async function findStale(context: Context, { app }: SecretScope): Promise<string[]> {
  const { project, progress } = context;
  const names = await tryRequest(context, async (api) => {
    if (app)
      return (await api(listContainers, { project, app }))?.flatMap((one) => (isDown(one) ? [] : one.containerId));
    const apps = (await api(listApps, { project })) ?? [];
    return apps.flatMap(({ id, name, status }) => (/^(ready|active)$/.test(status ?? '') ? name || id : []));
  });
  if (!names?.length) return [];
  const what = app ? `replicas of ${app} that started before this change` : 'replicas of apps of the project';
  const fix = gantryCommand`apps restart ${app ?? names[0] ?? ''}`;
  const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
  progress.warn({ severity: 'warning', message: `${what} keep the old secrets: ${shown}`, fix });
  return names;
}
