import { type CommandLine, type Fix, gantryCommand, sentence } from '../../kernel/command-line.ts';
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
} from '../../kernel/errors.ts';
import { parseJsonOr } from '../../kernel/json-text.ts';
import type { HttpReply } from './http-reply.ts';
import { isWebPage } from './reply.ts';
import { parseRetryAfter } from './retry.ts';
import { isTransientStatus } from './transient-failures.ts';

type ErrorClass = new (message: string, facts: ErrorFacts) => GantryError;

interface StatusMeaning {
  error: ErrorClass;
  fallback: string;
  fix?: Fix;
}

const meanings: Record<number, StatusMeaning> = {
  400: { error: FailedError, fallback: 'invalid request' },
  401: {
    error: AuthError,
    fallback: 'the platform does not accept the token',
    fix: sentence`${gantryCommand`login`}, or set GANTRY_TOKEN to a valid service account token; while it is set, no login counts`,
  },
  402: { error: LimitError, fallback: 'the plan does not allow this, or a payment is due' },
  403: { error: DeniedError, fallback: 'the token is not allowed to do this' },
  404: { error: NotFoundError, fallback: 'not found' },
  408: { error: UnavailableError, fallback: 'the platform timed out' },
  409: { error: ConflictError, fallback: 'it already exists or has changed' },
  412: { error: ConflictError, fallback: 'it has changed' },
  429: { error: RateLimitedError, fallback: 'too many requests' },
};

const anyServerError: StatusMeaning = {
  error: UnavailableError,
  fallback: 'the platform returned an error',
  fix: sentence`try again later; ${gantryCommand`status`} shows incidents of the platform`,
};
const anyOther: StatusMeaning = { error: FailedError, fallback: 'the platform rejected the request' };
/** Redirects are not followed, so that the token goes nowhere else. */
const redirect: StatusMeaning = {
  error: FailedError,
  fallback: 'the platform returned a redirect',
  fix: sentence`check the address of the platform (${gantryCommand`config list --show-origin`}) and the network`,
};

/** It proves nothing about what was asked for: a proxy, or a server that is not the platform, replied. */
const foreignPage: StatusMeaning = {
  error: UnavailableError,
  fallback: 'not found',
  fix: gantryCommand`doctor`,
};

/** Creates the error for a reply: the class from its status, the message from the reply. */
export function errorFromReply(reply: HttpReply, now: number): GantryError {
  const { status } = reply;
  const isRedirect = status >= 300 && status < 400;
  const meaning = meaningOf(reply, isRedirect);
  const code = errorCodeOf(reply);
  const requestId = header(reply, 'x-request-id') ?? header(reply, 'x-amzn-requestid');
  const retryAfterMs = parseRetryAfter(header(reply, 'retry-after'), now);
  const facts: ErrorFacts = {
    status,
    retryable: isTransientStatus(status),
    requestId,
    retryAfterMs,
    fix: meaning.fix,
    ...(code && { details: { error: code } }),
  };
  const message = isRedirect ? undefined : messageOf(reply);
  return new meaning.error(message ?? `${meaning.fallback} (HTTP ${status}${destination(reply)})`, facts);
}

function meaningOf(reply: HttpReply, isRedirect: boolean): StatusMeaning {
  if (reply.status === 404 && isWebPage(reply)) return foreignPage;
  if (reply.status >= 500) return meanings[reply.status] ?? anyServerError;
  return meanings[reply.status] ?? (isRedirect ? redirect : anyOther);
}

/** The target of a redirect without its query, which may contain a secret. */
function destination(reply: HttpReply): string {
  const location = header(reply, 'location');
  if (!location || reply.status < 300 || reply.status > 399) return '';
  if (!URL.canParse(location)) return ` to ${location.split(/[?#]/)[0]}`;
  const { protocol, host, pathname } = new URL(location);
  return ` to ${protocol}//${host}${pathname}`;
}

/** The command that lists what a 404 names first, or else what the last parameter of the route does. */
export function listCommandFor(route: string, parameters: Record<string, unknown>, message: string) {
  const [, last = ''] = /\{(\w+)\}[^{]*$/.exec(route) ?? [];
  const [named = ''] = /^\w+/.exec(message) ?? [];
  return lists[route.includes(`{${named}}`) ? named : last]?.(String(parameters.app));
}

const lists: Record<string, (app: string) => CommandLine> = {
  project: () => gantryCommand`projects list`,
  app: () => gantryCommand`apps list`,
  build: (app) => gantryCommand`builds list ${app}`,
  run: (app) => gantryCommand`runs list ${app}`,
};

/** `{message}` (spec 2.16), `error_description` of token requests, or short plain text, but not a web page. */
function messageOf({ body, headers, status }: HttpReply): string | undefined {
  const text = body.trim();
  if (isWebPage({ body, headers })) return `received a web page instead of a reply (HTTP ${status})`;
  const said = parseObject(text);
  if (said) {
    const words = [said.message, said.error_description].find((each) => typeof each === 'string' && each !== '');
    return words === undefined ? undefined : truncate(words);
  }
  return text && text.length <= 500 && !text.startsWith('<') && !text.startsWith('{') ? text : undefined;
}

const maxMessageLength = 2_000;

function truncate(message: string): string {
  const left = message.length - maxMessageLength;
  return left > 0 ? `${message.slice(0, maxMessageLength)}… (${left} more characters)` : message;
}

function errorCodeOf({ body }: HttpReply): string | undefined {
  const said = parseObject(body);
  return [said?.error, said?.error_code].find((word) => typeof word === 'string' && /^\w+$/.test(word));
}

function parseObject(text: string): Record<string, string | undefined> | undefined {
  const value = parseJsonOr(text, undefined);
  return value === undefined ? undefined : Object(value);
}

function header(reply: HttpReply, name: string): string | undefined {
  return [reply.headers[name]].flat()[0];
}
