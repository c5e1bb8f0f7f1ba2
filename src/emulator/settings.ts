import type { AppCreation } from '../contract/apps.ts';

/** What the platform keeps of a deploy. The registry login is used and forgotten, so it is not among it. */
export type Settings = AppCreation & ReturnType<typeof defaults>;

/** A deploy replaces the record: what it does not name returns to its default (wire §3). */
export function withDefaults({ dockerAuth: _, cerebrium_toml: published, ...given }: AppCreation): Settings {
  // The published client calls the text of the configuration so, and not as the specification does (wire §0).
  const configuration = published === undefined ? {} : { platform_toml: published };
  // It came as JSON, which knows no undefined: what is named has a value.
  return { ...defaults(given.compute?.[0] ?? 'CPU'), ...configuration, ...given } as Settings;
}

function defaults(hardware: string) {
  const cpuOnly = hardware === 'CPU';
  return {
    runtime: 'cortex',
    cliVersion: '',
    pythonVersion: '3.11',
    baseImage: 'debian:bookworm-slim',
    // Public unless the user says otherwise. It is what the platform does.
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
