import { AppCreation } from '../../../platform/contract/apps.ts';
import { parseAs } from '../../http/read-request.ts';

/** The settings that a deploy stores. Registry credentials are not stored. */
export type AppSettings = AppCreation & ReturnType<typeof defaults>;

/** A deploy replaces all settings: omitted ones return to their defaults. */
export function withDefaults({ dockerAuth: _, cerebrium_toml: published, ...sent }: AppCreation): AppSettings {
  // The official client sends the text of the config file under this name instead of the specified one.
  const configuration = typeof published === 'string' ? { platform_toml: published } : {};
  // Unknown fields are dropped. Values come from JSON, so there is no undefined.
  const known = Object.entries(sent).filter(([key]) => Object.hasOwn(AppCreation.entries, key));
  return { ...defaults(sent.compute?.[0] ?? 'CPU'), ...configuration, ...Object.fromEntries(known) } as AppSettings;
}

/** Settings that can change without a deploy (docs/platform.md#scaling). */
const scalable = [
  'compute',
  'cpu',
  'memory',
  'gpuCount',
  'minReplicaCount',
  'maxReplicaCount',
  'replicaConcurrency',
  'cooldownPeriodSeconds',
  'responseGracePeriodSeconds',
];

/** The settings with some changed. `compute`, `cpu` and `memory` may be text here. */
export function applyScaling(settings: AppSettings, changes: Record<string, unknown>): AppSettings {
  const values = Object.entries(changes)
    .filter(([key]) => scalable.includes(key))
    .map(([key, value]) => [key, typeof value === 'string' ? fromText(key, value) : value]);
  return { ...settings, ...parseAs(AppCreation, { ...settings, ...Object.fromEntries(values) }) } as AppSettings;
}

function fromText(key: string, text: string): unknown {
  if (key === 'compute') return [text];
  return (key === 'cpu' || key === 'memory') && text.trim() !== '' ? Number(text) : text;
}

function defaults(hardware: string) {
  const cpuOnly = hardware === 'CPU';
  return {
    runtime: 'cortex',
    cliVersion: '',
    pythonVersion: '3.11',
    baseImage: 'debian:bookworm-slim',
    // Apps are public by default, as on the platform.
    disableAuth: true,
    useUv: false,
    deploymentInitializationTimeout: 600,
    cpu: 2,
    memory: 4,
    compute: [hardware],
    gpuCount: cpuOnly ? 0 : 1,
    provider: 'aws',
    region: 'us-east-1',
    minReplicaCount: 0,
    maxReplicaCount: 1,
    cooldownPeriodSeconds: 10,
    replicaConcurrency: cpuOnly ? 100 : 1,
    responseGracePeriodSeconds: 900,
    scalingMetric: 'concurrency_utilization',
    scalingTarget: 100,
    scalingBuffer: 0,
    rollOutDurationSeconds: 0,
    evaluationIntervalSeconds: 30,
    loadBalancingAlgorithm: 'round-robin',
    computeTier: 'interruptible',
    entrypoint: [] as string[],
    port: 8000,
    healthcheckEndpoint: '',
    readycheckEndpoint: '',
    shellCommands: [] as string[],
    preBuildCommands: [] as string[],
  };
}
