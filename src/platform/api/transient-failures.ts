import type { ErrorFacts } from '../../kernel/errors.ts';
import { words } from '../../kernel/words.ts';

/**
 * What another try may get over: by the code of a connection's error, or the status of a reply. The only table:
 * client.ts says what may be sent again, retry.ts when.
 */
const failures: Record<string, Failure> = {
  ECONNREFUSED: { reason: 'connection refused', isEarly: true },
  ENOTFOUND: { reason: 'host not found', isEarly: true },
  EAI_AGAIN: { reason: 'DNS lookup failed', isEarly: true },
  EHOSTUNREACH: { reason: 'no route to host', isEarly: true },
  ENETUNREACH: { reason: 'network unreachable', isEarly: true },
  ETIMEDOUT: { reason: 'timed out', isEarly: true },
  UND_ERR_CONNECT_TIMEOUT: { reason: 'timed out', isEarly: true },
  UND_ERR_HEADERS_TIMEOUT: { reason: 'timed out' },
  UND_ERR_BODY_TIMEOUT: { reason: 'timed out' },
  UND_ERR_SOCKET: { reason: 'connection reset' },
  ECONNRESET: { reason: 'connection reset' },
  EPIPE: { reason: 'connection reset' },
  // Of this machine.
  EMFILE: { ...ofThisMachine('too many files are open'), fix: 'raise the limit: ulimit -n 4096' },
  ENFILE: ofThisMachine('too many files are open on this machine'),
  ENOBUFS: ofThisMachine('out of memory for connections'),
  EADDRNOTAVAIL: ofThisMachine('no local address or port is free'),
  ENOMEM: { ...lasting('out of memory'), fix: 'raise the limit: ulimit -v unlimited' },
  EAI_MEMORY: lasting('out of memory'),
  EACCES: lasting('not allowed on this machine'),
  EPERM: lasting('not allowed on this machine'),
  EAFNOSUPPORT: lasting('this machine has no such network'),
  // Of TLS.
  ...certificate('its certificate has expired', 'CERT_HAS_EXPIRED'),
  ...certificate('its certificate is not valid yet', 'CERT_NOT_YET_VALID'),
  ...certificate('its certificate was revoked', 'CERT_REVOKED'),
  ...certificate('its certificate is self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
  ...certificate(
    "its certificate is issued by an authority that is not trusted; set SSL_CERT_FILE to its certificate if it is your company's",
    ...words('SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
    ...words('UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_VERIFY_FIRST_CERTIFICATE CERT_UNTRUSTED'),
  ),
  ...certificate('its certificate is for another host name', 'ERR_TLS_CERT_ALTNAME_INVALID'),
  ...certificate(
    'it does not speak TLS',
    ...words('ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG EPROTO'),
  ),
};

const statuses: Record<number, Transient> = {
  408: {},
  429: { refuses: true },
  500: {},
  502: { isGateway: true },
  503: { isGateway: true, refuses: true },
  504: { isGateway: true },
};

interface Transient {
  /** What is before an app sends it when it gets no reply of the app. It may have taken the request all the same. */
  isGateway?: boolean;
  refuses?: boolean;
}

interface Failure {
  reason: string;
  /** Before a byte of the request was sent. */
  isEarly?: boolean;
  lasts?: boolean;
  /** Whether messages have the code: users search for it. */
  showsCode?: boolean;
  fix?: string;
}

/** What other connections give back when they end: nothing was sent, and another try may succeed. */
function ofThisMachine(reason: string): Failure {
  return { reason, isEarly: true, showsCode: true };
}

function lasting(reason: string): Failure {
  return { ...ofThisMachine(reason), lasts: true };
}

function certificate(reason: string, ...codes: string[]): Record<string, Failure> {
  return Object.fromEntries(codes.map((code) => [code, lasting(reason)]));
}

export function isTransientStatus(status: number): boolean {
  return statuses[status] !== undefined;
}

export function isGatewayStatus(status: number): boolean {
  return statuses[status]?.isGateway === true;
}

export function isRefusedStatus(status: number): boolean {
  return statuses[status]?.refuses === true;
}

/** The server has more to do than it can: fewer requests at a time may help. Storage has several statuses for it. */
export function isOverload({ facts: { status } }: { facts: ErrorFacts }): boolean {
  return status !== undefined && isTransientStatus(status);
}

/** Whether a request with this reply had no effect. A gateway's refusal counts only if it says when to come again. */
export function wasRefused({ status, retryAfterMs }: ErrorFacts): boolean {
  return status !== undefined && isRefusedStatus(status) && (!isGatewayStatus(status) || retryAfterMs !== undefined);
}

export function failureReason(cause: unknown): string {
  const code = errorCode(cause);
  const failure = failures[code] ?? (isTls(code) ? { reason: 'the TLS handshake failed', showsCode: true } : undefined);
  if (failure) return failure.reason + (failure.showsCode ? ` (${code})` : '');
  const message = cause instanceof Error ? cause.message : String(cause);
  // Node names the local address even if there is none.
  return message.replace(/ - Local \(.*\)$/, '');
}

/** What an error has to say besides its reason. */
export function failureFacts(cause: unknown): ErrorFacts {
  const { lasts = false, fix } = failures[errorCode(cause)] ?? {};
  return { retryable: !lasts, fix };
}

/** Whether the connection failed before a byte of the request was sent. */
export function isEarlyFailure(cause: unknown): boolean {
  const code = errorCode(cause);
  return (
    isTls(code) ||
    (failures[code]?.isEarly === true &&
      !/^(read|write)$/.test((cause as NodeJS.ErrnoException | undefined)?.syscall ?? ''))
  );
}

/** The system's error code, which Node may wrap in a cause or in the first of several errors. */
function errorCode(cause: unknown): string {
  const error = cause as { code?: unknown; cause?: unknown; errors?: unknown[] } | undefined;
  // Of WebAssembly, which reserves gigabytes of addresses: `ulimit -v` may forbid it.
  if (error instanceof RangeError && /out of memory/i.test(error.message)) return 'ENOMEM';
  if (typeof error?.code === 'string' && error.code) return error.code;
  if (error?.errors?.length) return errorCode(error.errors[0]);
  return error?.cause ? errorCode(error.cause) : '';
}

function isTls(code: string): boolean {
  return /^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL|EPROTO)/.test(code);
}

export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status <= 299;
}
