import { relative } from 'node:path';
import type { Context } from '../../context.ts';
import { GantryError } from '../../errors.ts';
import type { AppConfig } from '../../project/config.ts';
import { locateSetting } from '../../project/setting-location.ts';
import { listAppSettings } from '../../project/settings.ts';

/** Adds the place of the setting that the platform refuses to the error, if its message names one that the file has. */
export async function locateRefusal({ cwd }: Context, config: AppConfig, error: unknown): Promise<never> {
  if (!(error instanceof GantryError) || !refusals.has(error.facts.status ?? 0)) throw error;
  const named = listAppSettings(config)
    .filter(({ value }) => value !== undefined)
    .map(({ section, key, field }) => ({ setting: `${section}.${key}`, at: placeIn(error.message, field) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)[0];
  const location = named && (await locateSetting(config, relative(cwd, config.file), named.setting));
  if (location) error.facts.location ??= location;
  throw error;
}

const refusals = new Set([400, 422]);

/** A field that is also a common word, such as `name` or `port`, counts at the beginning only. */
function placeIn(message: string, field: string): number {
  return message.search(new RegExp(/[A-Z]/.test(field) ? `\\b${field}\\b` : `^["'\`]?${field}\\b`));
}
