import { safeParse } from 'valibot';
import { closestName } from '../../kernel/closest-name.ts';
import { type CommandLine, type Fix, gantryCommand, sentence } from '../../kernel/command-line.ts';
import {
  AppError,
  AuthError,
  attempt,
  BuildFailedError,
  DeniedError,
  type ErrorFacts,
  type GantryError,
  LimitError,
  NotFoundError,
  NotReadyError,
  RateLimitedError,
  UnavailableError,
} from '../../kernel/errors.ts';
import { isRecord, stringifyJson } from '../../kernel/json-text.ts';
import { cutText, duration, toMs } from '../../kernel/output/format.ts';
import { decompress, readAtMost } from '../../platform/api/http-reply.ts';
import { parseRetryAfter } from '../../platform/api/retry.ts';
import { isGatewayStatus, isTransientStatus } from '../../platform/api/transient-failures.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import { buildPhase, hasNotStarted, ownStatus } from '../../platform/contract/builds.ts';
import { hasCrashed, isRunning, listContainers } from '../../platform/contract/containers.ts';
import { FunctionReply } from '../../platform/contract/invocation.ts';
import { type DecodedBody, decodeBody, fetchApp } from '../../platform/replies/index.ts';
import { tryRequest, waitForChange } from '../../platform/waiting/index.ts';
import { describeGracePeriod, recordFailedCalls } from '../runs/index.ts';
import type { CallAuth, CallTarget } from './call-target.ts';
import { type AppResponse, firstHeader, readRunId } from './response.ts';

/** Only this much of an error response is read. */
const maxBytes = 1024 * 1024;
/** Only this much of its text is shown, in characters. */
const maxShownLength = 2_000;

/** What the platform replies to a request that reaches no app: its id is not that of a run. */
const unserved = [401, 402, 403, 404, 429];
const runOf = (status: number, isOfRun: boolean, id = '') => (isOfRun || !unserved.includes(status) ? id : '') || null;

/**
 * Creates the error for a response other than 2xx: by status if it is the platform's, otherwise AppError. Reads the
 * body, unless it was `read` before.
 */
export async function responseError(context: Context, response: AppResponse, auth: CallAuth, read?: DecodedBody) {
  const { target, status, headers } = response;
  const content = read ?? (await readStart(response));
  const runId = readRunId(response, content) || undefined;
  const isOfRun = runId === String(Object(content.body).run_id);
  const run = runOf(status, isOfRun, runId);
  const facts: ErrorFacts = { status, details: { statusCode: status, run, headers, ...content }, requestId: runId };
  const said = responseMessage(content);
  const refused = refusalOf(context, response, auth, said, facts);
  if (refused) return refused;
  const fix = gantryCommand`explain ${target.app} ${isOfRun ? [runId] : []}`;
  await recordFailedCalls(context, target.app, [[runId, said.why]]);
  // The default runtime wraps what a function returns, so the status of a wrapped body is the app's.
  if (safeParse(FunctionReply, content.body).success || !(status === 404 || isGatewayStatus(status))) {
    return appError(context, response, said, { ...facts, fix });
  }
  if (status === 404) return notFoundError(context, response, said.why, facts);
  return gatewayError(context, response, isOfRun, { ...facts, fix }, said.why);
}

/** The error for a status that an app and the platform use alike. */
function refusalOf(
  context: Context,
  response: AppResponse,
  auth: CallAuth,
  { message, why }: Said,
  facts: ErrorFacts,
): GantryError | undefined {
  const { target, status, headers } = response;
  if (status >= 300 && status < 400) return redirectError(target, status, firstHeader(headers, 'location'), facts);
  if (status === 401 || status === 403) return accessError(status, auth, why, facts);
  if (status === 402)
    return new LimitError(message ?? 'not included in the plan, or payment required (HTTP 402)', facts);
  return status === 429 ? tooManyCalls(context, response, message, facts) : undefined;
}

function tooManyCalls(
  context: Context,
  { target, headers }: AppResponse,
  message: string | undefined,
  facts: ErrorFacts,
): RateLimitedError {
  const retryAfterMs = parseRetryAfter(firstHeader(headers, 'retry-after'), context.now());
  const fix = retryAfterMs === undefined ? undefined : `retry in ${duration(retryAfterMs)}`;
  const retry = { ...facts, retryable: isTransientStatus(429), retryAfterMs, fix };
  return new RateLimitedError(message ?? `too many calls to ${target.app} (HTTP 429)`, retry);
}

type Said = ReturnType<typeof responseMessage>;

async function appError(context: Context, response: AppResponse, { message, why }: Said, facts: ErrorFacts) {
  const { target, status } = response;
  const request = await fixOfRequest(context, response, why);
  const { asJson } = await import('../../causes/index.ts');
  const fix = request.fix ?? asJson(why ?? '', parametersOf(response));
  const reason = request.why ?? (message === undefined ? why : undefined);
  const what = `${target.name} returned ${status}${message ? `: ${message}` : ''}`;
  return new AppError(what, { ...facts, ...request, fix: fix ?? facts.fix, why: reason });
}

/** The parameters that were sent, by their names; empty if the body is something else. */
function parametersOf({ sent }: AppResponse): Record<string, unknown> {
  const body = sent instanceof Uint8Array ? decodeBody(Buffer.from(sent)).body : undefined;
  return isRecord(body) ? body : {};
}

/** What a response other than 2xx says: its message, or else its text. */
export function responseMessage(content: DecodedBody): { message: string | undefined; why: string | undefined } {
  const message = findMessage(content);
  return { message, why: message ?? (content.encoding === 'base64' ? undefined : shorten(asText(content))) };
}

async function readStart(response: AppResponse): Promise<DecodedBody> {
  // The status is known already: a truncated error body is not worth another error.
  const { content, isCut } = await readAtMost(response.chunks, maxBytes, () => {});
  const start = isCut ? Buffer.concat([content, Buffer.from('…')]) : content;
  // What was cut off cannot be decompressed.
  return decodeBody(attempt(() => decompress(start, response, response.target.name)) ?? start);
}

/** The error message. Its place in the body is not documented, so the usual fields are tried. */
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
  return [message, detail, inner, error, exception, invalidFields(detail)].find(
    (value): value is string => typeof value === 'string' && value !== '',
  );
}

/** The problems of a request in the form of FastAPI: `body.name: Field required`. */
function invalidFields(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const problems = detail.map((problem) => Object(problem) as Record<string, unknown>);
  if (!problems.every(({ loc, msg }) => Array.isArray(loc) && typeof msg === 'string')) return undefined;
  return problems.map(({ loc, msg }) => `${(loc as unknown[]).join('.')}: ${msg}`).join('; ');
}

function asText({ body, encoding }: DecodedBody): string {
  return encoding === 'json' ? stringifyJson(body) : String(body).trim();
}

function shorten(text: string): string | undefined {
  if (text === '{}' || text === '[]' || text === 'null') return undefined;
  if (/^<(!doctype|html)/i.test(text)) return 'the response is a web page';
  return cutText(text, maxShownLength) || undefined;
}

/** Redirects are not followed, because the token must not leave the platform. The query may hold a signature. */
function redirectError({ name }: CallTarget, status: number, location: string | undefined, facts: ErrorFacts) {
  const url = location && URL.canParse(location) ? new URL(location) : undefined;
  const target = url ? url.origin + url.pathname : (location?.replace(/[?#].*$/s, '') ?? 'an unknown URL');
  return new AppError(`${name} returned ${status}: redirects are not followed`, {
    ...facts,
    why: `it redirects to ${target}`,
    fix: 'use --path to call another path of the app',
  });
}

function accessError(status: 401 | 403, { kind }: CallAuth, why: string | undefined, facts: ErrorFacts): GantryError {
  const keys = gantryCommand`api-keys list --show-values`;
  const key = sentence`GANTRY_INFERENCE_KEY to the project's key (${keys})`;
  const meanings: Record<CallAuth['kind'], [message: string, fix: Fix]> = {
    login: ['apps do not accept login tokens', sentence`set ${key}, or GANTRY_TOKEN to a service account token`],
    none: ['the app requires a token', 'omit --no-auth'],
    header: ['the app does not accept the Authorization header', 'omit the header to send the token in use'],
    'inference key': ['the app does not accept the key in GANTRY_INFERENCE_KEY', keys],
    'service-account': ['the app does not accept the token', sentence`check ${gantryCommand`whoami`}, or set ${key}`],
  };
  const [message, fix] = meanings[kind];
  const denied = kind === 'none' ? message : 'the token has no permission to call the app';
  if (status === 403) return new DeniedError(`${denied} (HTTP 403)`, { ...facts, why, fix });
  return new AuthError(`${message} (HTTP 401)`, { ...facts, why, fix });
}

/** Distinguishes a missing function and a path that the app's own server does not have. The app itself may be missing. */
async function notFoundError(context: Context, response: AppResponse, why: string | undefined, facts: ErrorFacts) {
  const { project, app, name } = response.target;
  const deployed = await tryRequest(context, (api) => fetchApp(api, { project, app }));
  if (deployed?.runtime && deployed.runtime !== 'cortex') {
    const fix =
      (await knownFix(404, why)) ??
      sentence`call a path that the app's server has: ${gantryCommand`invoke ${app} --path /…`}`;
    return new AppError(`the server of ${name} returned 404`, { ...facts, why, fix });
  }
  const { fix, corrected } = deployed
    ? await fixOfFunction(context, response, why)
    : { fix: sentence`${gantryCommand`apps list`} shows the deployed apps` };
  // The functions are in the fix: no command lists them.
  const next = typeof fix === 'string' ? { next: null } : {};
  return new NotFoundError(`${name} not found (HTTP 404)`, { ...facts, why, fix, corrected, ...next });
}

/** A gateway error: the platform could not reach the app, or got no response from it (spec 8). */
async function gatewayError(context: Context, response: AppResponse, isOfRun: boolean, facts: ErrorFacts, reason = '') {
  const { status, target, firstByteMs } = response;
  const { app, name } = target;
  const because = (...causes: (string | undefined)[]) => [reason, ...causes].filter(Boolean).join('\n');
  if (status === 504) {
    return new UnavailableError(`${name} did not respond within ${duration(firstByteMs)} (HTTP 504)`, {
      ...facts,
      why: because(await describeGracePeriod(context, app)),
      fix: sentence`raise response_grace_period in cerebrium.toml (${gantryCommand`apps scale ${app} --response-grace-period 1h`}), or use --async`,
    });
  }
  // How the replica of a run ended may be shown late.
  const pausesMs = status === 503 && isOfRun ? [250, 500, 500] : [];
  const look = () => whyDown(context, target, response.startedAt);
  const down = await waitForChange(look, Boolean, context.delay, pausesMs);
  // The platform names the run of a call that began.
  if (status === 502 && (isOfRun || down?.Why === NotReadyError))
    return new AppError(`${name} did not respond (HTTP 502)`, { ...facts, why: because(closed) });
  const message = `${name} cannot be called (HTTP ${status})`;
  if (down) return new down.Why(message, { ...facts, ...down.facts, why: because(down.facts.why) });
  const why = because(status === 502 ? closed : 'no replica of the app could take the call');
  return new UnavailableError(`${name} is unavailable (HTTP ${status})`, { ...facts, why });
}

const closed =
  'the app closed the connection during the call: it crashed, or was stopped and exceeded its response_grace_period';

/** Why a later call fails as well, as far as the platform shows it: the last build, or each replica since this call began. */
export async function whyDown(context: Context, { project, app }: CallTarget, startedAt = context.elapsed()) {
  const reading = await tryRequest(context, (api) =>
    Promise.all([fetchApp(api, { project, app }), api(listContainers, { project, app })]),
  );
  if (!reading) return undefined;
  const [deployed, containers] = reading;
  const live = liveBuild(deployed);
  if (live === undefined) return whyNeverServed(app, deployed.lastBuildStatus ?? '');
  // The platform tells its time in whole seconds.
  const began = context.platformNow() - (context.elapsed() - startedAt) - 1_000;
  const ofBuild = containers.filter(({ buildId }) => buildId === live);
  const crashed = ofBuild.some((each) => hasCrashed(each) && toMs(each.containerTerminationTimestamp) >= began);
  return crashed && !ofBuild.some(isRunning)
    ? { Why: NotReadyError, facts: { why: 'the live build does not keep running' }, neverServed: false }
    : undefined;
}

function whyNeverServed(app: string, last: string) {
  if (buildPhase(last) !== 'failed') return undefined;
  const why = `no build of ${app} serves, and the last one has status ${ownStatus(last)}`;
  const facts = { why, retryable: false, fix: gantryCommand`explain ${app}` };
  return { Why: hasNotStarted(last) ? NotReadyError : BuildFailedError, facts, neverServed: true };
}

/** How to correct a request that the app has not run: its log has nothing to tell. Empty for another status. */
async function fixOfRequest(
  context: Context,
  response: AppResponse,
  said: string | undefined,
): Promise<Pick<ErrorFacts, 'why' | 'fix' | 'corrected'>> {
  const { app, fn } = response.target;
  const { status, headers } = response;
  const taken = firstHeader(headers, 'allow') ?? (/called with (\w+)/.exec(said ?? '')?.[1] || 'GET');
  if (status === 405) return { fix: `pass a method that it takes, such as --method ${taken.split(/[ ,]+/)[0]}` };
  // Such a call never reaches the function, whose log has nothing of it.
  if (![400, 422].includes(status)) return {};
  const call = fn && (await callOf(context, app, fn));
  if (!fn || !call) return fixOfUnreadCall(fn, status, said);
  const { fitCall } = await import('../../app/sample-call.ts');
  return { ...(await fitCall(context.cwd, fn, parametersOf(response))), fix: call };
}

/** How to correct a call of code that is not in this folder, or that lacks the function. */
async function fixOfUnreadCall(fn: string | undefined, status: number, said: string | undefined) {
  // The default runtime names the function whose parameters it compares.
  const isCompared = said?.startsWith(`${fn}: `) && !said.includes('positional only');
  const byText = isCompared ? undefined : await knownFix(status, said);
  const fix = byText ?? (fn && `pass the parameters of ${fn}: name=text, or name:=json`);
  return fix ? { fix } : {};
}

/** The fixes of known causes: for each field of {@link invalidFields}, or for a path that the app does not have. */
async function knownFix(statusCode: number, said: string | undefined): Promise<string | undefined> {
  const { explainLog } = await import('../../causes/index.ts');
  const reasons = said?.split(/; (?=(?:body|query|header|cookie|path)\b)/) ?? [];
  const fixes = reasons.flatMap((reason) => explainLog('', { source: 'run', reason, statusCode })?.fix ?? []);
  return fixes.join('; ') || undefined;
}

/** How to correct a call of a function that the deployed app does not have, if it is the app of this folder. */
async function fixOfFunction(
  context: Context,
  response: AppResponse,
  reason = '',
): Promise<Pick<ErrorFacts, 'fix' | 'corrected'>> {
  const { app, fn } = response.target;
  const { callableFunctions } = await import('../../app/sample-call.ts');
  const here = (await callOf(context, app)) ? await callableFunctions(context.cwd) : [];
  if (fn !== undefined && here.includes(fn)) return { fix: gantryCommand`deploy` };
  // The code here may not be what is deployed.
  const functions = deployedFunctions(reason) ?? here;
  const closest = fn && closestName(fn, functions);
  // Nobody has to type `run`.
  const meant = closest || (fn === 'run' ? functions[0] : undefined);
  if (!meant) return { fix: whatToCall(app, reason, here) };
  return callOfMeant(context, response, { meant, isTyped: meant === closest, isHere: here.includes(meant) });
}

/** A call like this one of the function that is meant. One that was typed is corrected where it stands. */
async function callOfMeant(
  context: Context,
  response: AppResponse,
  { meant, isTyped, isHere }: { meant: string; isTyped: boolean; isHere: boolean },
) {
  const { missingPairs, pairsOf } = await import('../../app/sample-call.ts');
  const { app, fn = '' } = response.target;
  const sent = parametersOf(response);
  const lacks = isHere ? await missingPairs(context.cwd, meant, sent) : [];
  const corrected = { typed: fn, meant: [meant, ...lacks] };
  if (isTyped) return { fix: gantryCommand`invoke ${app} ${[meant, ...lacks]}`, corrected };
  // What is long was not typed as words.
  const given = stringifyJson(sent).length <= 200 ? pairsOf(sent) : [];
  return { fix: gantryCommand`invoke ${app} ${[meant, ...given, ...lacks]}` };
}

const deployedFunctions = (reason: string) => /available functions: (?!none$)(.+)/.exec(reason)?.[1]?.split(', ');

function whatToCall(app: string, reason: string, here: readonly string[]): Fix {
  const deployed = deployedFunctions(reason);
  const functions = deployed ?? here;
  if (functions.length > 0) return `call one that ${deployed ? 'is deployed' : 'main.py has'}: ${functions.join(', ')}`;
  return /available functions: none$/.test(reason)
    ? sentence`add a function to main.py, then ${gantryCommand`deploy`}`
    : `${app} exists: check that the deployed code has this function and that its name does not start with _`;
}

/** A call of a function, or of the first one, as the code in this folder has it; undefined for another app. */
async function callOf({ cwd }: Context, app: string, fn?: string): Promise<CommandLine | undefined> {
  const { sampleInvocation } = await import('../../app/sample-call.ts');
  return sampleInvocation(cwd, app, fn);
}
