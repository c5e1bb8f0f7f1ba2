import { AppCreation } from '../../../platform/contract/apps.ts';
import { parseAs } from '../../http/read-request.ts';

/** The settings that a deploy stores. Registry credentials are not stored. */
export type AppSettings = AppCreation & ReturnType<typeof defaults>;

/** A deploy replaces all settings: omitted ones return to their defaults. */
export function withDefaults({ dockerAuth: _, cerebrium_toml: published, ...sent }: AppCreation): AppSettings {
  // The official client sends the text of the config file under this name instead of the specified one.
  const configuration = typeof published === 'string' ? { platform_toml: published } : {};
  // Unknown fields are dropped. Values come from JSON, so there is no undefined.
  const fields = Object.entries(sent).filter(([key]) => Object.hasOwn(AppCreation.entries, key));
  return { ...defaults(sent.compute?.[0] ?? 'CPU'), ...configuration, ...Object.fromEntries(fields) } as AppSettings;
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

/** The first problem with an app's settings as an API error message; undefined if they are valid. */
export function findInvalidSetting(settings: AppSettings, runtimes: readonly string[]): string | undefined {
  return rules(settings, { ...choices, runtime: runtimes }).find((rule) => !rule.holds)?.message;
}

function rules(settings: AppSettings, choices: Record<string, readonly string[]>) {
  const value = (key: string) => settings[key as keyof AppSettings];
  const { name, compute, gpuCount, minReplicaCount, maxReplicaCount } = settings;
  const { responseGracePeriodSeconds, entrypoint, port } = settings;
  return [
    ...nameRules(name),
    { holds: compute.length >= 1 && compute.length <= 5, message: 'compute must list 1 to 5 hardware types' },
    ...compute.map((kind) => ({ holds: hardware.includes(kind), message: `unknown compute type: ${kind}` })),
    ...Object.entries(choices).map(([key, known]) => ({
      holds: value(key) === undefined || known.includes(value(key) as string),
      message: `${key} must be one of ${known.join(', ')}`,
    })),
    ...counts.map((key) => ({
      holds: Number.isSafeInteger(value(key)) && Number(value(key)) >= 0,
      message: `${key} must be a non-negative integer`,
    })),
    ...sizes.map((key) => ({
      holds: Number(value(key)) > 0 && Number.isFinite(value(key)),
      message: `${key} must be a number greater than 0`,
    })),
    {
      holds: responseGracePeriodSeconds >= 16 && responseGracePeriodSeconds <= 43_200,
      message: 'responseGracePeriodSeconds must be between 16 and 43200',
    },
    {
      holds: !entrypoint.some((word) => word.includes('\0')),
      message: 'entrypoint must not contain NUL',
    },
    { holds: port <= 65_535, message: 'port must be at most 65535' },
    { holds: compute[0] !== 'CPU' || gpuCount === 0, message: 'gpuCount must be 0 for compute CPU' },
    { holds: minReplicaCount <= maxReplicaCount, message: 'minReplicaCount must not exceed maxReplicaCount' },
  ];
}

/** The platform does not say which names it accepts. These are all that one segment of a URL can carry. */
export function nameRules(name: string) {
  return [
    { holds: name !== '', message: 'name is required' },
    { holds: Buffer.byteLength(name) <= maxNameBytes, message: `name must not be longer than ${maxNameBytes} bytes` },
    { holds: name !== '.' && name !== '..', message: 'name must not be . or ..' },
    { holds: !/[\p{Cc}\p{Cs}/\\]/u.test(name), message: 'name must not contain slashes or control characters' },
  ];
}

/** Names are parts of file names. */
const maxNameBytes = 128;

/** Keys with a fixed set of values (docs/platform.md#app-configuration). */
const choices = {
  pythonVersion: ['3.10', '3.11', '3.12', '3.13'],
  provider: ['aws', 'crusoe', 'nebius'],
  computeTier: ['interruptible', 'protected'],
  containerRuntime: ['v1', 'v2'],
  logLevel: ['DEBUG', 'INFO'],
  scalingMetric: ['concurrency_utilization', 'requests_per_second', 'cpu_utilization', 'memory_utilization'],
  loadBalancingAlgorithm: ['round-robin', 'first-available', 'min-connections', 'random-choice-2'],
};

/** Memory in GB, if it is documented (docs/platform.md#hardware), and an invented price in US cents per second, close to real ones. */
export const acceleratorFacts: Readonly<Record<string, { memoryGb?: number; price: number }>> = {
  TURING_T4: { memoryGb: 16, price: 0.0164 },
  ADA_L4: { memoryGb: 24, price: 0.0222 },
  AMPERE_A10: { memoryGb: 24, price: 0.0306 },
  ADA_L40: { memoryGb: 48, price: 0.0542 },
  INF2: { price: 0.0211 },
  TRN1: { memoryGb: 32, price: 0.0372 },
  AMPERE_A100_40GB: { memoryGb: 40, price: 0.0403 },
  AMPERE_A100_80GB: { memoryGb: 80, price: 0.0572 },
  BLACKWELL_RTX6000: { memoryGb: 96, price: 0.0842 },
  HOPPER_H100: { memoryGb: 80, price: 0.0614 },
  HOPPER_H200: { memoryGb: 141, price: 0.0917 },
  BLACKWELL_B200: { memoryGb: 180, price: 0.1736 },
};

const hardware = ['CPU', ...Object.keys(acceleratorFacts)];

/** The settings that are numbers (spec 2.2). */
export const numericSettings = Object.entries(defaults('CPU')).flatMap(([name, value]) =>
  typeof value === 'number' ? [name as keyof ReturnType<typeof defaults>] : [],
);

/** Cores and GB. */
const sizes: readonly string[] = ['cpu', 'memory'];
const counts = numericSettings.filter((name) => !sizes.includes(name));

/** The packages of an app in pip's format: its requirements.txt as it was sent, and those that the platform adds. */
export function requirementsOf(settings: AppSettings, listed: Buffer = Buffer.alloc(0)): Buffer {
  const { runtime, entrypoint, dockerfilePath } = settings;
  // An image has its own.
  if (dockerfilePath) return Buffer.alloc(0);
  const text = String(listed);
  const words = entrypoint.flatMap((part) => part.split(/\s+/));
  const isNamed = /^\s*uvicorn\b/im.test(text);
  // The platform has it for entrypoints that start it (docs/platform.md#builds).
  const needsServer = runtime === 'custom' && words.includes('uvicorn') && !isNamed;
  return needsServer
    ? Buffer.concat([listed, Buffer.from(/(^|\n)$/.test(text) ? 'uvicorn\n' : '\nuvicorn\n')])
    : listed;
}
