/** What a replica used at a time, by the platform's clock. */
export interface UsageSample {
  at: number;
  container: string;
  /** CPU cores, on average since the sample before. */
  cores: number;
  memoryGb: number;
  /** Null if it was not measured. */
  gpuGb: number | null;
}
