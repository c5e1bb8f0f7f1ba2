import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { deleteApp, getApp } from '../../contract/apps.ts';
import { shortAppName } from '../../contract/endpoint.ts';
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
  const status = await waitForChange(
    () => api(getApp, { project, app }).then((shown) => shown.status ?? 'unknown', returnNotFound),
    isDeleted,
    delay,
  );
  if (isDeleted(status)) return;
  if (refusal) throw refusal;
  throw new PendingError(`${app} is not deleted yet: its status is ${status}`, {
    why: 'the platform confirmed the deletion, but still shows the app',
    fix: gantryCommand`apps get ${app}`,
    details: { app, status },
  });
}

/** A 404 means that the app is deleted, unless it is still shown. */
function returnNotFound(error: unknown): NotFoundError {
  if (error instanceof NotFoundError) return error;
  throw error;
}

function isDeleted(status: string | NotFoundError): boolean {
  return status instanceof NotFoundError || /^deleted$/i.test(status);
}
