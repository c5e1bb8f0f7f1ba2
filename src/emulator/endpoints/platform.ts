import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GenericSchema } from 'valibot';
import type { Sequence } from '../../kernel/once.ts';
import type { CallParameters, Endpoint, WireReply } from '../../platform/contract/endpoint.ts';
import type { EndpointName, endpoints } from '../../platform/contract/index.ts';
import type { OwnerCheck } from '../http/owner-check.ts';
import type { ByteStream, ServerReply } from '../http/reply.ts';
import type { FaultQueue } from '../model/faults.ts';
import type { Lateness, PlatformClock } from '../model/platform-clock.ts';
import type { RecordedRequest } from '../model/recorded-request.ts';
import type { Running } from '../running/app-runner.ts';
import type { VolumeStore } from '../running/volumes/volume-store.ts';
import type { OnCall } from './call-observer.ts';

/** What the one who starts an emulator may choose for requests. */
export interface PlatformChoices {
  /** Milliseconds that each stage of a build takes. With 0, the default, a build ends with its upload. */
  readonly pace: number;
  /** Seconds that a signed URL is valid. Default: 600, as on the platform. */
  readonly linkSeconds: number;
  /** Milliseconds between two attempts to deliver a webhook. Default: 1000; the platform waits up to 5000. */
  readonly webhookPauseMs: number;
  /** Hides what looks like a secret in text that a page shows. */
  readonly hideSecrets: (text: string) => string;
  /** How many builds of each app are kept, besides the one that serves. Default: all. */
  readonly maxBuilds: number;
  readonly onCall?: OnCall | undefined;
}

export interface Platform extends Running, PlatformChoices {
  /** The requests so far, oldest first, for tests. */
  readonly calls: RecordedRequest[];
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** The folder of its state, of uploads and of what runs. */
  readonly folder: string;
  readonly clock: PlatformClock;
  /** Saves and replaces the whole state, while requests wait. */
  readonly changes: Sequence;
  /** The folder of uploads. */
  readonly storage: string;
  readonly volumes: VolumeStore;
  readonly faults: FaultQueue;
  /** The last deliveries to the address that captures them, oldest first. */
  readonly captured: { url: string; headers: Record<string, string>; body: string }[];
  /** When replies show a log line, and what was created. */
  readonly late: Lateness;
  /** Lets the owner call apps without a token, and nobody else. Without it, apps are called as on the platform. */
  readonly isOwner?: OwnerCheck | undefined;
  /** Asks the process that runs the emulator to end it. */
  readonly requestStop: () => void;
}

/** Takes the parameters that a caller passes to the client, and returns what is sent. Anonymous endpoints have no caller. */
type Handler<E extends Endpoint> = (
  params: E['query'] extends GenericSchema ? Required<CallParameters<E>> : CallParameters<E>,
  platform: Platform,
  caller: Caller | undefined,
) => WireReply<E> | Promise<WireReply<E>>;

/** A request whose handler reads it and creates its reply itself. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** The request's body: the request itself, or as a fault changes it. */
  readonly body: ByteStream;
  readonly call: RecordedRequest;
}

/** The request for a WebSocket, which its handler accepts or refuses. */
export interface UpgradeRequest extends Omit<RequestContext, 'body'> {
  readonly client: Duplex;
  /** What the client sent after its request. */
  readonly head: Buffer;
}

/** Creates the whole reply, where the contract does not define it. */
export type RawHandler = (context: RequestContext, platform: Platform) => Promise<ServerReply>;

export type Handlers = {
  [Name in EndpointName]: (typeof endpoints)[Name]['reply'] extends 'anything'
    ? RawHandler
    : Handler<(typeof endpoints)[Name]>;
};

export interface Caller {
  /** The owner's token is the one that the emulator prints at its start. */
  kind: 'owner' | 'user' | 'service account' | 'inference key';
  name: string;
  /** The projects that it has access to; undefined for all. */
  projects: readonly string[] | undefined;
}
