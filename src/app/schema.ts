import { accelerators, providers, regions } from './hardware.ts';
import {
  booleanKey,
  commandKey,
  computeKey,
  integerKey,
  type Key,
  maxNameLength,
  namePattern,
  numberKey,
  type SettingKind,
  type SettingKinds,
  stringKey,
  stringsKey,
} from './schema-keys.ts';

export interface Section {
  about: string;
  keys: Record<string, Key>;
  /** For sections whose keys are package names: the kind of their values. */
  entries?: Key<'string'>;
}

/**
 * Every section and key of `cerebrium.toml` below the table `cerebrium`. The reader, the checks, the JSON Schema, the
 * type of a config and the deploy plan derive from this table. Where sources disagree, it has the default that the API
 * applies and the wider range.
 */
export const sections = {
  deployment: {
    about: 'The name of the app, its files and how its image is built.',
    keys: {
      name: stringKey('Name of the app. It is part of URLs: letters, digits, "-", "_" and "." are safe.', {
        required: true,
        pattern: namePattern,
        maxLength: maxNameLength,
      }),
      python_version: stringKey('Version of Python in the image, in quotes.', {
        default: '3.11',
        oneOf: ['3.10', '3.11', '3.12', '3.13'],
      }),
      docker_base_image_url: stringKey('Base image, for linux/amd64.', {
        field: 'baseImage',
        default: 'debian:bookworm-slim',
      }),
      include: stringsKey('Globs of the files to send.', { default: ['*'] }),
      exclude: stringsKey('Globs of the files to skip. An empty list means the default.', { default: ['.*'] }),
      shell_commands: stringsKey('Commands run at the end of the build.', { default: [] }),
      pre_build_commands: stringsKey('Commands run before dependencies are installed.', { default: [] }),
      disable_auth: booleanKey('true makes the app public; false requires a token.', { default: true }),
      use_uv: booleanKey('Install Python packages with uv instead of pip.', { default: false }),
      deployment_initialization_timeout: integerKey('How long the app may take to start.', {
        default: 600,
        range: [60, 830],
        unit: 'seconds',
      }),
    },
  },
  hardware: {
    about: 'The hardware of one replica, and where it runs.',
    keys: {
      cpu: numberKey('CPU cores of one replica; whole cores with a GPU.', {
        default: 2,
        range: [0.25, 352],
        unit: 'cores',
      }),
      memory: numberKey('Memory of one replica.', { default: 4, range: [0.01, 2048], unit: 'GB' }),
      compute: computeKey('CPU or an accelerator; a list is an order of preference within one family.', {
        default: ['CPU'],
        oneOf: Object.keys(accelerators),
      }),
      gpu_count: integerKey('Accelerators of one replica.', { default: { cpu: 0, gpu: 1 }, range: [0] }),
      provider: stringKey('Cloud to run in.', { absent: 'picked by the platform', oneOf: providers }),
      region: stringKey('Region to run in.', { absent: 'picked by the platform', oneOf: regions }),
    },
  },
  scaling: {
    about: 'The number of replicas, and when it changes.',
    keys: {
      min_replicas: integerKey('Minimum number of replicas; 0 scales to zero when idle.', {
        field: 'minReplicaCount',
        default: 0,
        range: [0, 2000],
      }),
      max_replicas: integerKey('Maximum number of replicas.', {
        field: 'maxReplicaCount',
        default: 1,
        range: [1, 2000],
      }),
      cooldown: integerKey('How long a replica without requests keeps running.', {
        field: 'cooldownPeriodSeconds',
        default: 10,
        range: [0, 3600],
        unit: 'seconds',
      }),
      replica_concurrency: integerKey('Concurrent requests per replica.', {
        default: { cpu: 100, gpu: 1 },
        range: [1],
      }),
      response_grace_period: integerKey('Maximum duration of a request, also while its replica stops.', {
        field: 'responseGracePeriodSeconds',
        default: 900,
        range: [16, 43_200],
        unit: 'seconds',
      }),
      scaling_metric: stringKey('Metric that decides the number of replicas.', {
        default: 'concurrency_utilization',
        oneOf: ['concurrency_utilization', 'requests_per_second', 'cpu_utilization', 'memory_utilization'],
      }),
      scaling_target: integerKey('Target value of the metric: percent, or requests per second.', {
        default: 100,
        range: [1],
      }),
      scaling_buffer: integerKey('Extra replicas beyond what the metric requires.', { default: 0, range: [0] }),
      evaluation_interval_seconds: integerKey('Time window of the metric.', {
        default: 30,
        range: [6, 300],
        unit: 'seconds',
      }),
      load_balancing_algorithm: stringKey('How requests are distributed to replicas.', {
        default: 'round-robin',
        oneOf: ['round-robin', 'first-available', 'min-connections', 'random-choice-2'],
      }),
      compute_tier: stringKey('Protected replicas are not interrupted, and cost twice as much.', {
        default: 'interruptible',
        oneOf: ['interruptible', 'protected'],
        strict: true,
      }),
      roll_out_duration_seconds: integerKey('Duration of a rollout.', {
        default: 0,
        range: [0, 21_600],
        unit: 'seconds',
      }),
    },
  },
  runtime: {
    about: 'How the app is started. Without custom, deepgram or rime, the default runtime cortex serves main.py.',
    keys: {
      container_runtime: stringKey('v1 is runc, v2 is gVisor.', {
        absent: 'picked by the platform',
        oneOf: ['v1', 'v2'],
        strict: true,
      }),
    },
  },
  'runtime.custom': {
    about: 'Your own server instead of the default runtime.',
    keys: {
      entrypoint: commandKey('Command that starts the server, as a list of words or as one string.', {
        absent: 'CMD of the image',
      }),
      port: integerKey('Port the server listens on.', { default: 8000, range: [1, 65_535] }),
      healthcheck_endpoint: stringKey('Path of the liveness check; without one, a TCP connection is checked.', {
        default: '',
      }),
      readycheck_endpoint: stringKey('Path of the readiness check; without one, a TCP connection is checked.', {
        default: '',
      }),
      dockerfile_path: stringKey('Dockerfile the image is built from, instead of dependencies and build commands.', {
        absent: 'no Dockerfile',
      }),
    },
  },
  'runtime.deepgram': partner('Deepgram, run by the platform: there is no code to send.'),
  'runtime.rime': partner('Rime, run by the platform: there is no code to send.'),
  'dependencies.pip': packages('Python packages, installed by pip.'),
  'dependencies.conda': packages('Conda packages.'),
  'dependencies.apt': packages('System packages, installed by apt.'),
  'dependencies.paths': {
    about: 'Files that list packages, instead of the sections.',
    keys: {
      pip: stringKey('A requirements file, such as requirements.txt.', { field: null, default: '' }),
      conda: stringKey('A file that lists conda packages.', { field: null, default: '' }),
      apt: stringKey('A file that lists apt packages.', { field: null, default: '' }),
    },
  },
  experimental: {
    about: 'Experimental settings, which may change.',
    keys: {
      checkpointing: booleanKey('Start replicas from a snapshot of memory (AWS only).', {
        field: null,
        default: false,
      }),
    },
  },
} satisfies Record<string, Section>;

export type SectionName = keyof typeof sections;

/** The parsed values of a section. Absent keys are absent. */
export type Values<S extends SectionName> = (typeof sections)[S] extends { entries: Key }
  ? Record<string, string>
  : { [K in keyof (typeof sections)[S]['keys']]?: ParsedValue<(typeof sections)[S]['keys'][K]> };

type ParsedValue<K> = K extends Key<infer T extends SettingKind> ? SettingKinds[T] : never;

export const sectionNames = Object.keys(sections) as SectionName[];

/** The runtimes of partners, in the platform's order of preference. */
export const partners = ['deepgram', 'rime'] as const;

export function sectionNamed(name: string): Section | undefined {
  return new Map<string, Section>(Object.entries(sections)).get(name);
}

function partner(about: string) {
  const absent = 'chosen by the partner';
  return {
    about,
    keys: {
      port: integerKey('Port the service listens on.', { absent, range: [1, 65_535] }),
      model_name: stringKey('Model to serve.', { absent }),
      language: stringKey('Language to serve.', { absent }),
      image_version: stringKey('Version of the image, such as "260728".', { absent }),
    },
  };
}

function packages(about: string) {
  const version = 'Version: "==1.2", ">=1.0,<2", "1.2" for exactly that, or "latest".';
  return { about, keys: {}, entries: stringKey(version) };
}
