import { words } from '../../kernel/words.ts';
import { type EndpointName, endpoints } from '../../platform/contract/index.ts';
import type { StorageTarget } from '../http/read-request.ts';

/**
 * Faults by the targets that may have them, with the help text of each. Unless that says otherwise, the request is handled
 * as usual and only its reply changes.
 */
export const faults = {
  'any endpoint, upload, part, object': {
    '503': 'reply with this status (300 to 599) and a message; the request has no effect',
    '429:2': 'the same with Retry-After: 2 seconds',
    '429:date+2': 'the same with Retry-After: a date 2 seconds from now',
    none: 'reply as usual: the next fault is for a later request',
    'reset-before': 'reset the connection before reading the request, which has no effect',
    'reset-during':
      'reset the connection in the middle of the reply, or of an upload or part, which then has no effect',
    'reset-after': 'handle the request, then reset the connection instead of replying',
    stall: 'never read the request and never reply; the request has no effect',
    truncated: 'end the reply before its content-length',
    malformed: 'reply with invalid JSON',
    empty: 'reply with an empty body',
    null: 'reply with null in place of every list, as for one without items',
    html: 'reply 502 with an HTML page, as proxies do; the request has no effect',
  },
  'upload, part, object': {
    expired: 'reply 403 because the URL has expired; the request has no effect',
    'slow-down': 'reply 503 SlowDown, as object storage does to throttle clients; the request has no effect',
    slow: 'transfer the content at 1 MiB per second',
    'stall-during': 'stop transferring in the middle of the content, without an end',
  },
  'upload, part': {
    'wrong-etag': 'reply with the ETag of other content',
    'no-etag': 'reply without an ETag',
  },
  requestToken: {
    slow_down: 'reply 400 with slow_down (RFC 8628): poll 5 seconds slower from now on; the login goes on',
  },
  object: {
    changed: 'replace the file while it is downloaded: the connection is reset in the middle',
    corrupt: 'change the first byte',
  },
  getAppLogs: {
    overlapping: 'start the next page with the last lines of this one',
    shuffled: 'reverse the order of the lines',
  },
  webhook: {
    lost: 'do not send the attempt',
    twice: 'send the attempt twice',
    forged: 'sign with another secret',
  },
  'log-socket': {
    refused: 'reply 503 instead of opening a socket',
    'cut-after-two': 'cut the connection after two lines',
    repeating: 'send every line twice',
    silent: 'never send a line',
  },
  build: {
    build_failure: 'a dependency cannot be installed',
    init_failure: 'the build succeeds, but the app crashes at its start',
    init_timeout: 'the build succeeds, but the app never gets ready',
    slow: 'the build runs until it is canceled',
    'unknown-status': 'the first poll of the build gets an unknown status',
    'hostile-log': 'the log contains control sequences and CI workflow commands',
  },
} as const;

/** Targets that are not replies to requests. */
type Separate = 'build' | 'webhook' | 'log-socket';
type FaultsOf<Group extends keyof typeof faults> = Group extends unknown ? keyof (typeof faults)[Group] : never;
type Status = `${number}` | `${number}:${string}`;
export type ReplyFault = Exclude<FaultsOf<Exclude<keyof typeof faults, Separate>>, Status>;
export type BuildFault = FaultsOf<'build'>;
export type SocketFault = FaultsOf<'log-socket'>;
export type FaultTarget = EndpointName | StorageTarget | Separate;

/** `retryAfter` in seconds; `asDate` sends it as a date. */
export type StatusFault = { status: number; retryAfter?: number; asDate?: boolean };
type FaultOf<Target extends FaultTarget> = Target extends Separate ? FaultsOf<Target> : ReplyFault | StatusFault;
type Fault = FaultOf<FaultTarget>;

/** Pending faults by target. Each matching request uses the next one. */
export class FaultQueue {
  readonly #pending = new Map<FaultTarget, { fault: Fault; isPermanent: boolean }[]>();

  /** With `*` a fault applies to all further requests. Throws a RangeError that lists the valid ones for a target. */
  add(target: FaultTarget, ...texts: (string | number)[]): void {
    const added = texts.map((text) => parseFault(target, String(text)));
    this.#pending.set(target, [...(this.#pending.get(target) ?? []), ...added]);
  }

  take<Target extends FaultTarget>(target: Target): FaultOf<Target> | undefined {
    const pending = this.#pending.get(target) ?? [];
    const next = pending[0]?.isPermanent ? pending[0] : pending.shift();
    return next?.fault as FaultOf<Target> | undefined;
  }

  clear(): void {
    this.#pending.clear();
  }
}

/**
 * Parses `TARGET=FAULT[,FAULT…]`, as in `upload=503,reset-during`. Throws a RangeError that lists the valid targets or
 * faults.
 */
export function parseFaultOption(text: string): { target: FaultTarget; faults: string[] } {
  const [, name = '', list = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const target = faultTargets.find((each) => each === name);
  if (!target)
    throw new RangeError(
      `invalid fault ${JSON.stringify(text)}: expected TARGET=FAULT[,FAULT…]; targets: ${faultTargets.join(', ')}`,
    );
  const requested = list.split(',').map((fault) => fault.trim());
  for (const fault of requested) parseFault(target, fault);
  return { target, faults: requested };
}

const faultTargets: readonly FaultTarget[] = [
  ...(Object.keys(endpoints) as EndpointName[]),
  ...words('upload part object webhook log-socket build'),
];

function parseFault(target: FaultTarget, text: string): { fault: Fault; isPermanent: boolean } {
  const isPermanent = text.endsWith('*');
  const withoutStar = isPermanent ? text.slice(0, -1) : text;
  const names = Object.entries(faults).flatMap(([targets, known]) => (has(targets, target) ? Object.keys(known) : []));
  const fault = (names.includes('503') && parseStatus(withoutStar)) || names.find((name) => name === withoutStar);
  if (fault) return { fault: fault as Fault, isPermanent };
  throw new RangeError(`invalid fault ${JSON.stringify(text)} for ${target}: expected one of ${names.join(', ')}`);
}

function has(targets: string, target: FaultTarget): boolean {
  return targets.split(', ').includes(target in endpoints && targets.startsWith('any') ? 'any endpoint' : target);
}

function parseStatus(text: string): StatusFault | undefined {
  const [, status, date, seconds] = /^([345]\d\d)(?::(date\+)?(\d+))?$/.exec(text) ?? [];
  if (!status) return undefined;
  return { status: Number(status), ...(seconds && { retryAfter: Number(seconds), asDate: date !== undefined }) };
}
