import type { IncomingMessage } from 'node:http';
import type { CallParameters, Endpoint, WireReply } from '../contract/endpoint.ts';
import type { EndpointName, endpoints } from '../contract/index.ts';
import type { ArchiveLimits } from './builds/archive.ts';
import type { FaultQueue } from './faults/faults.ts';
import type { AppRunner } from './running/app-runner.ts';
import type { RecordedRequest } from './server/recorded-request.ts';
import type { ByteStream, ServerReply } from './server/reply.ts';
import type { Store } from './state/store.ts';
import type { VolumeStore } from './volumes/volume-store.ts';

/** The running platform, as its handlers see it. */
export interface Platform {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** The folder of what was uploaded. */
  readonly storage: string;
  readonly store: Store;
  readonly volumes: VolumeStore;
  readonly faults: FaultQueue;
  /** The requests so far. */
  readonly calls: RecordedRequest[];
  /** The attempts to deliver a webhook so far, oldest first. */
  readonly deliveries: DeliveryAttempt[];
  /** Milliseconds since 1970. Nothing else tells the time here, so a test can turn the clock. */
  readonly now: () => number;
  /** Milliseconds a stage of a build takes; 0 makes a build end with its upload. */
  readonly pace: number;
  /** The apps that run here, and what they print. */
  readonly runner: AppRunner;
  /** Milliseconds between two attempts to deliver to a webhook. */
  readonly webhookPauseMs: number;
  /** What an archive may hold. */
  readonly archiveLimits: ArchiveLimits;
  /** Seconds a signed link is valid. */
  readonly linkSeconds: number;
}

/** A handler takes exactly what the client's caller gives, and returns what travels. */
type Handler<E extends Endpoint> = (
  given: CallParameters<E>,
  platform: Platform,
) => WireReply<E> | Promise<WireReply<E>>;

/** A request that is answered as it likes. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** What it sends: the request itself, or what a fault makes of it. */
  readonly body: ByteStream;
  readonly call: RecordedRequest;
}

/** Where the contract leaves the answer open, a handler makes all of it. */
export type RawHandler = (asked: RequestContext, platform: Platform) => Promise<ServerReply>;

/** One handler for each endpoint of the contract: the compiler finds the missing one. */
export type Handlers = {
  [Name in EndpointName]: (typeof endpoints)[Name]['reply'] extends 'anything'
    ? RawHandler
    : Handler<(typeof endpoints)[Name]>;
};

/** An attempt to deliver to a webhook. */
export interface DeliveryAttempt {
  run: string;
  url: string;
  /** Counts from 1. */
  attempt: number;
  /** What the receiver answered. */
  status?: number;
  /** Or why there was no answer. */
  error?: string;
}
