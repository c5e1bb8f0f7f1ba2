import { accelerators, cpuOnlyCores, isCpuOnly, missingIn } from '../hardware.ts';
import { sections } from '../schema.ts';
import { toToml } from '../toml/format.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import { isReadable, type Rule, type RuleInput } from './rule.ts';

const maxChoices = 5;

export const hardwareRule: Rule = function* (app) {
  yield* removedProvider(app);
  if (!isReadable(app, 'hardware.compute')) return;
  yield* mixedFamilies(app);
  yield* longList(app);
  yield* gpuCount(app);
  yield* memoryDecimals(app);
  yield* cores(app);
  yield* aboveLimits(app);
  yield* notInRegion(app);
};

/** The official client rejects it, too. */
function* removedProvider({ sections: { hardware } }: RuleInput): Generator<ConfigIssue> {
  if (hardware?.provider?.toLowerCase() !== 'coreweave') return;
  yield errorAt('hardware.provider', 'provider coreweave is no longer supported', { fix: 'provider = "aws"' });
}

function* mixedFamilies({ sections: { hardware } }: RuleInput): Generator<ConfigIssue> {
  const known = (hardware?.compute ?? []).filter((name) => Object.hasOwn(accelerators, name));
  const [first, ...others] = known;
  const family = first && accelerators[first]?.family;
  const odd = others.find((name) => accelerators[name]?.family !== family);
  if (first === undefined || odd === undefined) return;
  const kept = known.filter((name) => accelerators[name]?.family === family);
  yield errorAt('hardware.compute', `${first} and ${odd} cannot be mixed`, {
    why: 'all names must be of one family: CPU, NVIDIA (GPUs) or AWS (INF2, TRN1)',
    fix: `compute = ${toToml(kept.length === 1 ? first : kept)}`,
  });
}

function* longList({ sections: { hardware } }: RuleInput): Generator<ConfigIssue> {
  const count = hardware?.compute?.length ?? 0;
  if (count <= maxChoices) return;
  yield warningAt('hardware.compute', `compute lists ${count} names`, {
    why: `the platform accepts up to ${maxChoices}`,
  });
}

/** A count of 1 for CPU, left from a template, is harmless: it is not sent. */
function* gpuCount({ sections: { hardware } }: RuleInput): Generator<ConfigIssue> {
  const count = hardware?.gpu_count;
  if (count === undefined) return;
  const at = 'hardware.gpu_count';
  const compute = hardware?.compute;
  const onCpu = compute ? 'compute is "CPU"' : 'compute is not set, so the app runs on CPU';
  const unset = compute ? {} : { missing: ['hardware.compute'] };
  if (!isCpuOnly(compute)) {
    const why = `${compute?.[0]} comes with at least 1`;
    if (count === 0) yield warningAt(at, 'gpu_count 0 requests no GPU', { why, fix: 'gpu_count = 1' });
  } else if (count === 1) {
    const why = `the platform gives a CPU app no GPU: ${onCpu}`;
    yield warningAt(at, 'gpu_count is ignored', { why, fix: compute ? 'gpu_count = 0' : exampleCompute, ...unset });
  } else if (count > 1) {
    yield errorAt(at, `gpu_count ${count} contradicts compute`, {
      why: onCpu,
      fix: compute ? 'gpu_count = 0' : exampleCompute,
      ...unset,
    });
  }
}

const exampleCompute = 'compute = "AMPERE_A10"';

function* memoryDecimals({ sections: { hardware } }: RuleInput): Generator<ConfigIssue> {
  const memory = hardware?.memory;
  if (memory === undefined || !/\.\d{3,}/.test(String(memory))) return;
  const fix = `memory = ${Math.round(memory * 100) / 100}`;
  yield warningAt('hardware.memory', `memory ${memory} has more than 2 decimals`, {
    why: 'memory is in GB, with at most 2 decimals',
    fix,
  });
}

function* cores({ sections: { hardware } }: RuleInput): Generator<ConfigIssue> {
  const cpu = hardware?.cpu;
  if (cpu === undefined || !isInRange('cpu', cpu)) return;
  if (isCpuOnly(hardware?.compute)) {
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
function* aboveLimits({ sections: { hardware = {} } }: RuleInput): Generator<ConfigIssue> {
  const names = (hardware.compute ?? ['CPU']).filter((name) => Object.hasOwn(accelerators, name));
  if (names.length === 0) return;
  const gpus = Math.max(1, hardware.gpu_count ?? 1);
  const limitOf = (name: string, key: 'cpu' | 'memory') =>
    Math.max((accelerators[name]?.perGpu[key] ?? 0) * gpus, accelerators[name]?.perReplica?.[key] ?? 0);
  const strictest = (limit: (name: string) => number) =>
    names.reduce((one, other) => (limit(other) < limit(one) ? other : one));
  if (names.includes('CPU')) {
    // The rule for cores checks the CPU.
    yield* tooLarge(
      'memory',
      hardware.memory,
      accelerators.CPU?.perGpu.memory ?? 0,
      'an app without a GPU has up to',
      'GB',
    );
    return;
  }
  const fewest = strictest((name) => accelerators[name]?.gpus ?? 0);
  yield* tooLarge('gpu_count', hardware.gpu_count, accelerators[fewest]?.gpus ?? 0, 'a replica has up to', fewest);
  for (const [key, unit] of [['cpu', 'cores'] as const, ['memory', 'GB'] as const]) {
    const name = strictest((each) => limitOf(each, key));
    yield* tooLarge(key, hardware[key], limitOf(name, key), `${gpus} ${name} comes with up to`, unit);
  }
}

function* notInRegion({ sections: { hardware = {} } }: RuleInput): Generator<ConfigIssue> {
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

function* tooLarge(
  key: Amount,
  value: number | undefined,
  max: number,
  whose: string,
  unit: string,
): Generator<ConfigIssue> {
  if (value === undefined || value <= max || !isInRange(key, value)) return;
  const why = `${whose} ${max} ${unit}`;
  yield warningAt(`hardware.${key}`, `${key} ${value} exceeds the documented limit`, { why, fix: `${key} = ${max}` });
}

/** Values outside of the general range are reported by the rule for values. */
function isInRange(key: Amount, value: number): boolean {
  const [min, max = Number.POSITIVE_INFINITY] = sections.hardware.keys[key].range ?? [0];
  return value >= min && value <= max;
}
