import type { AppOutput } from '../logs/app-logs.ts';
import type { ByteStream, ServerReply } from '../server/reply.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import type { BufferedBody } from './buffered-body.ts';

/** What a replica needs to be started. */
export interface ReplicaOptions {
  app: AppRecord;
  build: BuildRecord;
  /** Unique, as the platform names it. */
  name: string;
  /** Where the archive is unpacked. */
  folder: string;
  /** For files that are on their way. */
  scratch: string;
  /** The interpreter. */
  python: string;
  environment: Record<string, string | undefined>;
  print(said: Omit<AppOutput, 'container'>): void;
  /** Tells whoever runs the emulator, and the app's log. */
  warn(text: string): void;
}

/** A call on its way to a replica. */
export interface ReplicaCall {
  run: string;
  method: string;
  /** Below the app, decoded: `['run']`. */
  path: readonly string[];
  /** Path and query as the app's own server is to see them: `/messages?page=2`. */
  address: string;
  headers: NodeJS.Dict<string | string[]>;
  /** What came with it: kept, or still on its way. */
  body: BufferedBody | ByteStream;
  /** Aborts when the call is given up; the reason is a `GivenUp`. */
  signal: AbortSignal;
}

/** A process that answers calls of an app. */
export interface Replica {
  /** Fulfilled when it can be called; rejects with a `Breakdown`. */
  readonly ready: Promise<void>;
  /** Fulfilled when its process has ended, whatever the reason. */
  readonly ended: Promise<unknown>;
  call(call: ReplicaCall): Promise<ServerReply>;
  stop(graceMs: number): Promise<void>;
}

/** An app that does not start, or whose process ends: the message says why, in the user's words. */
export class ReplicaError extends Error {}

/** Why a call was given up, and the status its run ends with: 0 cancelled, -1 closed by its caller. */
export class CallAbortedError extends Error {
  constructor(
    message: string,
    /** What the caller is told, if it is still there. */
    readonly replyStatus: number,
    readonly statusCode: number,
  ) {
    super(message);
  }
}
