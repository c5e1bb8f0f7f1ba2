/** How often an app is called and how it responds. Durations in milliseconds. */
export interface TrafficProfile {
  /** Calls in each hour of a working day in UTC. */
  hours: readonly number[];
  /** The factor for Saturday and Sunday. */
  weekend: number;
  calls: Weighted<CallProfile>;
  /** Median of a cold start. */
  coldstart: number;
  /** The share of calls that fail. */
  failing: number;
  /** Statuses of those that fail. */
  failures: Weighted<number>;
  replicas: number;
  concurrency: number;
  cooldown: number;
}

/** How often each of them comes is its weight, in the same place. */
export interface Weighted<Choice> {
  of: readonly Choice[];
  weights: readonly number[];
}

interface CallProfile {
  functionName: string;
  /** The median; `spread` is the sigma of the distribution. */
  runtime: number;
  spread: number;
  webhook?: string;
  async?: boolean;
}

const predict = { functionName: 'predict', runtime: 620, spread: 0.45 };
const generate = { functionName: 'generate', runtime: 3_800, spread: 0.6 };
const embed = { functionName: 'embed', runtime: 95, spread: 0.3 };
const transcribe = { functionName: 'transcribe', runtime: 95_000, spread: 0.8, async: true };
const detect = { functionName: 'detect_language', runtime: 1_400, spread: 0.3 };
const report = { functionName: 'build_report', runtime: 160_000, spread: 0.4, async: true };
const digest = { functionName: 'send_digest', runtime: 2_300, spread: 0.4 };

const hook = 'https://hooks.example.com/transcripts';

export const trafficProfiles = {
  /** Called by people, mostly during the day. */
  web: {
    hours: [4, 3, 2, 2, 2, 3, 6, 14, 28, 42, 48, 50, 44, 46, 52, 50, 44, 36, 28, 22, 18, 14, 9, 6],
    weekend: 0.35,
    calls: { of: [predict, generate, embed], weights: [60, 25, 15] },
    coldstart: 14_000,
    failing: 0.02,
    replicas: 4,
    concurrency: 2,
    cooldown: 180_000,
    failures: { of: [500, 422, 504, 503, 400], weights: [45, 20, 15, 12, 8] },
  },
  /** Runs of minutes, mostly asynchronous, that queue at peak times. */
  transcriber: {
    hours: [1, 1, 0.5, 0.5, 0.5, 1, 2, 4, 7, 9, 9, 8, 6, 8, 10, 9, 7, 5, 4, 3, 3, 2, 2, 1],
    weekend: 0.5,
    calls: { of: [{ ...transcribe, webhook: hook }, transcribe, detect], weights: [60, 22, 18] },
    coldstart: 38_000,
    failing: 0.035,
    replicas: 3,
    concurrency: 2,
    cooldown: 300_000,
    failures: { of: [500, 502, 415], weights: [60, 25, 15] },
  },
  /** Called by a timer at 2:00, and rarely during the day. */
  nightly: {
    hours: [0, 0, 14, 3, 0, 0, 0, 0.4, 0.6, 0.5, 0.4, 0.3, 0.2, 0.4, 0.4, 0.3, 0.2, 0, 0, 0, 0, 0, 0, 0],
    weekend: 0.6,
    calls: { of: [report, digest], weights: [75, 25] },
    coldstart: 6_500,
    failing: 0.03,
    replicas: 1,
    concurrency: 4,
    cooldown: 60_000,
    failures: { of: [500, 507], weights: [80, 20] },
  },
} as const satisfies Record<string, TrafficProfile>;
