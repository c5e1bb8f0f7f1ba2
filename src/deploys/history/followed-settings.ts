import { keyOfField } from '../../app/settings.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { words } from '../../kernel/words.ts';
import type { App, AppCreation } from '../../platform/contract/apps.ts';
import type { HistoryEvent } from './event-log.ts';

/** What a deploy may keep as it is scaled. */
export const scalingFields = [
  'minReplicaCount',
  'maxReplicaCount',
  'cooldownPeriodSeconds',
  'replicaConcurrency',
] as const;

/** What the price of a replica depends on. */
export const hardwareFields = ['hardware', 'gpuCount', 'cpu', 'memory', 'computeTier'] as const;

/** Settings that both create app and get app have (spec 2.2, 2.4). Commands are omitted: they may contain secrets. */
const commonFields = [
  ...words('runtime baseImage pythonVersion port healthcheckEndpoint readycheckEndpoint disableAuth'),
  ...words('region cpu memory gpuCount computeTier'),
  ...scalingFields,
  ...words('responseGracePeriodSeconds scalingMetric scalingTarget scalingBuffer rollOutDurationSeconds'),
  ...words('evaluationIntervalSeconds loadBalancingAlgorithm deploymentInitializationTimeout'),
] as const satisfies readonly (keyof App & keyof AppCreation)[];

/** Two settings are returned under other names than they are sent (spec 2.2, 2.4). */
const sentNames: Record<string, string> = { hardware: 'compute', hardwareProvider: 'provider' };

/** The key in the config file of a setting: `min_replicas` of `minReplicaCount`. */
export function settingKey(name: string): string {
  return sentNames[name] ?? keyOfField(name) ?? name;
}

/** The settings of a deployed app under the platform's names, as far as it shows them. */
export function shownSettings(app: App): Record<string, unknown> {
  return pickSet(app, [...commonFields, 'hardware', 'hardwareProvider']);
}

/** The settings of a request. What it leaves out is left to the platform. */
export function sentSettings(body: AppCreation): Record<string, unknown> {
  return pickSet(body, [...commonFields, 'compute', 'provider', 'useUv', 'containerRuntime', 'logLevel']);
}

function pickSet(from: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const entries = fields.map((field) => [field, from[field]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null && value !== ''));
}

export type SettingsChange = ReturnType<typeof changedSettings>;

/** What differs between two looks. A setting that one of them does not show says nothing. */
export function changedSettings(before: Record<string, unknown>, after: Record<string, unknown>) {
  const changed = Object.keys(after).filter(
    (name) => before[name] !== undefined && stringifyJson(before[name]) !== stringifyJson(after[name]),
  );
  const pick = (from: Record<string, unknown>) => Object.fromEntries(changed.map((name) => [name, from[name]]));
  return { before: pick(before), after: pick(after) };
}

/** The settings of builds, as the platform last showed them, or as they were last changed from here. */
export class FollowedSettings {
  readonly #of = new Map<string, Record<string, unknown>>();
  #live = '';

  /** Returns the settings before those of a build that serves, if they are known. */
  add(event: HistoryEvent): Record<string, unknown> | undefined {
    if (event.event === 'scaled') this.#change(this.#live, event.after);
    if (event.event === 'noticed') this.#change(event.build, event.after);
    if (event.event !== 'served') return undefined;
    const earlier = this.#of.get(event.before ?? '');
    this.#of.set(event.build, event.settings);
    this.#live = event.build;
    return earlier;
  }

  of(build: string): Record<string, unknown> | undefined {
    return this.#of.get(build);
  }

  #change(build: string, after: Record<string, unknown>): void {
    const settings = this.#of.get(build);
    if (settings) this.#of.set(build, { ...settings, ...after });
  }
}
