import { isDeepStrictEqual } from 'node:util';
import type { AppConfig } from '../../app/config.ts';
import { listAppSettings } from '../../app/settings.ts';
import { LimitError } from '../../kernel/errors.ts';
import { count, dollars } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type App, listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { unlessMissing } from '../../platform/waiting/index.ts';

interface Bound {
  /** US dollars. */
  maxHourly: number;
  keepScaling: boolean;
}

/** What one replica needs: its price depends on that. */
type ReplicaHardware = NonNullable<ReturnType<typeof hardwareOf>>;

/** Apps that are asked for their price. */
const maxAsked = 20;

/**
 * Throws LimitError if all replicas of an app could cost more in an hour, or if nobody can tell: no price list is documented,
 * so the price is that of an app with the same hardware. Creates nothing.
 */
export async function checkHourlyBound(context: Context, config: AppConfig, { maxHourly, keepScaling }: Bound) {
  const { name } = config;
  const deployed = await unlessMissing(fetchApp(context.api, { project: context.project, app: name }));
  const settings = Object.fromEntries(listAppSettings(config).map((each) => [each.field, each.value ?? each.default]));
  const { maxReplicaCount = Number.NaN } = { ...settings, ...(keepScaling && deployed) };
  const hardware = hardwareOf(settings);
  const price = hardware ? await highestPrice(context, deployed, hardware) : Number.NaN;
  const replicas = Number(maxReplicaCount);
  const cents = replicas * price * 3_600;
  if (Number.isNaN(cents)) throw unknownPrice(name, hardware);
  if (cents <= maxHourly * 100) return;
  const affordable = keepScaling ? 0 : Math.floor((maxHourly * 100) / (price * 3_600));
  const fewer = affordable > 0 ? `max_replicas = ${affordable}, or ` : '';
  throw new LimitError(`${name} can cost ${dollars(cents)} an hour, the bound is ${dollars(maxHourly * 100)}`, {
    why: `${count(replicas, 'replica')} at ${dollars(price * 3_600)} an hour`,
    fix: `${fewer}--max-hourly ${(Math.ceil(cents) / 100).toFixed(2)}`,
  });
}

function unknownPrice(app: string, hardware: ReplicaHardware | undefined): LimitError {
  const kind = hardware
    ? `${hardware.compute.join(' or ')} with ${count(hardware.cpu, 'core')} and ${hardware.memory} GB`
    : 'its hardware';
  return new LimitError(`what ${app} can cost in an hour is not known`, {
    why: `no app of the project tells the price of ${kind}`,
    fix: 'deploy once without --max-hourly; from then on the app tells its price',
  });
}

function hardwareOf({ compute, gpuCount, cpu, memory, computeTier }: Record<string, unknown>) {
  const kinds = [compute ?? 'CPU'].flat().map(String);
  const numbers = [cpu, memory].map((value) => Number(value ?? Number.NaN));
  if (numbers.some(Number.isNaN)) return undefined;
  const [cores = 0, gigabytes = 0] = numbers;
  const gpus = kinds.every((kind) => kind === 'CPU') ? 0 : Number(gpuCount ?? 1);
  return {
    compute: kinds,
    gpuCount: gpus,
    cpu: cores,
    memory: gigabytes,
    computeTier: String(computeTier ?? 'interruptible'),
  };
}

/** The highest price of the kinds that the platform may take; NaN if one of them is not known. */
async function highestPrice(context: Context, own: App | undefined, hardware: ReplicaHardware): Promise<number> {
  let highest = 0;
  for (const kind of hardware.compute)
    highest = Math.max(highest, await priceOf(context, own, { ...hardware, compute: [kind] }));
  return highest;
}

async function priceOf({ api, project }: Context, ownApp: App | undefined, hardware: ReplicaHardware): Promise<number> {
  if (ownApp && isSame(ownApp, hardware) && ownApp.costPerSecondCents) return ownApp.costPerSecondCents;
  const listed = await api(listApps, { project });
  const alike = listed.filter((app) => app.hardware === hardware.compute[0]).slice(0, maxAsked);
  for (const { id } of alike) {
    const app = await unlessMissing(fetchApp(api, { project, app: shortAppName(project, id) }));
    if (app && isSame(app, hardware) && app.costPerSecondCents) return app.costPerSecondCents;
  }
  return Number.NaN;
}

function isSame(app: App, hardware: ReplicaHardware): boolean {
  return isDeepStrictEqual(hardwareOf({ ...app, compute: app.hardware ?? '' }), hardware);
}
