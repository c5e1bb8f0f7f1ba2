import { gantryCommand, sentence } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import {
  getAppSecrets,
  getProjectSecrets,
  type Secrets,
  type StoredSecrets,
  setAppSecrets,
  setProjectSecrets,
} from '../../contract/secrets.ts';
import { ConflictError, FailedError } from '../../errors.ts';
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
}

type ReadContext = Pick<Context, 'api' | 'project'>;
type WriteContext = ReadContext & Pick<Context, 'delay' | 'progress'>;
type ChangeContext = WriteContext & Pick<Context, 'prompt' | 'secrets' | 'willChange'>;

/** Reads all secrets with their values. */
export async function readSecrets({ api, project }: ReadContext, { app }: SecretScope): Promise<StoredSecrets> {
  const read = app ? await api(getAppSecrets, { project, app }) : await api(getProjectSecrets, { project });
  return read ?? {};
}

/**
 * Adds and replaces secrets. Calls `values` after the current secrets were read, and asks before it replaces a value.
 * Throws ConflictError if a secret was changed meanwhile, FailedError if a stored secret is not text.
 */
export async function setSecrets(
  context: ChangeContext,
  scope: SecretScope,
  values: () => Promise<Secrets> | Secrets,
): Promise<SecretChange> {
  const before = await readForChange(context, scope);
  const newValues = await values();
  context.secrets.add(Object.values(before), Object.values(newValues));
  const names = Object.keys(newValues).sort();
  const added = names.filter((name) => !Object.hasOwn(before, name));
  const unchanged = names.filter((name) => Object.hasOwn(before, name) && before[name] === newValues[name]);
  const replaced = names.filter((name) => !added.includes(name) && !unchanged.includes(name));
  if (replaced.length > 0)
    await context.prompt.confirm(`Replace ${replaced.join(', ')} in ${scopeName(context, scope)}?`);
  const changed = added.length + replaced.length > 0;
  const change = { app: scope.app ?? null, changed, added, replaced, removed: [], unchanged };
  if (!changed) return change;
  const place = `in ${scopeName(context, scope)}`;
  context.willChange(
    [...added.map((name) => `add ${name} ${place}`), ...replaced.map((name) => `replace ${name} ${place}`)],
    change,
  );
  await replaceSecrets(context, scope, before, { ...before, ...newValues });
  return change;
}

/** Removes secrets, after a confirmation. Missing ones are reported as unchanged. Throws like {@link setSecrets}. */
export async function unsetSecrets(context: ChangeContext, scope: SecretScope, names: string[]): Promise<SecretChange> {
  const before = await readForChange(context, scope);
  context.secrets.add(Object.values(before));
  const [removed, unchanged] = [true, false].map((there) =>
    [...new Set(names)].filter((name) => Object.hasOwn(before, name) === there).sort(),
  ) as [string[], string[]];
  const changed = removed.length > 0;
  const change = { app: scope.app ?? null, changed, added: [], replaced: [], removed, unchanged };
  if (!changed) return change;
  await context.prompt.confirm(`Remove ${removed.join(', ')} from ${scopeName(context, scope)}?`);
  context.willChange(
    removed.map((name) => `remove ${name} from ${scopeName(context, scope)}`),
    change,
  );
  const kept = Object.entries(before).filter(([name]) => !removed.includes(name));
  await replaceSecrets(context, scope, before, Object.fromEntries(kept));
  return change;
}

/** Reads the secrets for a change. All of them are sent back, so values that are not text would be lost. */
async function readForChange(context: ReadContext, scope: SecretScope): Promise<Secrets> {
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
async function replaceSecrets(calls: WriteContext, scope: SecretScope, before: Secrets, after: Secrets): Promise<void> {
  const { api, project } = calls;
  const now = await readSecrets(calls, scope);
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
  await confirmStored(calls, () => readSecrets(calls, scope), before, after);
}

function scopeName({ project }: Pick<Context, 'project'>, { app }: SecretScope): string {
  return app ? `app ${app}` : `project ${project}`;
}
