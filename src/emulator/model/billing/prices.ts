import type { BilledSettings } from '../state/records.ts';

/** The price of a running replica in US cents per second. */
export function costPerSecond(settings: BilledSettings): number {
  const { gpu, cpu, memory } = pricesPerSecond(settings);
  return gpu + cpu + memory;
}

/** In US cents per second. Invented, but close to real prices. */
export function pricesPerSecond({ compute, gpuCount, cpu, memory, computeTier }: BilledSettings) {
  const factor = computeTier === 'protected' ? 2 : 1;
  return {
    gpu: factor * gpuCount * (gpuPrices[compute[0] ?? 'CPU'] ?? 0),
    cpu: factor * cpu * corePrice,
    memory: factor * memory * gigabytePrice,
  };
}

const corePrice = 0.000655;
const gigabytePrice = 0.000222;

const gpuPrices: Record<string, number> = {
  TURING_T4: 0.0164,
  ADA_L4: 0.0222,
  AMPERE_A10: 0.0306,
  ADA_L40: 0.0542,
  INF2: 0.0211,
  TRN1: 0.0372,
  AMPERE_A100_40GB: 0.0403,
  AMPERE_A100_80GB: 0.0572,
  BLACKWELL_RTX6000: 0.0842,
  HOPPER_H100: 0.0614,
  HOPPER_H200: 0.0917,
  BLACKWELL_B200: 0.1736,
};
