/** The documented hardware (docs/platform.md#hardware). The platform may offer more: other values cause warnings only. */
export interface Accelerator {
  family: 'CPU' | 'NVIDIA' | 'AWS';
  /** The largest documented count for one replica: of sources that differ, the newest. */
  gpus: number;
  perGpu: { cpu: number; memory: number };
  /** What one replica has, where it is more. */
  perReplica?: { cpu: number; memory: number };
  gpu?: GpuFacts;
}

export const accelerators: Record<string, Accelerator> = {
  CPU: { family: 'CPU', gpus: 0, perGpu: { cpu: 80, memory: 160 } },
  TURING_T4: nvidia(4, { cpu: 11, memory: 44 }, [16, '10.0', '7.5']),
  ADA_L4: nvidia(4, { cpu: 11, memory: 44 }, [24, '11.8', '8.9']),
  AMPERE_A10: nvidia(4, { cpu: 11, memory: 44 }, [24, '11.1', '8.6']),
  ADA_L40: nvidia(4, { cpu: 11, memory: 92 }, [48, '11.8', '8.9']),
  AMPERE_A100_40GB: nvidia(8, { cpu: 22, memory: 284 }, [40, '11.0', '8.0']),
  AMPERE_A100_80GB: nvidia(8, { cpu: 22, memory: 284 }, [80, '11.0', '8.0']),
  BLACKWELL_RTX6000: nvidia(8, { cpu: 24, memory: 218 }, [96, '12.8', '12.0']),
  HOPPER_H100: nvidia(8, { cpu: 24, memory: 256 }, [80, '11.8', '9.0']),
  HOPPER_H200: nvidia(8, { cpu: 24, memory: 256 }, [141, '11.8', '9.0']),
  BLACKWELL_B200: nvidia(8, { cpu: 44, memory: 496 }, [180, '12.8', '10.0']),
  INF2: { family: 'AWS', gpus: 12, perGpu: { cpu: 8, memory: 32 }, perReplica: { cpu: 192, memory: 796 } },
  TRN1: { family: 'AWS', gpus: 16, perGpu: { cpu: 8, memory: 32 }, perReplica: { cpu: 128, memory: 512 } },
};

export const cpuOnlyCores = [0.25, 0.5, 1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 80];

export const providers = ['aws', 'crusoe', 'nebius'];

/** Whether an app with this `compute` has no accelerator. Absent means CPU. */
export function isCpuOnly(compute: readonly string[] | undefined): boolean {
  return compute === undefined || compute.every((name) => name === 'CPU');
}

function nvidia(gpus: number, perGpu: Accelerator['perGpu'], gpu: [number, string, string]): Accelerator {
  const [memory, oldestCuda, capability] = gpu;
  return { family: 'NVIDIA', gpus, perGpu, gpu: { memory, oldestCuda, capability } };
}

/** The accelerators of each region (docs/platform.md#hardware). Of the regions on request, nothing is known. */
const acceleratorsIn: Readonly<Record<string, readonly string[]>> = {
  'us-east-1': Object.keys(accelerators).filter((name) => name !== 'BLACKWELL_RTX6000'),
  'us-central1': ['CPU', 'BLACKWELL_RTX6000', 'BLACKWELL_B200', 'HOPPER_H200'],
  'eu-north-1': ['CPU', 'HOPPER_H100', 'ADA_L40', 'ADA_L4', 'AMPERE_A10', 'TURING_T4', 'INF2', 'TRN1'],
  'eu-north1': ['CPU', 'HOPPER_H200', 'HOPPER_H100', 'ADA_L40'],
};

const onRequest =
  'us-west-2 eu-west-1 eu-west-2 eu-central-1 ap-south-1 ap-northeast-1 sa-east-1 ca-central-1 me-central-1';

export const regions = [...Object.keys(acceleratorsIn), 'global', ...onRequest.split(' ')];

/** What of a list a region lacks, and where it is; undefined if nothing is known of the region. */
export function missingIn(
  region: string,
  compute: readonly string[],
): { lacks: string[]; has: readonly string[]; others: string[] } | undefined {
  const has = acceleratorsIn[region];
  const lacks = compute.filter((name) => Object.hasOwn(accelerators, name) && !has?.includes(name));
  if (!has || lacks.length === 0) return undefined;
  const [first = ''] = lacks;
  return { lacks, has, others: Object.keys(acceleratorsIn).filter((each) => acceleratorsIn[each]?.includes(first)) };
}

/**
 * What is known of a GPU. Memory is that of the platform's hardware table
 * (docs/platform.md#hardware); the oldest CUDA is the first whose release notes list the architecture:
 * https://docs.nvidia.com/cuda/archive/ (10.0, 11.0, 11.1, 11.8 and 12.8). Capabilities are those of https://developer.nvidia.com/cuda-gpus. Read on 2026-11-22.
 */
interface GpuFacts {
  /** In GB, of one GPU. */
  memory: number;
  /** Older ones have no compiler for it, and their libraries no code. */
  oldestCuda: string;
  /** The compute capability. Code for an older one with the same first number runs, too. */
  capability: string;
}

export const gpusIn = (compute: readonly string[] = []) =>
  compute.flatMap((name) => (accelerators[name]?.gpu ? [{ name, ...accelerators[name].gpu }] : []));

/**
 * The newest capability that the wheels of torch have code for, by the first CUDA whose builds have it: TORCH_CUDA_ARCH_LIST
 * in manywheel/build_cuda.sh of pytorch/builder, later .ci/manywheel/build_cuda.sh of pytorch/pytorch. Read on 2026-11-23.
 */
const torchKernels: readonly (readonly [cuda: number, capability: number])[] = [
  [12.8, 12],
  [11.8, 9],
  [11.0, 8.6],
  [0, 7],
];

/** Whether the wheels of torch that are built with this CUDA have code for the GPU. */
export function hasTorchKernels(gpu: GpuFacts, cuda: string): boolean {
  const newest = torchKernels.find(([oldest]) => Number(cuda) >= oldest)?.[1] ?? 0;
  return Math.floor(newest) >= Math.floor(Number(gpu.capability));
}
