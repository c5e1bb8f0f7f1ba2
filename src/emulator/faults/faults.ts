import { type EndpointName, endpoints } from '../../contract/index.ts';
import type { StorageTarget } from '../storage/target.ts';

/**
 * Faults by what they can be asked of, with a line of help for each. Where help does not say otherwise the request is
 * carried out, side effects and all: it is the answer that suffers.
 */
export const faults = {
  /** An endpoint, or what object storage is asked for. */
  reply: {
    'reset-before': 'the connection is reset before the request is read: nothing is done',
    'reset-during': 'the connection is reset in the middle of an answer; of an upload or a part, before it is done',
    'reset-after': 'the request is carried out, and the connection is reset instead of an answer',
    stall: 'nothing is read, nothing is done, no answer ever comes',
    truncated: 'the answer ends before the length it announced',
    malformed: 'the answer is broken JSON',
    empty: 'the answer is empty',
    html: 'a 502 with a web page, as proxies send it: nothing is done',
  },
  /** `upload`, `part` or `object`. */
  storage: {
    expired: 'a 403 that says the link has expired: nothing is done',
    'slow-down': 'a 503 SlowDown, as object storage asks for fewer requests: nothing is done',
    slow: 'the content moves at one MiB a second',
    'stall-during': 'the content stops moving in the middle, for ever',
  },
  /** `upload` or `part`: what is sent. */
  sent: {
    'wrong-etag': 'the ETag is of some other content',
    'no-etag': 'there is no ETag',
  },
  object: {
    changed: 'the file is replaced while it is read: the connection is reset in the middle, then there is another file',
    corrupt: 'the first byte is another one',
    'no-range': 'all of the file comes, whatever range was asked for',
  },
  /** A page of what an app printed. */
  logs: {
    overlapping: 'the next page begins with the end of this one',
    shuffled: 'the lines come in reverse',
  },
  webhook: {
    lost: 'the attempt reaches nobody',
    twice: 'it arrives twice',
    forged: 'the signature is made with some other secret',
  },
  'log-socket': {
    refused: 'a 503 instead of a socket',
    'cut-after-two': 'the line breaks after every second line',
    repeating: 'every line comes twice',
    silent: 'no line ever comes',
  },
  build: {
    fail: 'the same as build_failure',
    build_failure: 'a dependency cannot be installed',
    init_failure: 'the app is built, but crashes when it starts',
    init_timeout: 'the app is built, but never gets ready',
    slow: 'the build goes on until it is cancelled',
    'unknown-status': 'the first look at the build finds a status nobody knows',
    'hostile-log': 'the log tries to control the terminal and the CI system that show it',
  },
} as const;

/** Answers with a status (and `Retry-After`): they have no name, but a form. */
export const statusFaults = {
  '503': 'that status, with a message: nothing is done; any from 300 to 599',
  '429:2': 'with Retry-After: in 2 seconds',
  '429:date+2': 'with Retry-After: the date 2 seconds from now',
};

export type ReplyFault =
  | keyof typeof faults.reply
  | keyof typeof faults.storage
  | keyof typeof faults.sent
  | keyof typeof faults.object
  | keyof typeof faults.logs;
export type BuildFault = keyof typeof faults.build;
export type WebhookFault = keyof typeof faults.webhook;
export type SocketFault = keyof (typeof faults)['log-socket'];
/** What is no request that is answered has faults of its own. */
interface OwnFaults {
  build: BuildFault;
  webhook: WebhookFault;
  'log-socket': SocketFault;
}
export type FaultTarget = EndpointName | StorageTarget | keyof OwnFaults;
/** A fault as a test or a command line writes it; with `*` it stays. */
export type FaultText =
  | number
  | `${ReplyFault | OwnFaults[keyof OwnFaults] | number | `${number}:${string}`}${'' | '*'}`;

/** `retryAfter` in seconds, to be told as a number of seconds or as a date. */
export type StatusFault = { status: number; retryAfter?: number; asDate?: boolean };
type Fault = ReplyFault | OwnFaults[keyof OwnFaults] | StatusFault;
type FaultOf<Target extends FaultTarget> = Target extends keyof OwnFaults
  ? OwnFaults[Target]
  : ReplyFault | StatusFault;

/** The faults waiting for each target. A matching call uses one up, in the order they were asked for. */
export class FaultQueue {
  readonly #waiting = new Map<FaultTarget, { fault: Fault; stays: boolean }[]>();

  /** Throws a RangeError that names the valid faults when one is not known, or cannot happen to this target. */
  add(target: FaultTarget, ...texts: (FaultText | string)[]): void {
    const added = texts.map((text) => parseFault(target, String(text)));
    this.#waiting.set(target, [...(this.#waiting.get(target) ?? []), ...added]);
  }

  take<Target extends FaultTarget>(target: Target): FaultOf<Target> | undefined {
    const waiting = this.#waiting.get(target) ?? [];
    const next = waiting[0]?.stays ? waiting[0] : waiting.shift();
    return next?.fault as FaultOf<Target> | undefined;
  }

  clear(): void {
    this.#waiting.clear();
  }
}

/**
 * Reads `TARGET=FAULT[,FAULT…]`, as in `upload=503,reset-during`. Throws a RangeError that names the valid targets or
 * faults.
 */
export function parseFaultOption(text: string): { target: FaultTarget; faults: string[] } {
  const [, name = '', list = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const target = faultTargets.find((known) => known === name);
  if (!target) throw new RangeError(`${quote(text)} is not TARGET=FAULT[,FAULT…]; targets: ${faultTargets.join(', ')}`);
  const asked = list.split(',').map((fault) => fault.trim());
  for (const fault of asked) parseFault(target, fault);
  return { target, faults: asked };
}

const faultTargets: readonly FaultTarget[] = [
  ...(Object.keys(endpoints) as EndpointName[]),
  ...(['upload', 'part', 'object', 'webhook', 'log-socket', 'build'] as const),
];

function parseFault(target: FaultTarget, text: string): { fault: Fault; stays: boolean } {
  const stays = text.endsWith('*');
  const word = stays ? text.slice(0, -1) : text;
  const names = faultNames(target);
  const hasStatus = !(target in ownFaults);
  const fault = names.find((name) => name === word) ?? (hasStatus ? parseStatus(word) : undefined);
  if (fault) return { fault, stays };
  const forms = hasStatus ? Object.keys(statusFaults) : [];
  throw new RangeError(`${quote(text)} cannot be asked of ${target}; it knows ${[...names, ...forms].join(', ')}`);
}

const { build, webhook, 'log-socket': logSocket } = faults;
const ownFaults = { build, webhook, 'log-socket': logSocket };

function faultNames(target: FaultTarget): Exclude<Fault, StatusFault>[] {
  const { reply, storage, sent, object, logs } = faults;
  const special: Partial<Record<FaultTarget, object>> = {
    ...ownFaults,
    upload: { ...reply, ...storage, ...sent },
    part: { ...reply, ...storage, ...sent },
    object: { ...reply, ...storage, ...object },
    getAppLogs: { ...reply, ...logs },
  };
  return Object.keys(special[target] ?? reply) as Exclude<Fault, StatusFault>[];
}

function parseStatus(word: string): StatusFault | undefined {
  const [, status, date, seconds] = /^([345]\d\d)(?::(date\+)?(\d+))?$/.exec(word) ?? [];
  if (!status) return undefined;
  return { status: Number(status), ...(seconds && { retryAfter: Number(seconds), asDate: date !== undefined }) };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
