import { accelerators, providers, regions } from './hardware.ts';
import { boolean, command, compute, integer, type Key, type Kind, type Kinds, number, string, strings } from './key.ts';

export interface Section {
  about: string;
  keys: Record<string, Key>;
  /** In a section whose keys are the user's own (package names): what each of them holds. */
  entries?: Key<'string'>;
}

/**
 * Every section and key of `cerebrium.toml` below its root table `cerebrium`. The reader, the value checks, the JSON
 * Schema, the type of a project and the deploy plan are all made from this table. Where sources disagree, a default is
 * the one that the API applies, and a range is the wider one (docs/platform.md#app-configuration).
 */
export const sections = {
  deployment: {
    about: 'What the app is called, which files belong to it and how its image is built.',
    keys: {
      name: string('Name of the app: lower-case letters, digits and hyphens.', { field: 'name', required: true }),
      python_version: string('Version of Python in the image, in quotes.', {
        field: 'pythonVersion',
        default: '3.11',
        oneOf: ['3.10', '3.11', '3.12', '3.13'],
      }),
      docker_base_image_url: string('Image the app is built on, for linux/amd64.', {
        field: 'baseImage',
        default: 'debian:bookworm-slim',
      }),
      include: strings('Globs of the files to send.', { field: 'include', default: ['*'] }),
      exclude: strings('Globs of the files to leave out.', { field: 'exclude', default: ['.*'] }),
      shell_commands: strings('Commands run at the end of the build.', { field: 'shellCommands', default: [] }),
      pre_build_commands: strings('Commands run before dependencies are installed.', {
        field: 'preBuildCommands',
        default: [],
      }),
      disable_auth: boolean('true lets anyone on the internet call the app; false asks for a token.', {
        field: 'disableAuth',
        default: true,
      }),
      use_uv: boolean('Install Python packages with uv instead of pip.', { field: 'useUv', default: false }),
      deployment_initialization_timeout: integer('How long the app may take to start.', {
        field: 'deploymentInitializationTimeout',
        default: 600,
        range: [60, 830],
        unit: 'seconds',
      }),
    },
  },
  hardware: {
    about: 'What one replica of the app runs on, and where.',
    keys: {
      cpu: number('CPU cores of one replica; whole cores with a GPU.', {
        field: 'cpu',
        default: 2,
        range: [0.25, 352],
        unit: 'cores',
      }),
      memory: number('Memory of one replica.', { field: 'memory', default: 4, range: [0, 2048], unit: 'GB' }),
      compute: compute('CPU or an accelerator; a list of one family is an order of preference.', {
        field: 'compute',
        default: ['CPU'],
        oneOf: Object.keys(accelerators),
      }),
      gpu_count: integer('Accelerators of one replica.', {
        field: 'gpuCount',
        default: { cpu: 0, gpu: 1 },
        range: [0],
      }),
      provider: string('Cloud to run in.', { field: 'provider', absent: 'picked by the platform', oneOf: providers }),
      region: string('Region to run in.', { field: 'region', absent: 'picked by the platform', oneOf: regions }),
    },
  },
  scaling: {
    about: 'How many replicas run, and when one is added or removed.',
    keys: {
      min_replicas: integer('Replicas that always run; 0 lets the app sleep.', {
        field: 'minReplicaCount',
        default: 0,
        range: [0, 2000],
      }),
      max_replicas: integer('Most replicas at one time.', { field: 'maxReplicaCount', default: 1, range: [1, 2000] }),
      cooldown: integer('How long a replica stays up without requests.', {
        field: 'cooldownPeriodSeconds',
        default: 10,
        range: [0, 3600],
        unit: 'seconds',
      }),
      replica_concurrency: integer('Requests one replica serves at the same time.', {
        field: 'replicaConcurrency',
        default: { cpu: 100, gpu: 1 },
        range: [1],
      }),
      response_grace_period: integer('How long a request may take, and a stopping replica may finish it.', {
        field: 'responseGracePeriodSeconds',
        default: 900,
        range: [16, 43_200],
        unit: 'seconds',
      }),
      scaling_metric: string('What is measured to decide on the number of replicas.', {
        field: 'scalingMetric',
        default: 'concurrency_utilization',
        oneOf: ['concurrency_utilization', 'requests_per_second', 'cpu_utilization', 'memory_utilization'],
      }),
      scaling_target: integer('Value of the metric to aim at: percent, or requests per second.', {
        field: 'scalingTarget',
        default: 100,
        range: [1],
      }),
      scaling_buffer: integer('Replicas kept ready beyond what the metric asks for.', {
        field: 'scalingBuffer',
        default: 0,
        range: [0],
      }),
      evaluation_interval_seconds: integer('Stretch of time the metric is measured over.', {
        field: 'evaluationIntervalSeconds',
        default: 30,
        range: [6, 300],
        unit: 'seconds',
      }),
      load_balancing_algorithm: string('How requests are spread over replicas.', {
        field: 'loadBalancingAlgorithm',
        default: 'round-robin',
        oneOf: ['round-robin', 'first-available', 'min-connections', 'random-choice-2'],
      }),
      compute_tier: string('protected replicas are not interrupted, and cost twice as much.', {
        field: 'computeTier',
        default: 'interruptible',
        oneOf: ['interruptible', 'protected'],
        strict: true,
      }),
      roll_out_duration_seconds: integer('Time over which a new version takes the place of the old one.', {
        field: 'rollOutDurationSeconds',
        default: 0,
        range: [0, 21_600],
        unit: 'seconds',
      }),
    },
  },
  runtime: {
    about: 'What starts the app. Without custom, deepgram or rime it is the default, cortex, which serves main.py.',
    keys: {
      container_runtime: string('v1 is runc, v2 is gVisor.', {
        field: 'containerRuntime',
        absent: 'picked by the platform',
        oneOf: ['v1', 'v2'],
        strict: true,
      }),
    },
  },
  'runtime.custom': {
    about: 'A server of your own instead of the default runtime.',
    keys: {
      entrypoint: command('Command that starts the server, as a list of words or as one string.', {
        field: 'entrypoint',
        absent: 'CMD of the image',
      }),
      port: integer('Port the server listens on.', { field: 'port', default: 8000, range: [1, 65_535] }),
      healthcheck_endpoint: string('Path that tells whether a replica is alive; without one, a TCP connection does.', {
        field: 'healthcheckEndpoint',
        default: '',
      }),
      readycheck_endpoint: string('Path that tells whether a replica is ready; without one, a TCP connection does.', {
        field: 'readycheckEndpoint',
        default: '',
      }),
      dockerfile_path: string('Dockerfile the image is built from, instead of dependencies and build commands.', {
        field: 'dockerfilePath',
        absent: 'no Dockerfile',
      }),
    },
  },
  'runtime.deepgram': partner('Deepgram, run by the platform: there is no code to send.'),
  'runtime.rime': partner('Rime, run by the platform: there is no code to send.'),
  'dependencies.pip': packages('Python packages, by pip.'),
  'dependencies.conda': packages('Packages of conda.'),
  'dependencies.apt': packages('System packages, by apt.'),
  'dependencies.paths': {
    about: 'Files that list packages, instead of the section of that kind.',
    keys: {
      pip: string('A requirements file, such as requirements.txt.', { default: '' }),
      conda: string('A file that lists conda packages.', { default: '' }),
      apt: string('A file that lists apt packages.', { default: '' }),
    },
  },
  experimental: {
    about: 'What may change or go away.',
    keys: { checkpointing: boolean('Start replicas from a snapshot of memory (AWS only).', { default: false }) },
  },
} satisfies Record<string, Section>;

export type SectionName = keyof typeof sections;

/** What a section holds once read: its keys, each of its kind, as far as the user wrote them. */
export type Values<S extends SectionName> = (typeof sections)[S] extends { entries: Key }
  ? Record<string, string>
  : { [K in keyof (typeof sections)[S]['keys']]?: Held<(typeof sections)[S]['keys'][K]> };

type Held<K> = K extends Key<infer T extends Kind> ? Kinds[T] : never;

export const sectionNames = Object.keys(sections) as SectionName[];

/** The runtimes the platform runs for a partner, in its order of preference. */
export const partners = ['deepgram', 'rime'] as const;

/** The section of that dotted name, if there is one. */
export function sectionNamed(name: string): Section | undefined {
  return Object.hasOwn(sections, name) ? sections[name as SectionName] : undefined;
}

function partner(about: string) {
  const absent = 'chosen by the partner';
  return {
    about,
    keys: {
      port: integer('Port the service listens on.', { field: 'port', absent, range: [1, 65_535] }),
      model_name: string('Model to serve.', { field: 'modelName', absent }),
      language: string('Language to serve.', { field: 'language', absent }),
      image_version: string('Version of the image, such as "260728".', { field: 'imageVersion', absent }),
    },
  };
}

function packages(about: string) {
  const version = 'Version: "==1.2", ">=1.0,<2", "1.2" for exactly that, or "latest".';
  return { about, keys: {}, entries: string(version) };
}
