import { safeParse } from 'valibot';
import { parseRetryAfter } from '../../api/retry.ts';
import { type CommandLine, gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { listApps } from '../../contract/apps.ts';
import { FunctionReply } from '../../contract/invocation.ts';
import {
  AppError,
  AuthError,
  DeniedError,
  type ErrorFacts,
  type GantryError,
  LimitError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '../../errors.ts';
import { stringifyJson } from '../../json-text.ts';
import { cutText, duration } from '../../output/format.ts';
import { type DecodedBody, decodeBody } from '../replies/index.ts';
import { tryRequest } from './best-effort.ts';
import type { AppResponse } from './call.ts';
import type { CallAuth } from './call-headers.ts';
import type { CallTarget } from './call-target.ts';
import { describeGracePeriod } from './grace-period.ts';
import { firstHeader, readRunId } from './response.ts';

/** Of an answer that is an error, bytes: what comes beyond is not read. */
const maxBytes = 1024 * 1024;
/** Of it, what is shown to a person, characters. */
const maxShownLength = 2_000;

/**
 * What an answer that is no success means. A status that the platform gives has its own class; everything else is the
 * app's own word. Reads the answer.
 */
export async function responseError(context: Context, answer: AppResponse, pass: CallAuth): Promise<GantryError> {
  const { target, status, headers } = answer;
  const content = decodeBody(await readStart(answer));
  const runId = readRunId(answer, content);
  const said = findMessage(content);
  const facts: ErrorFacts = {
    ...{ status, details: { status, runId: runId ?? null, headers, ...content } },
    ...(runId ? { requestId: runId } : {}),
  };
  const why = said ?? (content.encoding === 'base64' ? undefined : shorten(asText(content)));
  const look = gantryCommand`logs ${target.app} ${runId ? ['--run', runId] : []}`;
  const app = () =>
    new AppError(said ? `${target.name} answered ${status}: ${said}` : `${target.name} answered ${status}`, {
      ...{ ...facts, fix: look },
      ...(said === undefined && why ? { why } : {}),
    });
  if (status >= 300 && status < 400) return redirectError(target, status, firstHeader(headers, 'location'), facts);
  const ownWord = isFunctionReply(content);
  switch (status) {
    case 401:
      return accessError(AuthError, pass, why, facts);
    case 403:
      return accessError(DeniedError, pass, why, facts);
    case 402:
      return new LimitError(said ?? 'the plan does not allow this, or a payment is due (HTTP 402)', facts);
    case 404:
      return ownWord ? app() : notFoundError(context, target, why, facts);
    case 429: {
      const retryAfterMs = parseRetryAfter(firstHeader(headers, 'retry-after'), context.now());
      const wait = retryAfterMs === undefined ? {} : { retryAfterMs, fix: `try again in ${duration(retryAfterMs)}` };
      return new RateLimitedError(said ?? `too many calls of ${target.app} (HTTP 429)`, {
        ...{ ...facts, retryable: true },
        ...wait,
      });
    }
    case 502:
    case 503:
    case 504:
      return ownWord ? app() : gatewayError(context, answer, look, why, facts);
    default:
      return app();
  }
}

async function readStart({ chunks }: AppResponse): Promise<Buffer> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of chunks) {
      kept.push(piece);
      bytes += piece.length;
      if (bytes > maxBytes) break;
    }
  } catch {
    // That it is an error is known; the rest of its words is not worth another one.
  }
  const read = Buffer.concat(kept);
  return bytes > maxBytes ? Buffer.concat([read.subarray(0, maxBytes), Buffer.from('…')]) : read;
}

/** The message of the app or the platform. The shape of an error is not documented, so this looks in the usual places. */
function findMessage({ body, encoding }: DecodedBody): string | undefined {
  if (encoding !== 'json') {
    const text = encoding === 'text' ? String(body).trim() : '';
    return text && !text.includes('\n') && text.length <= 300 && !text.startsWith('<') ? text : undefined;
  }
  return findMessageField(body) ?? findMessageField((body as { result?: unknown } | null)?.result);
}

function findMessageField(body: unknown): string | undefined {
  const { message, detail, error, exception } = Object(body) as Record<string, unknown>;
  const inner = (Object(error) as Record<string, unknown>).message;
  return [message, detail, inner, error, exception].find(
    (said): said is string => typeof said === 'string' && said !== '',
  );
}

function asText({ body, encoding }: DecodedBody): string {
  return encoding === 'json' ? stringifyJson(body) : String(body).trim();
}

function shorten(text: string): string | undefined {
  if (text === '{}' || text === '[]' || text === 'null') return undefined;
  if (/^<(!doctype|html)/i.test(text)) return 'a web page came back';
  return cutText(text, maxShownLength) || undefined;
}

/**
 * True for an answer of the default runtime, which wraps the function's result. Its status is then not the platform's.
 */
function isFunctionReply({ body }: DecodedBody): boolean {
  return safeParse(FunctionReply, body).success;
}

/** The token must not travel on. The query of an address may be a signature. */
function redirectError(
  { name }: CallTarget,
  status: number,
  location: string | undefined,
  facts: ErrorFacts,
): AppError {
  const to = location && URL.canParse(location) ? new URL(location) : undefined;
  return new AppError(`${name} answered ${status}: a redirect, which is not followed`, {
    ...facts,
    why: `it leads to ${to ? to.origin + to.pathname : (location?.replace(/[?#].*$/s, '') ?? 'nowhere')}`,
    fix: '--path calls another place of the app',
  });
}

function accessError(
  Refusal: typeof AuthError | typeof DeniedError,
  { kind }: CallAuth,
  said: string | undefined,
  facts: ErrorFacts,
): GantryError {
  const key = 'GANTRY_INFERENCE_KEY to the key of the project (gantry api-keys list --show-values)';
  const [message, fix] = {
    login: ['apps do not accept the token of a login', `set ${key}, or GANTRY_TOKEN to a service account token`],
    none: ['the app wants a token', 'leave --no-auth out'],
    'given by hand': ['the app does not accept the Authorization header', 'without it the token in use is sent'],
    'inference key': ['the app does not accept the key in GANTRY_INFERENCE_KEY', 'gantry api-keys list --show-values'],
    'service-account': ['the app does not accept the token', `see gantry whoami, or set ${key}`],
  }[kind];
  const denied = kind === 'none' ? message : 'the token is not allowed to call the app';
  return new Refusal(`${Refusal === DeniedError ? denied : message} (HTTP ${facts.status})`, {
    ...facts,
    ...(said ? { why: said } : {}),
    ...(fix ? { fix } : {}),
  });
}

/** Whether it is the app that is not there, or what is asked of it. */
async function notFoundError(
  context: Context,
  { project, app, name }: CallTarget,
  said: string | undefined,
  facts: ErrorFacts,
) {
  const apps = await tryRequest(context, (api) => api(listApps, { project }));
  const names = apps?.map((each) => each.name ?? '').filter(Boolean);
  if (names && !names.includes(app)) {
    const others =
      names.length > 0
        ? `its apps are ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`
        : 'it has no apps';
    return new NotFoundError(`there is no app ${app} in ${project}`, {
      ...{ ...facts, why: others, details: { ...facts.details, apps: names } },
      fix: 'gantry deploy makes one of a folder; --project names another project',
    });
  }
  return new NotFoundError(`${name} was not found (HTTP 404)`, {
    ...facts,
    ...(said ? { why: said } : {}),
    fix: names
      ? `${app} is there: is the function in its code, without a _ in front, and is that code deployed?`
      : 'gantry apps list shows what is deployed',
  });
}

/** A gateway error: the platform is between the client and the app, and gave up on one of them. */
async function gatewayError(
  context: Context,
  answer: AppResponse,
  look: CommandLine,
  said: string | undefined,
  facts: ErrorFacts,
) {
  const { status, target } = answer;
  const { app, name } = target;
  const elapsed = duration(answer.firstByteMs);
  if (status === 504) {
    return new UnavailableError(`${name} had no answer after ${elapsed} (HTTP 504)`, {
      ...{ ...facts, retryable: true },
      why: [said, await describeGracePeriod(context, target)].filter(Boolean).join('\n'),
      fix: `raise response_grace_period in cerebrium.toml (gantry apps scale ${app} --response-grace-period 1h), or call it with --async`,
    });
  }
  const reason =
    status === 502
      ? 'the app broke off in the middle of the call: it crashed, or was stopped and not done within its response_grace_period'
      : 'no replica of the app could take the call';
  return new UnavailableError(`${name} could not answer (HTTP ${status})`, {
    ...{ ...facts, retryable: true },
    why: [said, reason].filter(Boolean).join('\n'),
    fix: look,
  });
}
