import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError, PendingError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { deleteApp, listApps } from '../../platform/contract/apps.ts';
import { shortAppName, toAppId } from '../../platform/contract/endpoint.ts';
import { unreadableItems } from '../../platform/contract/lists.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import {
  readEvidence,
  type Shown,
  unconfirmedError,
  waitForChange,
  warnUnconfirmed,
} from '../../platform/waiting/index.ts';
import { recordEvent } from '../history/index.ts';

/** Deletes an app after a confirmation by name. Throws as {@link deleteAppAndWait} does. */
export async function removeApp(
  context: Context,
  app: string,
  confirm: string | undefined,
): Promise<{ app: string; project: string; changed: true; confirmed: boolean }> {
  const { api, project, prompt, willChange } = context;
  const shown = await readEvidence(() => fetchApp(api, { project, app }));
  if ('refusal' in shown && shown.refusal instanceof NotFoundError) throw shown.refusal;
  const name = shortAppName(project, app);
  await prompt.confirmByName(`This permanently deletes ${name} and its builds.`, name, confirm);
  willChange(`delete app ${name} and its builds`, { app: name, project, changed: true, confirmed: false });
  const createdAt = 'state' in shown ? shown.state.createdAt : undefined;
  const confirmed =
    (await deleteAppAndWait(context, name, { wasShown: 'state' in shown, createdAt })) !== 'unconfirmed';
  if (confirmed) await recordEvent(context, name, 'deleted', {});
  return { app: name, project, changed: true, confirmed };
}

/**
 * Deletes an app and waits until the platform no longer shows it. Throws PendingError if it still does although it
 * confirmed the deletion, and the platform's refusal if it `wasShown` before and may not be looked at now. An app that was
 * created later than this one has `replaced` it: somebody else made it meanwhile. Warns of an `unconfirmed` deletion: the
 * token may delete apps and not look at them.
 */
export async function deleteAppAndWait(
  context: Pick<Context, 'api' | 'project' | 'delay' | 'progress'>,
  app: string,
  { wasShown, createdAt }: { wasShown: boolean; createdAt?: string | null | undefined },
): Promise<'deleted' | 'replaced' | 'unconfirmed'> {
  const { api, project, delay } = context;
  const notFound = await api(deleteApp, { project, app }).then(() => undefined, returnNotFound);
  const hasEnded = (shown: Shown<string>) => 'refusal' in shown || hasGone(shown.state);
  const evidence = await waitForChange(() => readStatus(context, app, wasShown, createdAt), hasEnded, delay);
  if ('refusal' in evidence) {
    if (notFound || evidence.refusal instanceof NotFoundError) throw evidence.refusal;
    warnUnconfirmed(context, `${app} is deleted`, evidence.refusal);
    return 'unconfirmed';
  }
  const status = evidence.state;
  if (hasGone(status)) return status === 'replaced' ? status : 'deleted';
  if (notFound) throw notFound;
  throw new PendingError(`${app} is not deleted yet: its status is ${status}`, {
    why: 'the platform confirmed the deletion, but still shows the app',
    fix: gantryCommand`apps get ${app}`,
    details: { app, status },
  });
}

/** "deleted" only if the list of apps agrees: a 404 alone may be about the project, or about the address itself. */
async function readStatus(
  { api, project }: Pick<Context, 'api' | 'project'>,
  app: string,
  wasShown: boolean,
  createdAt: string | null | undefined,
): Promise<Shown<string>> {
  const shown = await readEvidence(() => fetchApp(api, { project, app }));
  if ('state' in shown) {
    const laterMs = Date.parse(shown.state.createdAt ?? '') - Date.parse(createdAt ?? '');
    return { state: laterMs >= minLaterMs ? 'replaced' : (shown.state.status ?? 'unknown') };
  }
  const isGone = shown.refusal instanceof NotFoundError;
  if (wasShown && !isGone) throw unconfirmedError(`${app} is deleted`, shown.refusal);
  if (!isGone) return shown;
  const apps = await readEvidence(() => api(listApps, { project, query: { includeEphemeral: true } }));
  if ('refusal' in apps) return apps;
  const listed = apps.state.find(({ id }) => id === toAppId(project, app));
  if (listed) return { state: listed.status ?? 'unknown' };
  return unreadableItems(apps.state).length > 0 ? shown : { state: 'deleted' };
}

function returnNotFound(error: unknown): NotFoundError {
  if (error instanceof NotFoundError) return error;
  throw error;
}

/** Times that differ by less may be of one creation, rounded. */
const minLaterMs = 1_000;

function hasGone(status: string): boolean {
  return /^(deleted|replaced)$/i.test(status);
}
