/** The lifetime of a replica. Times in milliseconds since 1970. */
export interface ReplicaPeriod {
  name: string;
  /** The id of its build. */
  build: string;
  state: 'PENDING' | 'RUNNING' | 'SUCCEEDED';
  /** The begin of its start, which is billed. */
  startedAt: number;
  /** When it could serve runs; infinite if that is not known yet. */
  readyAt: number;
  /** When it ended, or will end without further runs. */
  endsAt: number;
  /** How often its process was started again; only of replicas whose process runs here. */
  restarts?: number;
  isTerminating?: boolean;
}
