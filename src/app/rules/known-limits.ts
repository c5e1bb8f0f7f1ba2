import { resolve } from 'node:path';
import { readImage } from '../docker-image.ts';
import { gpusIn, hasTorchKernels } from '../hardware.ts';
import { pipLines, readPipLine } from '../pip-line.ts';
import { readTextIfPresent } from '../read-text.ts';
import { readRequirementsText } from '../requirements.ts';
import { type Issues, warningAt } from '../toml/issue.ts';
import { isOlder, oldestTorchWith, torchBuild } from '../wheels.ts';
import { type ConfigRule, type RuleInput, selectRuntime } from './rule.ts';

/** Warns about what is known to fail later: in the build, on the GPU or under load. */
export const knownLimitsRule: ConfigRule = function* (app) {
  const runtime = selectRuntime(app);
  if (runtime !== 'cortex' && runtime !== 'custom') return;
  if (app.sections['runtime.custom'].dockerfile_path === undefined) {
    yield* torchOlderThanGpu(app);
  }
  yield* imageOlderThanGpu(app);
  yield* bufferWithoutRoom(app);
};

/** The dearest mistake: the build succeeds, and the first kernel fails on a rented GPU. */
function* torchOlderThanGpu(app: RuleInput): Issues {
  const gpus = gpusIn(app.sections.hardware.compute);
  for (const { name, requirement, at, line } of wantedPackages(app)) {
    const built = torchBuild(name, requirement);
    const gpu = built && gpus.find((each) => !hasTorchKernels(each, built.cuda));
    if (!gpu) continue;
    const { cuda, torch, source } = built;
    const oldest = oldestTorchWith(gpu.oldestCuda);
    const needed = name === 'torch' ? `torch ${oldest} or later` : `a later ${name}, for torch ${oldest} or later`;
    yield warningAt(at, `${name} ${requirement.replace(/^[=\s]+/, '')} has no code for ${gpu.name}`, {
      why: `${line}${torch === undefined ? 'it' : `its torch ${torch}`} is built with CUDA ${cuda} (${source}), and code for this GPU comes with CUDA ${gpu.oldestCuda}`,
      fix: `use ${needed}, or another GPU`,
    });
  }
}

/** `line` says where another file pins it. */
function wantedPackages({ root, sections: draft }: RuleInput) {
  const path = draft['dependencies.paths'].pip;
  const text = path === undefined ? '' : (readRequirementsText(resolve(root, path))?.text ?? '');
  const listed = pipLines(text).flatMap(({ text: written, line }) => {
    const read = readPipLine(written);
    const at = ['cerebrium', 'dependencies', 'paths', 'pip'];
    return read.kind === 'package'
      ? [{ name: read.name, requirement: read.wanted, at, line: `${path}:${line} pins it; ` }]
      : [];
  });
  const inConfig = Object.entries(draft['dependencies.pip']).map(([name, requirement]) => ({
    name: name.replace(/\[.*$/, ''),
    requirement,
    at: ['cerebrium', 'dependencies', 'pip', name],
    line: '',
  }));
  return [...inConfig, ...listed];
}

function* imageOlderThanGpu(app: RuleInput): Issues {
  const { image, at } = baseImage(app);
  const [, cuda] = /(?:^|\/)nvidia\/cuda:(\d+\.\d+)|-cuda(\d+\.\d+)-/.exec(image)?.filter(Boolean) ?? [];
  if (cuda === undefined) return;
  const newer = gpusIn(app.sections.hardware.compute).find(({ oldestCuda }) => isOlder(cuda, oldestCuda));
  if (!newer) return;
  const { name, oldestCuda: oldest } = newer;
  yield warningAt(at, `the image ${image} has CUDA ${cuda}, which has no code for ${name}`, {
    why: `the first CUDA for it is ${oldest} (https://docs.nvidia.com/cuda/archive/${oldest}.0)`,
    fix: `use an image with CUDA ${oldest} or later, or another GPU`,
  });
}

/** With a Dockerfile, the other setting is ignored. */
function baseImage({ root, sections: { deployment, ...others } }: RuleInput): { image: string; at: string } {
  const path = others['runtime.custom'].dockerfile_path;
  if (path === undefined) {
    return { image: deployment.docker_base_image_url ?? '', at: 'deployment.docker_base_image_url' };
  }
  const text = readTextIfPresent(resolve(root, path)) ?? '';
  return { image: readImage(text, []).stages.at(-1)?.base ?? '', at: 'runtime.custom.dockerfile_path' };
}

function* bufferWithoutRoom({ sections: { scaling } }: RuleInput): Issues {
  const {
    scaling_buffer: buffer = 0,
    min_replicas: min = 0,
    max_replicas: max = 1,
    scaling_metric: metric = '',
  } = scaling;
  // With a metric of a resource, the buffer itself is rejected.
  if (buffer === 0 || min < max || /^(cpu|memory)_/.test(metric)) return;
  yield warningAt('scaling.scaling_buffer', `scaling_buffer ${buffer} has no effect`, {
    why: `min_replicas and max_replicas are both ${max}, so no replica can be added`,
    fix: `max_replicas = ${max + buffer}`,
  });
}
