import type { Context } from '../../context.ts';
import { deleteApp, getApp } from '../../contract/apps.ts';
import { toAppName } from '../../contract/endpoint.ts';
import { NotFoundError, PendingError } from '../../errors.ts';
import { waitForChange } from '../waiting/index.ts';

/**
 * Deletes an app, after its name was typed once more, and waits until the platform no longer shows it. Throws
 * PendingError if it still does although it confirmed the deletion.
 */
export async function removeApp(
  { api, project, prompt, delay }: Pick<Context, 'api' | 'project' | 'prompt' | 'delay'>,
  app: string,
  confirm: string | undefined,
): Promise<{ app: string; project: string; deleted: true }> {
  await api(getApp, { project, app });
  const name = toAppName(project, app);
  await prompt.confirmByName(`This deletes ${name} and its builds for good.`, name, confirm);
  const refusal = await api(deleteApp, { project, app }).then(() => undefined, unlessNotFound);
  const status = await waitForChange(
    () => api(getApp, { project, app }).then((found) => found.status ?? 'unknown', unlessNotFound),
    isGone,
    delay,
  );
  if (isGone(status)) return { app: name, project, deleted: true };
  if (refusal) throw refusal;
  throw new PendingError(`${name} is not deleted yet: its status is ${status}`, {
    why: 'the platform confirmed the deletion, but still shows the app',
    fix: `gantry apps get ${name}`,
    details: { app: name, status },
  });
}

/** A 404 says that the app is gone, unless it is still shown. */
function unlessNotFound(error: unknown): NotFoundError {
  if (error instanceof NotFoundError) return error;
  throw error;
}

function isGone(status: string | NotFoundError): boolean {
  return status instanceof NotFoundError || /^deleted$/i.test(status);
}
