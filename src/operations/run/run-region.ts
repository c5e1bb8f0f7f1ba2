import type { Context } from '../../context.ts';
import { NotFoundError } from '../../errors.ts';
import type { AppConfig } from '../../project/config.ts';
import { chooseRegion } from '../deploy/index.ts';
import { fetchApp } from '../replies/index.ts';
import { isRefusal } from '../waiting/index.ts';

/** As for a deploy. Only the region of a profile needs to know whether the app is new: without any, the platform does. */
export async function runRegion(
  { api, project, settings }: Context,
  { name, hardware }: AppConfig,
): Promise<string | undefined> {
  const typed = chooseRegion(settings.region, hardware.region, { isNew: false });
  if (typed !== undefined || settings.region.value === undefined) return typed;
  try {
    return (await fetchApp(api, { project, app: name })).region ?? undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error instanceof NotFoundError ? settings.region.value : undefined;
  }
}
