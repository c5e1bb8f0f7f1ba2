import type { ReplicaPeriod } from '../../model/runs/replica-periods.ts';
import type { RestartingReplica } from './restarting-replica.ts';

/** A replica with what its pool knows of it. */
export interface PooledReplica {
  name: string;
  /** As JSON. */
  environment: string;
  build: string;
  replica: RestartingReplica;
  isEnding: boolean;
  /** How long its process may take to end after SIGTERM. */
  graceMs: number;
  busy: number;
  /** How many of its active calls are WebSockets. */
  sockets: number;
  /** When its last call ended, by the platform's clock. */
  idleSince: number;
  /** Keeps it from being dismissed when its cooldown is over. */
  stopTimer: () => void;
}

export function describeReplica({ name, build, replica, isEnding }: PooledReplica): ReplicaPeriod {
  const { isReady, startedAt, readyAt = startedAt, exitedAt, restarts } = replica;
  const never = Number.POSITIVE_INFINITY;
  return {
    name,
    build,
    state: isReady ? 'RUNNING' : 'PENDING',
    startedAt,
    readyAt: isReady ? readyAt : never,
    endsAt: exitedAt ?? never,
    restarts,
    isTerminating: isEnding,
  };
}
