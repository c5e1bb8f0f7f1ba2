import type { AppConfig } from '../../app/config.ts';
import { keyOfField, listAppSettings } from '../../app/settings.ts';
import { defined, stringifyJson } from '../../kernel/json-text.ts';
import { version } from '../../kernel/version.ts';
import type { Setting } from '../../platform/config/settings.ts';
import type { App, AppCreation } from '../../platform/contract/apps.ts';
import { type DeployedSettings, scalingFields } from '../history/index.ts';

/** The settings that a deploy would change. */
export function compareSettings(...compared: Parameters<typeof compareBody>) {
  const changed = compareBody(...compared).filter(({ differs }) => differs);
  return changed.map(({ returned: _, differs: __, ...change }) => change);
}

export type SettingChange = ReturnType<typeof compareSettings>[number];

/** The live values of replicas, cooldown and concurrency, to keep them in a deploy. */
export function scalingOf(settings: Record<string, unknown>): Partial<AppCreation> {
  return Object.fromEntries(
    scalingFields.flatMap((field) => (settings[field] === undefined ? [] : [[field, settings[field]]])),
  );
}

/** The settings that the file contains, under the platform's names. The platform decides the others. */
export function createAppSettings(config: AppConfig): Partial<AppCreation> {
  const set = listAppSettings(config).filter(({ value }) => value !== undefined);
  return {
    ...Object.fromEntries(set.map(({ field, value }) => [field, value])),
    runtime: config.runtime,
    ...(config.partner && { partnerService: config.runtime }),
  };
}

/** The app is found by its name, and the version of gantry changes nothing of it. */
const notCompared = new Set(['name', 'cliVersion']);

/**
 * Every field of the body that get app returns (spec 2.4), and every setting that the body leaves out, with its name there
 * and whether it differs. What the platform makes of a setting is known once it was sent: a default of its own is no
 * change, whatever gantry takes for the default. `byDefault`: the file does not set it, and a deploy replaces all settings.
 * `drifted`: it was changed outside of the file since the last deploy; null if this machine has no record of that.
 */
export function compareBody(config: AppConfig, body: AppCreation, app: App, deployed: DeployedSettings = {}) {
  const listed = listAppSettings(config);
  const settings = new Map(
    listed.map(({ field, section, key, default: fallback }) => [field, { section, key, fallback }]),
  );
  const fields = new Set(['runtime', ...settings.keys(), ...Object.keys(body)]);
  return [...fields].flatMap((field) => {
    if (notCompared.has(field)) return [];
    const { section, key, fallback } = settings.get(field) ?? {};
    const value = (body as Record<string, unknown>)[field];
    const from = deployedValue(app, field);
    const to = expectedValue(field, value, fallback, deployed);
    const differs = from !== undefined && to !== undefined && !isSame(from, to);
    const drifted = section === undefined ? null : hasDrifted(field, from, deployed);
    const setting = section === undefined ? field : `${section}.${key}`;
    return {
      setting,
      from,
      to,
      byDefault: value === undefined,
      drifted,
      returned: returnedNames[field] ?? field,
      differs,
    };
  });
}

/** Whether a setting is another one than deploys have made; null if nothing on record tells. */
function hasDrifted(field: string, from: unknown, { shown, tried, scaled }: DeployedSettings): boolean | null {
  const made = shown && deployedValue(shown, field);
  if (made !== undefined) return !isSame(from, made) && !isSame(from, tried?.[field]);
  return scaled?.[field] !== undefined && isSame(from, scaled[field]) ? true : null;
}

/** What the platform shows after a deploy with this value, or without one. */
function expectedValue(field: string, value: unknown, fallback: unknown, { sent, shown }: DeployedSettings): unknown {
  const made = shown && deployedValue(shown, field);
  const isAsSent = sent !== undefined && made !== undefined && isSame(sent[field], value);
  return isAsSent ? made : (value ?? fallback);
}

/** Nobody knows the platform's default of a key that the file leaves out, without a deploy on record. */
export function isCertain({ byDefault, drifted }: SettingChange): boolean {
  return !byDefault || drifted !== null;
}

/** What a request would change of what get app shows. `made`: what omitted settings become again. */
export function compareSent(body: AppCreation, app: App, made: Record<string, unknown>) {
  const sent = new Set(Object.keys(body).map((field) => returnedNames[field] ?? field));
  const omitted = Object.entries(made).filter(([field]) => !sent.has(field));
  return [...Object.entries(body), ...omitted].flatMap(([field, to]) => {
    const from = deployedValue(app, field);
    return field === 'name' || from === undefined || isSame(from, to)
      ? []
      : [{ setting: keyOfField(field) ?? field, from, to }];
  });
}

const setupFields = ['compute', 'gpuCount', 'cpu', 'memory', 'region', 'minReplicaCount', 'maxReplicaCount'];

/** What determines the cost: hardware, region and number of replicas, including the platform's defaults. */
export function describeSetup(config: AppConfig, body: Record<string, unknown>): Record<string, unknown> {
  const settings = listAppSettings(config).filter(({ field }) => setupFields.includes(field));
  return Object.fromEntries(settings.map(({ field, default: fallback }) => [field, body[field] ?? fallback ?? null]));
}

/** Whether anyone may call the app, which is the platform's default. */
export function isPublic(config: AppConfig): boolean {
  const setting = listAppSettings(config).find(({ field }) => field === 'disableAuth');
  return (setting?.value ?? setting?.default) === true;
}

/** Two settings are returned under other names than they are sent (spec 2.2, 2.4). */
const returnedNames: Record<string, string> = { compute: 'hardware', provider: 'hardwareProvider' };

function deployedValue(app: Record<string, unknown>, field: string): unknown {
  const value = app[returnedNames[field] ?? field];
  return value === null || value === '' ? undefined : value;
}

/** Compute is returned as one word and written as a list, whose first item is preferred. */
function isSame(from: unknown, to: unknown): boolean {
  if (Array.isArray(to) && !Array.isArray(from)) return to[0] === from;
  return stringifyJson(from) === stringifyJson(to);
}

/**
 * The region of the command line or the environment, else of the file. Without any, an app that is deployed stays where it
 * is, and one that is new has that of the profile: volumes are per region.
 */
export function chooseRegion(
  { value, origin }: Setting,
  fromFile: string | undefined,
  { isNew, region }: { isNew: boolean; region?: string | null | undefined },
): string | undefined {
  const typed = origin === 'profile' ? undefined : value;
  return typed ?? fromFile ?? (isNew ? value : (region ?? undefined));
}

export interface CreateAppOptions {
  logLevel?: string | undefined;
  disableBuildLogs?: true | undefined;
  /** Settings of the deployed app that replace those of the file. */
  keep?: Partial<AppCreation> | undefined;
}

export type MadeSettings = ReturnType<typeof makeSettings>;

/**
 * The settings that a deploy sends, made once: the body of create app without a registry login. `own`: with the scaling of the
 * file, whatever is kept of the app's, as on record.
 */
export function makeSettings(config: AppConfig, options: CreateAppOptions) {
  const { keep = {}, logLevel, disableBuildLogs } = options;
  const file = {
    ...createAppSettings(config),
    name: config.name,
    cliVersion: version,
    platform_toml: config.text,
    ...defined({ logLevel, disableBuildLogs }),
  };
  return { body: { ...file, ...keep }, own: { ...file, ...(keep.region && { region: keep.region }) }, keep };
}
