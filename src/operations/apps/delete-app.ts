import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { deleteApp, getApp, listApps } from '../../contract/apps.ts';
import { shortAppName, toAppId } from '../../contract/endpoint.ts';
import { unreadableItems } from '../../contract/lists.ts';
import { NotFoundError, PendingError } from '../../errors.ts';
import { waitForChange } from '../waiting/index.ts';

/** Deletes an app after a confirmation by name. Throws as {@link deleteAppAndWait} does. */
export async function removeApp(
  context: Pick<Context, 'api' | 'project' | 'prompt' | 'willChange' | 'delay'>,
  app: string,
  confirm: string | undefined,
): Promise<{ app: string; project: string; changed: true }> {
  const { api, project, prompt, willChange } = context;
  await api(getApp, { project, app });
  const name = shortAppName(project, app);
  await prompt.confirmByName(`This permanently deletes ${name} and its builds.`, name, confirm);
  willChange(`delete app ${name} and its builds`, { app: name, project, changed: true });
  await deleteAppAndWait(context, name);
  return { app: name, project, changed: true };
}

/**
 * Deletes an app and waits until the platform no longer shows it. Throws PendingError if it still does although it
 * confirmed the deletion.
 */
export async function deleteAppAndWait(
  { api, project, delay }: Pick<Context, 'api' | 'project' | 'delay'>,
  app: string,
): Promise<void> {
  const refusal = await api(deleteApp, { project, app }).then(() => undefined, returnNotFound);
  const status = await waitForChange(() => readStatus({ api, project }, app), isDeleted, delay);
  if (isDeleted(status)) return;
  if (refusal) throw refusal;
  throw new PendingError(`${app} is not deleted yet: its status is ${status}`, {
    why: 'the platform confirmed the deletion, but still shows the app',
    fix: gantryCommand`apps get ${app}`,
    details: { app, status },
  });
}

/** "deleted" only if the list of apps agrees: a 404 alone may be about the project, or about the address itself. */
async function readStatus({ api, project }: Pick<Context, 'api' | 'project'>, app: string): Promise<string> {
  const shown = await api(getApp, { project, app }).catch(returnNotFound);
  if (!(shown instanceof NotFoundError)) return shown.status ?? 'unknown';
  const apps = await api(listApps, { project, query: { includeEphemeral: true } });
  const listed = apps.find(({ id }) => id === toAppId(project, app));
  if (listed) return listed.status ?? 'unknown';
  if (unreadableItems(apps).length > 0) throw shown;
  return 'deleted';
}

function returnNotFound(error: unknown): NotFoundError {
  if (error instanceof NotFoundError) return error;
  throw error;
}

function isDeleted(status: string): boolean {
  return /^deleted$/i.test(status);
}
