/**
 * What is known of the GPUs of the platform, in one table. Memory is that of the platform's hardware table
 * (docs/platform.md#hardware); the oldest CUDA is the first whose release notes list the architecture:
 * https://docs.nvidia.com/cuda/archive/ (10.0, 11.0, 11.1, 11.8 and 12.8). Read on 2026-11-22.
 */
export interface GpuFacts {
  /** In GB, of one GPU. */
  memory: number;
  /** Older ones have no compiler for it, and their libraries no code. */
  oldestCuda: string;
}

export const gpuFacts: Readonly<Record<string, GpuFacts>> = {
  TURING_T4: { memory: 16, oldestCuda: '10.0' },
  ADA_L4: { memory: 24, oldestCuda: '11.8' },
  AMPERE_A10: { memory: 24, oldestCuda: '11.1' },
  ADA_L40: { memory: 48, oldestCuda: '11.8' },
  AMPERE_A100_40GB: { memory: 40, oldestCuda: '11.0' },
  AMPERE_A100_80GB: { memory: 80, oldestCuda: '11.0' },
  BLACKWELL_RTX6000: { memory: 96, oldestCuda: '12.8' },
  HOPPER_H100: { memory: 80, oldestCuda: '11.8' },
  HOPPER_H200: { memory: 141, oldestCuda: '11.8' },
  BLACKWELL_B200: { memory: 180, oldestCuda: '12.8' },
};
