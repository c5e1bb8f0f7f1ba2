import type { Endpoint, Parameters, WireAnswer } from '../contract/endpoint.ts';
import type { EndpointName, endpoints } from '../contract/index.ts';
import type { Call } from './calls.ts';
import type { FaultQueue } from './faults.ts';
import type { Store } from './store.ts';
import type { Volumes } from './volume-store.ts';

/** The running platform, as its handlers see it. */
export interface Platform {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** The folder of what was uploaded. */
  readonly storage: string;
  readonly store: Store;
  readonly volumes: Volumes;
  readonly faults: FaultQueue;
  /** The requests so far. */
  readonly calls: Call[];
  /** Milliseconds since 1970. Nothing else tells the time here, so a test can turn the clock. */
  readonly now: () => number;
  /** Milliseconds a stage of a build takes; 0 makes a build end with its upload. */
  readonly pace: number;
  /** Seconds a signed link is valid. */
  readonly linkSeconds: number;
}

/** A handler takes exactly what the client's caller gives, and returns what travels. */
type Handler<E extends Endpoint> = (given: Parameters<E>, platform: Platform) => WireAnswer<E> | Promise<WireAnswer<E>>;

/** One handler for each endpoint of the contract: the compiler finds the missing one. */
export type Handlers = { [Name in EndpointName]: Handler<(typeof endpoints)[Name]> };
