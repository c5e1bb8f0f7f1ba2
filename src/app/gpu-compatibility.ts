/**
 * What is known of the GPUs of the platform, in one table. Memory is that of the platform's hardware table
 * (docs/platform.md#hardware); the oldest CUDA is the first whose release notes list the architecture:
 * https://docs.nvidia.com/cuda/archive/ (10.0, 11.0, 11.1, 11.8 and 12.8). Capabilities are those of https://developer.nvidia.com/cuda-gpus. Read on 2026-11-22.
 */
export interface GpuFacts {
  /** In GB, of one GPU. */
  memory: number;
  /** Older ones have no compiler for it, and their libraries no code. */
  oldestCuda: string;
  /** The compute capability. Code for an older one with the same first number runs, too. */
  capability: string;
}

export const gpuFacts: Readonly<Record<string, GpuFacts>> = {
  TURING_T4: { memory: 16, oldestCuda: '10.0', capability: '7.5' },
  ADA_L4: { memory: 24, oldestCuda: '11.8', capability: '8.9' },
  AMPERE_A10: { memory: 24, oldestCuda: '11.1', capability: '8.6' },
  ADA_L40: { memory: 48, oldestCuda: '11.8', capability: '8.9' },
  AMPERE_A100_40GB: { memory: 40, oldestCuda: '11.0', capability: '8.0' },
  AMPERE_A100_80GB: { memory: 80, oldestCuda: '11.0', capability: '8.0' },
  BLACKWELL_RTX6000: { memory: 96, oldestCuda: '12.8', capability: '12.0' },
  HOPPER_H100: { memory: 80, oldestCuda: '11.8', capability: '9.0' },
  HOPPER_H200: { memory: 141, oldestCuda: '11.8', capability: '9.0' },
  BLACKWELL_B200: { memory: 180, oldestCuda: '12.8', capability: '10.0' },
};

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
