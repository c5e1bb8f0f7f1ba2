import type { App, AppCreation } from '../../contract/apps.ts';
import { stringifyJson } from '../../json-text.ts';
import type { AppConfig } from '../../project/config.ts';
import { listAppSettings } from '../../project/settings.ts';

/** A setting that a deploy would change. */
export interface SettingChange {
  /** As written in cerebrium.toml: `scaling.min_replicas`. */
  setting: string;
  from: unknown;
  to: unknown;
  /** True when the file does not set it. A deploy replaces the whole record, so the setting returns to its default. */
  byDefault: boolean;
}

/** The settings of create app: what the file sets, under the platform's names; the rest is the server's to decide. */
export function createAppSettings(project: AppConfig): Partial<AppCreation> {
  const set = listAppSettings(project).filter(({ value }) => value !== undefined);
  return {
    ...Object.fromEntries(set.map(({ field, value }) => [field, value])),
    runtime: project.runtime,
    ...(project.partner && { partnerService: project.runtime }),
  };
}

/** What would change in a deployed app. Only settings that *get app* returns can be compared (spec 2.4). */
export function compareSettings(project: AppConfig, app: App): SettingChange[] {
  const changes = listAppSettings(project).flatMap(
    ({ section, key, field, value, default: otherwise }): SettingChange[] => {
      const from = deployed(app, field);
      const to = value ?? otherwise;
      if (from === undefined || to === undefined || alike(from, to)) return [];
      return [{ setting: `${section}.${key}`, from, to, byDefault: value === undefined }];
    },
  );
  if (!app.runtime || app.runtime === project.runtime) return changes;
  return [{ setting: 'runtime', from: app.runtime, to: project.runtime, byDefault: false }, ...changes];
}

const setupFields = ['compute', 'gpuCount', 'cpu', 'memory', 'region', 'minReplicaCount', 'maxReplicaCount'];

/** What costs money: hardware, place and number of replicas, with the platform's defaults where the file is silent. */
export function describeSetup(project: AppConfig): Record<string, unknown> {
  const known = listAppSettings(project).filter(({ field }) => setupFields.includes(field));
  return Object.fromEntries(known.map(({ field, value, default: otherwise }) => [field, value ?? otherwise ?? null]));
}

/** Whether anyone may call the app. True by default, when the file does not set it. */
export function isPublic(project: AppConfig): boolean {
  const setting = listAppSettings(project).find(({ field }) => field === 'disableAuth');
  return (setting?.value ?? setting?.default) === true;
}

/** Two settings are returned under another name than they are sent (spec 2.2, 2.4). */
const returnedAs: Record<string, string> = { compute: 'hardware', provider: 'hardwareProvider' };

function deployed(app: App, field: string): unknown {
  const value = (app as Record<string, unknown>)[returnedAs[field] ?? field];
  return value === null || value === '' ? undefined : value;
}

/** One compute type is returned as a word and written as a list; the first of the list is the one preferred. */
function alike(from: unknown, to: unknown): boolean {
  if (Array.isArray(to) && !Array.isArray(from)) return to[0] === from;
  return stringifyJson(from) === stringifyJson(to);
}
