import { readdirSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { readImage } from '../docker-image.ts';
import { gpuFacts, gpusIn, hasTorchKernels } from '../hardware.ts';
import { isLaterVersion } from '../later-version.ts';
import { readTextIfPresent } from '../read-text.ts';
import { readRequirementsText } from '../requirements.ts';
import { sections } from '../schema.ts';
import { toToml } from '../toml/format.ts';
import { type ConfigIssue, warningAt } from '../toml/issue.ts';
import { type MissingWheels, missingWheels, oldestTorchWith, pinnedVersion, torchBuild } from '../wheels.ts';
import { isReadable, type Rule, type RuleInput, selectRuntime } from './rule.ts';

/** Warns about what is known to fail later: in the build, on the GPU or under load. */
export const knownLimitsRule: Rule = function* (app) {
  const runtime = selectRuntime(app.sections);
  if (runtime !== 'cortex' && runtime !== 'custom') return;
  if (app.sections['runtime.custom']?.dockerfile_path === undefined) {
    yield* packagesWithoutWheels(app);
    yield* torchOlderThanGpu(app);
  }
  yield* imageOlderThanGpu(app);
  yield* modelLargerThanGpu(app);
  yield* bufferWithoutRoom(app);
  yield* serverBelowConcurrency(app);
};

function* packagesWithoutWheels(app: RuleInput): Generator<ConfigIssue> {
  if (!isReadable(app, 'deployment.python_version')) return;
  const isSet = app.sections.deployment?.python_version !== undefined;
  const python = app.sections.deployment?.python_version ?? String(sections.deployment.keys.python_version.default);
  for (const { name, version, at, line } of pinnedPackages(app)) {
    const missing = missingWheels(name, version, python);
    if (!missing) continue;
    const other = missing.pythons.at(-1);
    const details = { why: line + whyMissing(missing, python) };
    const message = `${name} ${version} has no wheels for Python ${python}`;
    if (isSet && other !== undefined) {
      yield warningAt('deployment.python_version', message, { ...details, fix: `python_version = "${other}"` });
    } else {
      yield warningAt(at, message, { ...details, fix: fixOf(name, missing) });
    }
  }
}

function whyMissing({ pythons, versions, source }: MissingWheels, python: string): string {
  const has = pythons.length > 0 ? `it has them for Python ${pythons.join(', ')}` : 'it has them for no Python offered';
  const others = versions ? `${versions.join(' to ')} have them for ${python}` : 'no other version has them';
  return `${has}; ${others} (${source})`;
}

function fixOf(name: string, { versions }: MissingWheels): string {
  if (versions) return `use ${name} ${versions.join(' to ')}`;
  return `name the URL of a wheel of ${name}: without one, the build compiles it, and fails if a compiler is missing`;
}

/** The dearest mistake: the build succeeds, and the first kernel fails on a rented GPU. */
function* torchOlderThanGpu(app: RuleInput): Generator<ConfigIssue> {
  const gpus = gpusIn(app.sections.hardware?.compute);
  for (const { name, requirement, at, line } of pinnedPackages(app)) {
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

interface PinnedPackage {
  name: string;
  version: string;
  /** As it is written. */
  requirement: string;
  /** Where another file pins it. */
  line: string;
  at: string[];
}

/** Of the section, or of the file that the config file names. */
function pinnedPackages({ root, sections: draft }: RuleInput): PinnedPackage[] {
  const path = draft['dependencies.paths']?.pip;
  const text = path === undefined ? '' : (readRequirementsText(resolve(root, path))?.text ?? '');
  const listed = text.split(/\r?\n/).flatMap((line, index) => {
    const [, name = '', version] = /^\s*([\w.-]+)(?:\[[^\]]{0,80}\])?\s*(==\s*[^\s;#]+)/.exec(line) ?? [];
    const at = ['cerebrium', 'dependencies', 'paths', 'pip'];
    return version === undefined ? [] : [{ name, version, at, line: `${path}:${index + 1} pins it; ` }];
  });
  const own = Object.entries(draft['dependencies.pip'] ?? {}).map(([name, version]) => ({
    name,
    version,
    at: ['cerebrium', 'dependencies', 'pip', name],
    line: '',
  }));
  return [...own, ...listed].flatMap(({ name: written, version, at, line }) => {
    const pinned = pinnedVersion(version);
    const name = written.replace(/\[.*$/, '').replaceAll('_', '-').toLowerCase();
    return pinned === undefined ? [] : [{ name, version: pinned, requirement: version, at, line }];
  });
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
  const larger = gpusIn(Object.keys(gpuFacts)).filter(({ memory }) => memory > gigabytes);
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
