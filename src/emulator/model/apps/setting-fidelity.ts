import { defined } from '../../../kernel/json-text.ts';
import type { AppSettings } from './settings.ts';
import { withDefaults } from './settings.ts';

/** What the emulator makes of a setting: what the platform does, a part of it that is made up, or nothing. */
export interface SettingFidelity {
  is: 'emulated' | 'simulated' | 'ignored';
  /** What is different here, or what it depends on. */
  note?: string;
  /** For those that builds report: the setting's name in the API. The log of a build mentions the others itself. */
  field?: keyof AppSettings;
}

const row = (is: SettingFidelity['is']) => (note?: string, field?: keyof AppSettings) => ({
  is,
  ...defined({ note, field }),
});
const [emulated, simulated, ignored] = [row('emulated'), row('simulated'), row('ignored')] as const;

const partnerKey = ignored('images of partners are not here');

/** Every key of cerebrium.toml. The build log and docs/emulated.md are made from this table. */
export const settingFidelity: Readonly<Record<string, SettingFidelity>> = {
  'deployment.name': emulated(),
  'deployment.python_version': emulated(
    'where this machine has it, or with `--install` and uv; otherwise `python3`, and the build log says so',
  ),
  'deployment.docker_base_image_url': simulated('not pulled: apps run on this machine'),
  'deployment.include': emulated(),
  'deployment.exclude': emulated(),
  'deployment.shell_commands': simulated('printed, not run; `false` and `exit 1` fail'),
  'deployment.pre_build_commands': simulated('printed, not run; `false` and `exit 1` fail'),
  'deployment.disable_auth': emulated(),
  'deployment.use_uv': ignored('with `--install`, uv is used where it is on the PATH', 'useUv'),
  'deployment.deployment_initialization_timeout': emulated(),
  'hardware.cpu': simulated('costs count it; a limit only for apps with a Dockerfile'),
  'hardware.memory': emulated('a limit for apps without a GPU'),
  'hardware.compute': simulated('costs count it; there is no GPU', 'compute'),
  'hardware.gpu_count': simulated('costs count it; there is no GPU', 'gpuCount'),
  'hardware.provider': ignored('shown only', 'provider'),
  'hardware.region': simulated('selects the volume', 'region'),
  'scaling.min_replicas': emulated(),
  'scaling.max_replicas': emulated('one replica of a custom server'),
  'scaling.cooldown': emulated('`gantry dev` keeps one replica'),
  'scaling.replica_concurrency': emulated(),
  'scaling.response_grace_period': emulated(),
  'scaling.scaling_metric': ignored('a replica is started when all are busy', 'scalingMetric'),
  'scaling.scaling_target': ignored(undefined, 'scalingTarget'),
  'scaling.scaling_buffer': ignored(undefined, 'scalingBuffer'),
  'scaling.evaluation_interval_seconds': ignored(undefined, 'evaluationIntervalSeconds'),
  'scaling.load_balancing_algorithm': ignored('the first replica with a free place', 'loadBalancingAlgorithm'),
  'scaling.compute_tier': simulated('costs count it; nothing is interrupted', 'computeTier'),
  'scaling.roll_out_duration_seconds': ignored(undefined, 'rollOutDurationSeconds'),
  'runtime.container_runtime': ignored('apps are processes', 'containerRuntime'),
  'runtime.custom.entrypoint': emulated(),
  'runtime.custom.port': emulated('another one if it is in use: a Python server gets it, others read `$PORT`'),
  'runtime.custom.healthcheck_endpoint': emulated('until the app is ready'),
  'runtime.custom.readycheck_endpoint': emulated('until the app is ready'),
  'runtime.custom.dockerfile_path': emulated('where docker or podman is running'),
  'runtime.deepgram.port': partnerKey,
  'runtime.deepgram.model_name': partnerKey,
  'runtime.deepgram.language': partnerKey,
  'runtime.deepgram.image_version': partnerKey,
  'runtime.rime.port': partnerKey,
  'runtime.rime.model_name': partnerKey,
  'runtime.rime.language': partnerKey,
  'runtime.rime.image_version': partnerKey,
  'dependencies.pip': emulated('with `--install`; otherwise apps have the packages of this machine'),
  'dependencies.conda': simulated('printed, not installed'),
  'dependencies.apt': simulated('printed, not installed'),
  'dependencies.paths.pip': emulated('as dependencies.pip'),
  'dependencies.paths.conda': simulated('printed, not installed'),
  'dependencies.paths.apt': simulated('printed, not installed'),
  'experimental.checkpointing': ignored('replicas start from nothing'),
};

/** The settings of an app that the emulator does not do as the platform does, each with what is different. */
export function settingDifferences(settings: AppSettings): string[] {
  const usual = withDefaults({ name: settings.name, compute: settings.compute });
  return Object.entries(settingFidelity).flatMap(([key, { is, note, field }]) => {
    if (!field) return [];
    const isUsual = field === 'compute' ? settings.compute[0] === 'CPU' : settings[field] === usual[field];
    if (isUsual) return [];
    const value = [settings[field]].flat().join(', ');
    return [`${key.split('.').at(-1)} ${value} is ${is}${note ? `: ${note.replaceAll('`', '')}` : ''}`];
  });
}
