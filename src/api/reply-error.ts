import { type CommandLine, gantryCommand } from '../command-line.ts';
import {
  AuthError,
  ConflictError,
  DeniedError,
  type ErrorFacts,
  FailedError,
  type GantryError,
  LimitError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '../errors.ts';
import type { HttpReply } from './http-reply.ts';
import { isWebPage } from './reply.ts';
import { parseRetryAfter } from './retry.ts';

type Made = new (message: string, facts: ErrorFacts) => GantryError;

interface Meaning {
  error: Made;
  /** What to say when the server says nothing. */
  otherwise: string;
  fix?: string;
}

const meanings: Record<number, Meaning> = {
  400: { error: FailedError, otherwise: 'invalid request' },
  401: {
    error: AuthError,
    otherwise: 'the platform does not accept the token',
    fix: 'gantry login, or set GANTRY_TOKEN to a valid service account token',
  },
  402: { error: LimitError, otherwise: 'the plan does not allow this, or a payment is due' },
  403: { error: DeniedError, otherwise: 'the token is not allowed to do this' },
  404: { error: NotFoundError, otherwise: 'not found' },
  408: { error: UnavailableError, otherwise: 'the platform timed out' },
  409: { error: ConflictError, otherwise: 'it already exists or has changed' },
  412: { error: ConflictError, otherwise: 'it has changed' },
  429: { error: RateLimitedError, otherwise: 'too many requests' },
};

const anyServerError: Meaning = { error: UnavailableError, otherwise: 'the platform returned an error' };
const anyOther: Meaning = { error: FailedError, otherwise: 'the platform rejected the request' };
/** Redirects are not followed: the token must not go elsewhere. */
const redirect: Meaning = {
  error: FailedError,
  otherwise: 'the platform returned a redirect',
  fix: 'check the address of the platform (gantry config list --show-origin) and the network',
};

/** Statuses that a retry may fix. */
const passing = new Set([408, 429, 500, 502, 503, 504]);

/** The one place where an answer of the server becomes an error: its status gives the class, its `message` the words. */
export function errorFromReply(reply: HttpReply, now: number): GantryError {
  const { status } = reply;
  const isRedirect = status >= 300 && status < 400;
  const meaning = meanings[status] ?? (status >= 500 ? anyServerError : isRedirect ? redirect : anyOther);
  const facts: ErrorFacts = { status, retryable: passing.has(status) };
  const word = wordOf(reply);
  const requestId = header(reply, 'x-request-id') ?? header(reply, 'x-amzn-requestid');
  const retryAfterMs = parseRetryAfter(header(reply, 'retry-after'), now);
  if (requestId) facts.requestId = requestId;
  if (retryAfterMs !== undefined) facts.retryAfterMs = retryAfterMs;
  if (meaning.fix) facts.fix = meaning.fix;
  if (word) facts.details = { error: word };
  const message = isRedirect ? undefined : messageOf(reply);
  return new meaning.error(message ?? `${meaning.otherwise} (HTTP ${status}${destination(reply)})`, facts);
}

/** Where a redirect leads, without its query, which may hold a secret. */
function destination(reply: HttpReply): string {
  const location = header(reply, 'location');
  if (!location || reply.status < 300 || reply.status > 399) return '';
  if (!URL.canParse(location)) return ` to ${location.split(/[?#]/)[0]}`;
  const { protocol, host, pathname } = new URL(location);
  return ` to ${protocol}//${host}${pathname}`;
}

/**
 * Where to look for what is not there: the list that has what the route names last. It says no more than the route does,
 * since which of its parts is missing stands only in the server's words.
 */
export function listCommandFor(route: string, parameters: Record<string, unknown>): CommandLine | undefined {
  const [, last = ''] = /\{(\w+)\}[^{]*$/.exec(route) ?? [];
  return lists[last]?.(String(parameters.app));
}

const lists: Record<string, (app: string) => CommandLine> = {
  project: () => gantryCommand`projects list`,
  app: () => gantryCommand`apps list`,
  build: (app) => gantryCommand`builds list ${app}`,
  run: (app) => gantryCommand`runs list ${app}`,
};

/**
 * The server's own words: `{message}` (spec 2.16), `error_description` where tokens are given out, or short plain text;
 * a web page says nothing to a user.
 */
function messageOf({ body, headers, status }: HttpReply): string | undefined {
  const text = body.trim();
  if (isWebPage({ body, headers })) return `received a web page instead of a reply (HTTP ${status})`;
  const said = jsonOf(text);
  if (said) {
    const words = [said.message, said.error_description].find((found) => typeof found === 'string' && found !== '');
    return words === undefined ? undefined : shortened(words);
  }
  return text && text.length <= 500 && !text.startsWith('<') && !text.startsWith('{') ? text : undefined;
}

/** Longest message that is shown, in characters. */
const longestMessage = 2_000;

function shortened(message: string): string {
  const left = message.length - longestMessage;
  return left > 0 ? `${message.slice(0, longestMessage)}… (${left} more characters)` : message;
}

/** The machine-readable code of a failed login request, such as `authorization_pending`. */
function wordOf({ body }: HttpReply): string | undefined {
  const said = jsonOf(body);
  return [said?.error, said?.error_code].find((word) => typeof word === 'string' && /^\w+$/.test(word));
}

function jsonOf(text: string): Record<string, string | undefined> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function header(reply: HttpReply, name: string): string | undefined {
  const value = reply.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
