import type { AppSettings } from '../apps/settings.ts';
import type { AppRecord, BilledSettings } from './records.ts';

/** The app with other settings from now on. */
export function replaceSettings(app: AppRecord, settings: AppSettings, now: number): AppRecord {
  const before = billedSettings(app.settings);
  const replaced = { ...app, settings, updatedAt: now };
  if (JSON.stringify(before) === JSON.stringify(billedSettings(settings))) return replaced;
  return { ...replaced, earlier: [...(app.earlier ?? []), { until: now, settings: before }] };
}

/** The settings that were in force at a time: a later change must not change what was billed. */
export function settingsAt({ settings, earlier = [] }: AppRecord, time: number): BilledSettings {
  return earlier.find(({ until }) => time < until)?.settings ?? settings;
}

function billedSettings(settings: AppSettings): BilledSettings {
  const { cpu, memory, compute, gpuCount, computeTier, cooldownPeriodSeconds, minReplicaCount } = settings;
  return { cpu, memory, compute, gpuCount, computeTier, cooldownPeriodSeconds, minReplicaCount };
}
