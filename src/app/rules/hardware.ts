import { accelerators, cpuOnlyCores, isCpuOnly, missingIn } from '../hardware.ts';
import { sections } from '../schema.ts';
import { toToml } from '../toml/format.ts';
import { errorAt, type Issues, warningAt } from '../toml/issue.ts';
import { type ConfigRule, isReadable, type RuleInput } from './rule.ts';

const maxChoices = 5;

export const hardwareRule: ConfigRule = function* (app) {
  if (!isReadable(app, 'hardware.compute')) return;
  yield* mixedFamilies(app);
  yield* longList(app);
  yield* gpuCount(app);
  yield* memoryDecimals(app);
  yield* cores(app);
  yield* aboveLimits(app);
  yield* notInRegion(app);
};

const named = new Map(Object.entries(accelerators).map(([name, facts]) => [name, { name, ...facts }]));
const knownIn = (compute: readonly string[] = ['CPU']) => compute.flatMap((name) => named.get(name) ?? []);

function* mixedFamilies({ sections: { hardware } }: RuleInput): Issues {
  const computes = knownIn(hardware.compute);
  const [first] = computes;
  const odd = computes.find(({ family }) => family !== first?.family);
  if (!first || !odd) return;
  const kept = computes.filter(({ family }) => family === first.family).map(({ name }) => name);
  yield errorAt('hardware.compute', `${first.name} and ${odd.name} cannot be mixed`, {
    why: 'all names must be of one family: CPU, NVIDIA (GPUs) or AWS (INF2, TRN1)',
    fix: `compute = ${toToml(kept.length === 1 ? first.name : kept)}`,
  });
}

function* longList({ sections: { hardware } }: RuleInput): Issues {
  const count = hardware.compute?.length ?? 0;
  if (count <= maxChoices) return;
  yield warningAt('hardware.compute', `compute lists ${count} names`, {
    why: `the platform accepts up to ${maxChoices}`,
  });
}

function* gpuCount({ sections: { hardware } }: RuleInput): Issues {
  const { gpu_count: count = 1, compute } = hardware;
  if (isCpuOnly(compute)) return yield* gpusOnCpu(hardware.gpu_count ?? 0, compute);
  const why = `${compute?.[0]} comes with at least 1`;
  if (count === 0) yield warningAt('hardware.gpu_count', 'gpu_count 0 requests no GPU', { why, fix: 'gpu_count = 1' });
}

/** A count of 1 for CPU, left from a template, is harmless: it is not sent. */
function* gpusOnCpu(count: number, compute: readonly string[] | undefined): Issues {
  const onCpu = compute ? 'compute is "CPU"' : 'compute is not set, so the app runs on CPU';
  const fix = compute ? 'gpu_count = 0' : exampleCompute;
  const unset = compute ? {} : { missing: ['hardware.compute'] };
  const at = 'hardware.gpu_count';
  const why = `the platform gives a CPU app no GPU: ${onCpu}`;
  if (count === 1) yield warningAt(at, 'gpu_count is ignored', { why, fix, ...unset });
  if (count > 1) yield errorAt(at, `gpu_count ${count} contradicts compute`, { why: onCpu, fix, ...unset });
}

const exampleCompute = 'compute = "AMPERE_A10"';

function* memoryDecimals({ sections: { hardware } }: RuleInput): Issues {
  const memory = hardware.memory;
  if (memory === undefined || !/\.\d{3,}/.test(String(memory))) return;
  const fix = `memory = ${Math.round(memory * 100) / 100}`;
  yield warningAt('hardware.memory', `memory ${memory} has more than 2 decimals`, {
    why: 'memory is in GB, with at most 2 decimals',
    fix,
  });
}

function* cores({ sections: { hardware } }: RuleInput): Issues {
  const cpu = hardware.cpu;
  if (cpu === undefined || !isInRange('cpu', cpu)) return;
  if (isCpuOnly(hardware.compute)) {
    if (cpuOnlyCores.includes(cpu)) return;
    const next = cpuOnlyCores.find((size) => size > cpu) ?? cpuOnlyCores.at(-1);
    const why = `sizes without a GPU: ${cpuOnlyCores.join(', ')} cores`;
    yield warningAt('hardware.cpu', `cpu ${cpu} is not a documented size`, { why, fix: `cpu = ${next}` });
  } else if (!Number.isInteger(cpu)) {
    const why = 'a GPU requires whole cores';
    yield warningAt('hardware.cpu', `cpu ${cpu} is not a whole number`, { why, fix: `cpu = ${Math.ceil(cpu)}` });
  }
}

/** A replica may get any of the list: what is asked for must fit the strictest of them. */
function* aboveLimits({ sections: { hardware } }: RuleInput): Issues {
  const gpus = gpusOf(hardware);
  const memory = strictest(hardware, 'memory');
  // The rule for cores checks the CPU.
  if (knownIn(hardware.compute).some(({ name }) => name === 'CPU'))
    return yield* tooLarge('memory', hardware.memory, memory.limit, 'an app without a GPU has up to', 'GB');
  const fewest = strictest(hardware, 'gpu_count');
  const cpu = strictest(hardware, 'cpu');
  yield* tooLarge('gpu_count', hardware.gpu_count, fewest.limit, 'a replica has up to', fewest.name);
  yield* tooLarge('cpu', hardware.cpu, cpu.limit, `${gpus} ${cpu.name} comes with up to`, 'cores');
  yield* tooLarge('memory', hardware.memory, memory.limit, `${gpus} ${memory.name} comes with up to`, 'GB');
}

type HardwareSection = RuleInput['sections']['hardware'];

const gpusOf = ({ gpu_count = 1 }: HardwareSection) => Math.max(1, gpu_count);

/** What the least of the accelerators has, and which that is. */
function strictest(hardware: HardwareSection, key: Amount): { name: string; limit: number } {
  const limits = knownIn(hardware.compute).map(({ name, gpus, perGpu, perReplica }) => ({
    name,
    limit: key === 'gpu_count' ? gpus : Math.max(perGpu[key] * gpusOf(hardware), perReplica?.[key] ?? 0),
  }));
  return limits.toSorted((a, b) => a.limit - b.limit)[0] ?? { name: '', limit: Number.POSITIVE_INFINITY };
}

/** What the rules here accept of a key: a GPU comes with whole cores. */
export function acceptedRange(hardware: HardwareSection, key: string): [min: number, max: number] {
  if (!isAmount(key)) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const min = isCpuOnly(hardware.compute) || key === 'memory' ? 0 : 1;
  return [min, strictest(hardware, key).limit];
}

function* notInRegion({ sections: { hardware } }: RuleInput): Issues {
  const { region = '', compute = ['CPU'] } = hardware;
  const missing = missingIn(region, compute);
  if (!missing) return;
  const { lacks, has, others } = missing;
  const isWhole = lacks.length === compute.length;
  const gpus = has.filter((name) => name !== 'CPU');
  // Of the same part of the world, if there is one.
  const other = others.find((name) => name.startsWith(region.slice(0, 3))) ?? others[0];
  yield warningAt('hardware.region', `${region} has no ${lacks.join(', ')}`, {
    why: `it has ${gpus.join(', ')}${isWhole ? '' : '; the app can only run on the others of the list'}`,
    fix: other === undefined ? `compute = ${toToml(gpus[0] ?? 'CPU')}` : `region = ${toToml(other)}`,
  });
}

type Amount = 'cpu' | 'memory' | 'gpu_count';
const isAmount = (key: string): key is Amount => ['cpu', 'memory', 'gpu_count'].includes(key);

function* tooLarge(key: Amount, value: number | undefined, max: number, whose: string, unit: string): Issues {
  if (value === undefined || value <= max || !isInRange(key, value)) return;
  const why = `${whose} ${max} ${unit}`;
  yield warningAt(`hardware.${key}`, `${key} ${value} exceeds the documented limit`, { why, fix: `${key} = ${max}` });
}

/** Values outside of the general range are reported by the rule for values. */
function isInRange(key: Amount, value: number): boolean {
  const [min, max = Number.POSITIVE_INFINITY] = sections.hardware.keys[key].range ?? [0];
  return value >= min && value <= max;
}
