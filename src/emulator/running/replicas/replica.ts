import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { onAbort } from '../../../kernel/clock.ts';
import { deferred } from '../../../kernel/once.ts';
import type { ByteStream, ServerReply } from '../../http/reply.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import type { AppOutput } from '../logs/app-logs.ts';
import type { AttachedStorage } from './persistent-storage.ts';

export interface ReplicaOptions extends Pick<AttachedStorage, 'launch' | 'folders'> {
  app: AppRecord;
  build: BuildRecord;
  /** Unique. */
  name: string;
  /** The unpacked archive. */
  folder: string;
  /** The interpreter's path. */
  python: string;
  environment: Record<string, string | undefined>;
  /** Calls once when the app has had this much time, without that in breakpoints. Returns what stops it. */
  limit(ms: number, callback: () => void): () => void;
  print(output: Omit<AppOutput, 'container'>): void;
  /** Warns the user of the emulator, and logs it for the app. */
  warn(text: string): void;
}

export interface ReplicaCall {
  run: string;
  method: string;
  /** Below the app, decoded: `['run']`. */
  path: readonly string[];
  /** Path and query for the app's own server: `/messages?page=2`. */
  address: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer | ByteStream;
  /** The reason of an abort is a `CallAbortedError`. */
  signal: AbortSignal;
}

export type SocketCall = Pick<ReplicaCall, 'run' | 'address' | 'headers' | 'signal'>;

/** What an app's server answers to it. With a `socket`, both sides speak WebSocket from now on. */
export interface SocketReply {
  response: IncomingMessage;
  socket?: Duplex;
  /** Is called if the app breaks the socket off: writes to the log of its run why, if the process has ended. */
  explainBreak?(): Promise<void>;
}

/** A process that handles calls of an app. */
export interface Replica {
  /** Resolves when it can be called. Rejects with a `ReplicaError`. */
  readonly ready: Promise<void>;
  /** The id of its process; undefined before that starts. */
  readonly pid: number | undefined;
  /** Resolves when its process has ended for any reason, with that reason. */
  readonly ended: Promise<string>;
  /** How long the end of its process may be noticed after that of its connections. */
  readonly noticedMs?: number | undefined;
  call(call: ReplicaCall): Promise<ServerReply>;
  /** Opens a WebSocket. Only an app's own server has them. */
  openSocket?(call: SocketCall): Promise<SocketReply>;
  stop(graceMs: number): Promise<void>;
}

/** An app did not start, or its process ended. */
export class ReplicaError extends Error {}

/** Nothing of a call reached a process: it can be sent to another one. */
export class UndeliveredError extends ReplicaError {}

/** An app was not ready within its deployment_initialization_timeout. */
export class StartTimeoutError extends ReplicaError {}

/** Why a call was aborted. `statusCode` is that of its run: 0 if canceled, -1 if the caller disconnected. */
export class CallAbortedError extends Error {
  constructor(
    message: string,
    readonly replyStatus: number,
    readonly statusCode: number,
  ) {
    super(message);
  }
}

/** The outcome of work, unless the signal aborts first: then rejects with its reason. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = deferred<never>();
  return Promise.race([work, aborted.promise]).finally(onAbort(signal, () => aborted.reject(signal.reason)));
}
