import { readdirSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { readImage } from '../docker-image.ts';
import { accelerators, gpusIn, hasTorchKernels } from '../hardware.ts';
import { isLaterVersion } from '../later-version.ts';
import { pipLines, readPipLine } from '../pip-line.ts';
import { readTextIfPresent } from '../read-text.ts';
import { readRequirementsText } from '../requirements.ts';
import { toToml } from '../toml/format.ts';
import { type ConfigIssue, warningAt } from '../toml/issue.ts';
import { oldestTorchWith, torchBuild } from '../wheels.ts';
import { type Rule, type RuleInput, selectRuntime } from './rule.ts';

/** Warns about what is known to fail later: in the build, on the GPU or under load. */
export const knownLimitsRule: Rule = function* (app) {
  const runtime = selectRuntime(app.sections);
  if (runtime !== 'cortex' && runtime !== 'custom') return;
  if (app.sections['runtime.custom']?.dockerfile_path === undefined) {
    yield* torchOlderThanGpu(app);
  }
  yield* imageOlderThanGpu(app);
  yield* modelLargerThanGpu(app);
  yield* bufferWithoutRoom(app);
  yield* serverBelowConcurrency(app);
};

/** The dearest mistake: the build succeeds, and the first kernel fails on a rented GPU. */
function* torchOlderThanGpu(app: RuleInput): Generator<ConfigIssue> {
  const gpus = gpusIn(app.sections.hardware?.compute);
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

interface WantedPackage {
  name: string;
  /** As it is written. */
  requirement: string;
  /** Where another file pins it. */
  line: string;
  at: string[];
}

/** Of the section, or of the file that the config file names. */
function wantedPackages({ root, sections: draft }: RuleInput): WantedPackage[] {
  const path = draft['dependencies.paths']?.pip;
  const text = path === undefined ? '' : (readRequirementsText(resolve(root, path))?.text ?? '');
  const listed = pipLines(text).flatMap(({ text: written, line }) => {
    const read = readPipLine(written);
    const at = ['cerebrium', 'dependencies', 'paths', 'pip'];
    return read.kind === 'package'
      ? [{ name: read.name, requirement: read.wanted, at, line: `${path}:${line} pins it; ` }]
      : [];
  });
  const own = Object.entries(draft['dependencies.pip'] ?? {}).map(([name, requirement]) => ({
    name: name.replace(/\[.*$/, ''),
    requirement,
    at: ['cerebrium', 'dependencies', 'pip', name],
    line: '',
  }));
  return [...own, ...listed];
}

function* imageOlderThanGpu(app: RuleInput): Generator<ConfigIssue> {
  const { image, at } = baseImage(app);
  const [, cuda] = /(?:^|\/)nvidia\/cuda:(\d+\.\d+)|-cuda(\d+\.\d+)-/.exec(image)?.filter(Boolean) ?? [];
  if (cuda === undefined) return;
  const newer = gpusIn(app.sections.hardware?.compute).find(({ oldestCuda }) => isLaterVersion(oldestCuda, cuda));
  if (!newer) return;
  const { name, oldestCuda: oldest } = newer;
  yield warningAt(at, `the image ${image} has CUDA ${cuda}, which has no code for ${name}`, {
    why: `the first CUDA for it is ${oldest} (https://docs.nvidia.com/cuda/archive/${oldest}.0)`,
    fix: `use an image with CUDA ${oldest} or later, or another GPU`,
  });
}

/** With a Dockerfile, the other setting is ignored. */
function baseImage({ root, sections: { deployment, ...others } }: RuleInput): { image: string; at: string } {
  const path = others['runtime.custom']?.dockerfile_path;
  if (path === undefined) {
    return { image: deployment?.docker_base_image_url ?? '', at: 'deployment.docker_base_image_url' };
  }
  const text = readTextIfPresent(resolve(root, path)) ?? '';
  return { image: readImage(text, []).stages.at(-1)?.base ?? '', at: 'runtime.custom.dockerfile_path' };
}

/** The weights alone need as much memory as their files have. */
function* modelLargerThanGpu({ root, sections: { hardware } }: RuleInput): Generator<ConfigIssue> {
  const [gpu] = gpusIn(hardware?.compute?.slice(0, 1));
  if (!gpu) return;
  const count = Math.max(1, hardware?.gpu_count ?? 1);
  const memory = gpu.memory * count;
  for (const path of namedFolders(root)) {
    const gigabytes = weightBytes(join(root, path)) / 1e9;
    if (gigabytes <= memory) continue;
    yield warningAt('hardware.compute', `the model in ${path} is larger than the memory of ${count} ${gpu.name}`, {
      why: `its files are ${Math.round(gigabytes)} GB, and the memory is ${memory} GB`,
      fix: `compute = ${toToml(largerThan(gigabytes / count) ?? gpu.name)}, a larger gpu_count, or a quantized model`,
    });
  }
}

function largerThan(gigabytes: number): string | undefined {
  const larger = gpusIn(Object.keys(accelerators)).filter(({ memory }) => memory > gigabytes);
  return larger.sort((one, other) => one.memory - other.memory)[0]?.name;
}

/** Folders of the app folder that main.py names in a string, as `from_pretrained("models/llama")` does. */
function namedFolders(root: string): string[] {
  const source = readTextIfPresent(join(root, 'main.py')) ?? '';
  const named = [...source.matchAll(/["'](?:\.\/)?((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)\/?["']/g)].map(
    ([, path = '']) => path,
  );
  return [...new Set(named)].slice(0, 200).filter((path) => isFolder(join(root, path)));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const weightFiles = new Set(['.safetensors', '.gguf', '.bin', '.pt', '.pth', '.ckpt', '.h5', '.onnx']);

/** A model may lie there in several formats: only one of them is loaded. */
function weightBytes(folder: string): number {
  const bytes = new Map<string, number>();
  for (const name of readdirSync(folder)) {
    const kind = extname(name);
    if (!weightFiles.has(kind)) continue;
    bytes.set(kind, (bytes.get(kind) ?? 0) + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0));
  }
  return bytes.size === 0 ? 0 : [...bytes.values()].reduce((least, each) => Math.min(least, each));
}

function* bufferWithoutRoom({ sections: { scaling = {} } }: RuleInput): Generator<ConfigIssue> {
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

/** uvicorn answers 503 to what exceeds its own limit. */
function* serverBelowConcurrency(app: RuleInput): Generator<ConfigIssue> {
  const command = (app.sections['runtime.custom']?.entrypoint ?? []).join(' ');
  const limit = Number(/--limit-concurrency[= ](\d{1,6})\b/.exec(command)?.[1] ?? Number.NaN);
  const concurrency = app.sections.scaling?.replica_concurrency;
  if (concurrency === undefined || Number.isNaN(limit) || concurrency <= limit) return;
  yield warningAt('scaling.replica_concurrency', `replica_concurrency ${concurrency} exceeds what the server accepts`, {
    why: `the entrypoint has --limit-concurrency ${limit}, and the server answers 503 to more`,
    fix: `replica_concurrency = ${limit}`,
  });
}
