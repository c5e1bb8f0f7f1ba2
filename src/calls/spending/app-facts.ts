import type { App } from '../../platform/contract/apps.ts';

/** What is known of the app's settings. Seconds, and US cents a second for one replica. */
export interface AppFacts {
  price: number | undefined;
  cooldown: number;
  minReplicas: number;
  maxReplicas: number;
  concurrency: number;
}

export function factsOf(app: App): AppFacts {
  const { costPerSecondCents, cooldownPeriodSeconds, minReplicaCount, maxReplicaCount, replicaConcurrency } = app;
  return {
    price: costPerSecondCents || undefined,
    cooldown: cooldownPeriodSeconds ?? 0,
    minReplicas: minReplicaCount ?? 0,
    maxReplicas: maxReplicaCount ?? 1,
    concurrency: replicaConcurrency ?? 1,
  };
}
