import * as v from 'valibot';
import { type GenericSchema, safeParse } from 'valibot';
import { tryParseJson } from '../../../kernel/json-text.ts';
import { AppCreation } from '../../../platform/contract/apps.ts';
import { trafficProfiles } from './traffic-profiles.ts';

/** The version of the state file. Older files have no version; their missing fields are filled in. */
export const stateVersion = 1;

/** Milliseconds since 1970, within the range of Date. */
const time = v.pipe(v.number(), v.minValue(0), v.maxValue(8e15));
const duration = v.pipe(v.number(), v.minValue(0));
const texts = v.array(v.string());
const records = v.array(v.looseObject({}));

const App = v.looseObject({
  id: v.string(),
  name: v.string(),
  project: v.string(),
  createdAt: time,
  updatedAt: time,
  settings: AppCreation,
  earlier: v.optional(
    v.array(
      v.object({
        until: time,
        settings: v.object({
          cpu: v.number(),
          memory: v.number(),
          compute: texts,
          gpuCount: v.number(),
          computeTier: v.string(),
          cooldownPeriodSeconds: v.number(),
          minReplicaCount: v.optional(v.number()),
        }),
      }),
    ),
  ),
  traffic: v.optional(
    v.looseObject({
      seed: v.number(),
      rhythm: v.picklist(Object.keys(trafficProfiles) as (keyof typeof trafficProfiles)[]),
      since: time,
    }),
  ),
});

const Scene = v.looseObject({
  status: v.picklist(['building', 'initializing']),
  lines: texts,
  work: v.optional(
    v.looseObject({ lines: v.array(v.looseObject({ at: time, text: v.string() })), endedAt: v.optional(time) }),
  ),
});

const Build = v.looseObject({
  id: v.string(),
  app: v.string(),
  createdAt: time,
  settings: AppCreation,
  keyName: v.string(),
  registries: v.optional(texts, []),
  files: v.optional(v.record(v.string(), v.looseObject({ size: v.number(), crc32: v.number() }))),
  startedAt: v.optional(time),
  cancelledAt: v.optional(time),
  pace: duration,
  script: v.looseObject({
    scenes: v.array(Scene),
    end: v.optional(
      v.looseObject({
        status: v.string(),
        reason: v.optional(v.string()),
        differences: v.optional(texts),
        notStarted: v.optional(v.looseObject({ reason: v.string(), calls: v.picklist(['refused', 'simulated']) })),
      }),
    ),
    surprise: v.optional(v.string()),
  }),
});

const Run = v.looseObject({
  id: v.string(),
  app: v.string(),
  createdAt: time,
  functionName: v.string(),
  method: v.string(),
  async: v.boolean(),
  websocket: v.optional(v.boolean()),
  oneOff: v.optional(v.boolean()),
  container: v.string(),
  pendingMs: duration,
  proxyQueueMs: duration,
  containerQueueMs: duration,
  coldstartMs: duration,
  runtimeMs: v.optional(duration),
  statusCode: v.optional(v.number()),
  cancelledAt: v.optional(time),
});

const Account = v.looseObject({
  keys: v.array(v.looseObject({ id: v.string(), apiKey: v.string() })),
  users: v.array(v.looseObject({ id: v.string(), email: v.string() })),
  serviceAccounts: v.array(v.looseObject({ id: v.string(), grants: texts })),
  plan: v.string(),
  creditCardBonusClaimed: v.boolean(),
  paymentMethods: records,
  invoices: v.optional(records),
});

/** The fields of the state file that the emulator relies on. */
export const State = v.looseObject({
  version: v.optional(v.pipe(v.number(), v.maxValue(stateVersion, 'was written by a newer version of gantry')), 0),
  projects: v.array(v.string()),
  key: v.pipe(v.string(), v.minLength(1)),
  idsGiven: v.pipe(v.number(), v.integer(), v.minValue(0)),
  apps: v.array(App),
  builds: v.array(Build),
  runs: v.optional(v.array(Run), []),
  accounts: v.optional(v.record(v.string(), Account), {}),
  secrets: v.optional(v.array(v.tuple([v.string(), v.record(v.string(), v.string())])), []),
});

/** Undefined if the line is not JSON of this shape. */
export function parseJsonLine<Output>(schema: GenericSchema<unknown, Output>, line: string): Output | undefined {
  const result = safeParse(schema, tryParseJson(line));
  return result.success ? result.output : undefined;
}
