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
import { stringifyJson } from '../../json-text.ts';
import { waitForChange } from '../waiting/index.ts';

/** Whose secrets: an app's, or the project's when none is named. */
export interface SecretScope {
  app?: string | undefined;
}

/** What became of the secrets that were named. Values are never part of it. */
export interface SecretChange {
  app: string | null;
  added: string[];
  replaced: string[];
  removed: string[];
  unchanged: string[];
}

type Calls = Pick<Context, 'api' | 'project'>;
type Writing = Calls & Pick<Context, 'delay'>;
type Asking = Writing & Pick<Context, 'prompt' | 'secrets'>;

/** All secrets with their values. */
export async function readSecrets({ api, project }: Calls, { app }: SecretScope): Promise<StoredSecrets> {
  const read = app ? await api(getAppSecrets, { project, app }) : await api(getProjectSecrets, { project });
  return read ?? {};
}

/**
 * Adds and replaces secrets; `values` is called once it is known that the owner exists. Asks before a value is replaced.
 * Throws ConflictError when somebody else changed a secret meanwhile, FailedError when a stored secret is not text.
 */
export async function setSecrets(
  context: Asking,
  owner: SecretScope,
  values: () => Promise<Secrets> | Secrets,
): Promise<SecretChange> {
  const before = await readForChange(context, owner);
  const wanted = await values();
  context.secrets.add(...Object.values(before), ...Object.values(wanted));
  const names = Object.keys(wanted).sort();
  const added = names.filter((name) => !Object.hasOwn(before, name));
  const unchanged = names.filter((name) => Object.hasOwn(before, name) && before[name] === wanted[name]);
  const replaced = names.filter((name) => !added.includes(name) && !unchanged.includes(name));
  if (replaced.length > 0)
    await context.prompt.confirm(`Replace ${replaced.join(', ')} of ${scopeName(context, owner)}?`);
  if (added.length + replaced.length > 0) await replaceSecrets(context, owner, before, { ...before, ...wanted });
  return { app: owner.app ?? null, added, replaced, removed: [], unchanged };
}

/** Removes secrets, after a question; those that are not there count as removed already. Throws as {@link setSecrets}. */
export async function unsetSecrets(context: Asking, owner: SecretScope, names: string[]): Promise<SecretChange> {
  const before = await readForChange(context, owner);
  context.secrets.add(...Object.values(before));
  const [removed, unchanged] = [true, false].map((there) =>
    [...new Set(names)].filter((name) => Object.hasOwn(before, name) === there).sort(),
  ) as [string[], string[]];
  const change = { app: owner.app ?? null, added: [], replaced: [], removed, unchanged };
  if (removed.length === 0) return change;
  await context.prompt.confirm(`Remove ${removed.join(', ')} of ${scopeName(context, owner)}?`);
  const kept = Object.entries(before).filter(([name]) => !removed.includes(name));
  await replaceSecrets(context, owner, before, Object.fromEntries(kept));
  return change;
}

/**
 * The secrets for a change. Every one of them is sent back, so a reply in a form that is not understood must not be
 * written: secrets that are nested in an object, for one, would be lost.
 */
async function readForChange(context: Calls, owner: SecretScope): Promise<Secrets> {
  const stored = await readSecrets(context, owner);
  const unclear = Object.keys(stored).filter((name) => typeof stored[name] !== 'string');
  if (unclear.length === 0) return stored as Secrets;
  throw new FailedError(`the value of ${unclear.sort().join(', ')} cannot be read: it is not text`, {
    why: 'the platform replaces all secrets at once, so those that are not understood would be lost: nothing was written',
    fix: 'change the secrets in the dashboard',
    details: { unclear },
  });
}

/**
 * The platform can only replace all secrets at once. So this checks first that they are still those that were read:
 * otherwise it would silently undo another client's change.
 */
async function replaceSecrets(calls: Writing, owner: SecretScope, before: Secrets, after: Secrets): Promise<void> {
  const { api, project } = calls;
  const now = await readSecrets(calls, owner);
  const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => !isSame(before[name], now[name]) || Object.hasOwn(before, name) !== Object.hasOwn(now, name),
  );
  if (changed.length > 0) {
    throw new ConflictError(`somebody else changed secrets meanwhile: ${changed.sort().join(', ')}`, {
      why: 'the platform replaces all secrets at once: nothing was written, so that their change is not lost',
      fix: 'look at gantry secrets list, then run the same command again',
      details: { changed },
    });
  }
  if (owner.app) await api(setAppSecrets, { project, app: owner.app, body: after });
  else await api(setProjectSecrets, { project, body: after });
  await confirmStored(calls, owner, before, after);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && stringifyJson(one) === stringifyJson(other));
}

/**
 * Looks whether the secrets are what was sent. A secret that was sent and is missing, or has its earlier value, was not
 * stored. The official client never removes a secret, so that leaving one out removes it is not known for sure.
 */
async function confirmStored(
  calls: Writing,
  owner: SecretScope,
  before: StoredSecrets,
  after: StoredSecrets,
): Promise<void> {
  const lost = (now: StoredSecrets) =>
    Object.keys(after).filter((name) => !Object.hasOwn(now, name) || hasOldValue(name, now, before, after));
  const kept = (now: StoredSecrets) =>
    Object.keys(now).filter((name) => Object.hasOwn(before, name) && !Object.hasOwn(after, name));
  const now = await waitForChange(
    () => readSecrets(calls, owner),
    (seen) => lost(seen).length + kept(seen).length === 0,
    calls.delay,
  );
  if (lost(now).length > 0) {
    throw new FailedError(`the platform did not store ${lost(now).sort().join(', ')}`, {
      why: 'it confirmed the new secrets, but does not show them',
      fix: 'run the same command again',
      details: { lost: lost(now).sort() },
    });
  }
  if (kept(now).length > 0) {
    throw new FailedError(`the platform still has ${kept(now).sort().join(', ')}`, {
      why: 'it took the new list of secrets, but kept what was no longer in it',
      fix: 'remove them in the dashboard',
    });
  }
}

/** A value that is neither the earlier nor the new one may be masked, or set by somebody else since. */
function hasOldValue(name: string, now: StoredSecrets, before: StoredSecrets, after: StoredSecrets): boolean {
  return !isSame(before[name], after[name]) && isSame(now[name], before[name]);
}

function scopeName({ project }: Pick<Context, 'project'>, { app }: SecretScope): string {
  return app ? `app ${app}` : `project ${project}`;
}
