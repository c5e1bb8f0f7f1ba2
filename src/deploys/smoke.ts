import type { AppConfig } from '../app/config.ts';
import { callableFunctions, lackingValues, mayHaveFunction } from '../app/sample-call.ts';
import {
  type AppEvent,
  type AppResponse,
  type BufferedResponse,
  invokeApp,
  readEvents,
  readResponse,
} from '../calls/invoke/index.ts';
import { fetchRun, runHasFailed } from '../calls/runs/index.ts';
import { closestName } from '../kernel/closest-name.ts';
import { quoteForShell } from '../kernel/command-line.ts';
import { AppError, GantryError, throwUnexpected, UsageError } from '../kernel/errors.ts';
import { isRecord, stringifyJson, tryParseJson } from '../kernel/json-text.ts';
import { duration } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { buildPhase, listBuilds } from '../platform/contract/builds.ts';
import { type Run, replicaOf } from '../platform/contract/runs.ts';
import { contextWith, tryRequest, unless } from '../platform/waiting/index.ts';
import type { ObservedBuild, Smoke, WatchedBuild } from './observed-build.ts';
import { lateMs } from './serving.ts';

/** How long an app may take to answer, its start included, in ms. */
const answerMs = 600_000;
/** How long replicas of the build before may take to go, in ms. */
const goneMs = 120_000;
/** How long it is called again if another one has answered than it, in ms. */
const lastsMs = { other: goneMs, gateway: 20_000, nobody: 0 };
/** How long the record of a call that a gateway may have refused is waited for: there may be none. */
const refusedMs = 4_000;
const pauseMs = 2_000;

/** An answer counts only of a replica of the build. Wakes one that sleeps, at its cost. The first bad call ends it. */
export async function callBuild(
  context: Context,
  observed: ObservedBuild,
  tests: readonly SmokeTest[],
  isEnveloped: boolean,
): Promise<Smoke> {
  const step = context.progress.step(`Calling ${observed.subject.app}`);
  let calls = 0;
  try {
    for (const test of tests) {
      const smoke = await callOnce(context, observed, test, isEnveloped);
      calls += smoke.calls;
      if (smoke.says !== 'yes') return { ...smoke, calls };
    }
    return { says: 'yes', reason: '', calls };
  } finally {
    step.clear();
  }
}

/** Again while replicas of the build before answer, or a gateway refuses. */
async function callOnce(
  context: Context,
  observed: ObservedBuild,
  test: SmokeTest,
  isEnveloped: boolean,
): Promise<Smoke> {
  const { elapsed, delay, progress } = context;
  const started = elapsed();
  const { name } = test;
  for (let calls = 1; ; calls++) {
    const answer = await call(context, observed.subject.app, test, isEnveloped);
    const { durationMs, reason, says, isCallers, said } = answer;
    const what = reason || 'answered';
    const { by, unseen } = answer.isNone ? noOther : await whoAnswered(context, observed, answer);
    if (by === 'own') {
      progress.note(`${test.typed}: ${what} (${duration(durationMs)})`);
      return { says, reason: reason && `${name}: ${reason}`, isCallers, said, calls };
    }
    if (elapsed() - started >= lastsMs[by]) {
      const late = `replicas of the build before still answered after ${duration(goneMs)}`;
      const unknown = `${what}, and which build answered is not known: ${unseen}`;
      return { says: 'unclear', reason: `${name}: ${by === 'other' ? late : unknown}`, calls };
    }
    await delay(pauseMs);
  }
}

/** What an answer says of the build that gave it. Unclear: that build has not said anything by it. */
type SmokeFinding = Omit<Smoke, 'calls'>;

const good: SmokeFinding = { says: 'yes', reason: '' };

interface SmokeAnswer extends SmokeFinding {
  run?: string | null | undefined;
  durationMs: number;
  /** What lies before the app may have refused the call: the app has failed only if it has a run that did. */
  isOfGateway?: boolean;
  isNone?: boolean;
}

async function call(context: Context, app: string, test: SmokeTest, isEnveloped: boolean): Promise<SmokeAnswer> {
  const { elapsed, end } = context;
  const { path, fn, data } = test;
  const started = elapsed();
  // The call sets what Ctrl-C prints, and when the command ends, which is for the deploy to say.
  const quiet = contextWith(context, { interruption: {}, end: { ...end } });
  const timeout = Math.max(0, Math.min(answerMs, (end.at ?? Number.POSITIVE_INFINITY) - started));
  const asked = { args: fn === undefined ? [] : [fn], data, path, method: path && 'GET' };
  try {
    const result = await invokeApp(quiet, { app, ...asked, auth: true, timeout });
    if (!('response' in result)) return { ...good, durationMs: elapsed() - started };
    const { run, durationMs, ...read } = await readResponse(result.response, elapsed);
    return { run, durationMs, ...(await judge(result.response, read, test, isEnveloped)) };
  } catch (error) {
    throwUnexpected(error, context.signal);
    return { durationMs: elapsed() - started, ...failureOf(error, isEnveloped || data ? undefined : fn) };
  }
}

/** `page`: what may be meant as a path, and lacks its slash: an app with a server of its own gets a POST of a function. */
function failureOf(error: GantryError, page: string | undefined): Omit<SmokeAnswer, 'durationMs'> {
  const { status, requestId, details } = error.facts;
  const { run = null } = (details ?? {}) as { run?: string | null };
  const isNone = status === undefined && !(error instanceof AppError);
  // What an app and the platform answer alike: a 404 may be of a path that the app does not have, or of an app without a route.
  const isAmbiguous = status !== undefined && (status < 400 || (status === 404 && run === null));
  const isOfGateway = !isNone && (isAmbiguous || !(error instanceof AppError));
  const isCallers = status !== undefined && status < 500;
  const isMissing = page !== undefined && (status === 404 || status === 405);
  const reason = `${error.message}${isMissing ? `, to POST /${page}; --smoke /${page} gets it` : ''}`;
  return { run: run ?? requestId, says: isNone ? 'unclear' : 'no', reason, isOfGateway, isCallers, isNone };
}

/** The build that is called, the one before it, none since a gateway refused; or why it is not known. */
interface Answered {
  by: 'own' | 'other' | 'gateway' | 'nobody';
  unseen: string;
}

const noOther: Answered = { by: 'own', unseen: '' };

/** Which build has answered: that of the replica that the run names. Both may be listed late. */
async function whoAnswered(context: Context, observed: ObservedBuild, answer: SmokeAnswer): Promise<Answered> {
  const { api, project, elapsed, delay } = context;
  const started = elapsed();
  let run: Run | undefined;
  for (;;) {
    if (answer.run)
      run ??= await unless(
        (error) => error instanceof GantryError,
        fetchRun(api, { project, app: observed.subject.app, run: answer.run }),
      );
    await observed.look({ withRuns: false });
    const { is: shows, reason } = observed.shown;
    const waitedMs = elapsed() - started;
    const answered = /^(not known|later)$/.test(shows)
      ? nobody(reason)
      : await byReplica(context, observed, answer, { run, waitedMs });
    const isFinal = answered.by !== 'nobody' || shows === 'later' || observed.refusal !== undefined;
    if (isFinal || waitedMs >= lateMs) return answered;
    await delay(pauseMs);
  }
}

async function byReplica(
  context: Context,
  { subject, refusal, replicas }: ObservedBuild,
  { isOfGateway, run: id }: SmokeAnswer,
  { run, waitedMs }: { run: Run | undefined; waitedMs: number },
): Promise<Answered> {
  if (id && !run && waitedMs < (isOfGateway ? refusedMs : lateMs)) return nobody('its run is not listed');
  if (refusal) return nobody(`replicas are not listed (${refusal.message})`);
  if (isOfGateway && !(run && runHasFailed(run)))
    return { by: 'gateway', unseen: 'no run of the app has failed by this call' };
  const replica = run && replicaOf(run);
  if (!replica) return (await isOnlyBuild(context, subject)) ? noOther : nobody('its run names no replica');
  const by = replicas.of(replica);
  return by === 'nobody' ? nobody('its replica is not listed with a build') : { by, unseen: '' };
}

/** Then nobody else can have answered. */
async function isOnlyBuild(context: Context, { app, build, earlierBuilds }: WatchedBuild): Promise<boolean> {
  const { project } = context;
  const builds = await tryRequest(context, (api) => api(listBuilds, { project, app }));
  const isOnly = builds?.every(({ id, status }) => id === build || buildPhase(status) !== 'succeeded') ?? false;
  return isOnly && earlierBuilds.size === 0;
}

function nobody(unseen: string): Answered {
  return { by: 'nobody', unseen };
}

/** Only what the app itself has said counts: no envelope of the platform. */
async function judge(
  response: AppResponse,
  read: Pick<BufferedResponse, 'body' | 'encoding'>,
  { fn, expected }: SmokeTest,
  isEnveloped: boolean,
): Promise<SmokeFinding> {
  const said = fn === undefined ? textOf(read.body) : await resultOf(response, read, isEnveloped);
  if (typeof said !== 'string') return said;
  // It goes into the history, which holds nothing that was typed.
  const isMissing = expected !== undefined && !withoutGaps(said).includes(withoutGaps(expected));
  const reason = 'the response does not have the expected text';
  return isMissing ? { says: 'no', reason, isCallers: true, said: said.replace(/\s+/g, ' ').slice(0, 200) } : good;
}

/** What a function has returned, as text. */
async function resultOf(
  response: AppResponse,
  { body, encoding }: Pick<BufferedResponse, 'body' | 'encoding'>,
  isEnveloped: boolean,
): Promise<string | SmokeFinding> {
  if (response.status === 202) return none('the call was only accepted (202)');
  if (response.type === 'text/event-stream' && body !== '') return resultOfEvents(response, textOf(body));
  if (encoding !== 'json') {
    return none(`a function answers with JSON, but the response ${body === '' ? 'is empty' : 'is none'}`);
  }
  if (!isEnveloped) return textOf(body);
  const { run_id: run, result } = Object(body) as { run_id?: unknown; result?: unknown };
  return typeof run === 'string' && result !== undefined ? textOf(result) : none('the response has no result of a run');
}

async function resultOfEvents(response: AppResponse, text: string): Promise<string | SmokeFinding> {
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  const events: AppEvent[] = [];
  for await (const event of readEvents({ ...response, chunks })) events.push(event);
  const said = events.filter(({ event }) => event !== 'error');
  if (said.length === 0) return none(events.length > 0 ? 'all of its events are errors' : 'it sent no event');
  return said.map(({ data }) => data).join('\n');
}

/** A text without the spaces between the parts of JSON: apps, platforms and terminals write them differently. */
function withoutGaps(text: string): string {
  const isGap = (gap: string, at: number) =>
    /[:,[{]/.test(text[at - 1] ?? '') || /[\]}]/.test(text[at + gap.length] ?? '');
  return text.replace(/\s+/g, (gap: string, at: number) => (isGap(gap, at) ? '' : gap));
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : stringifyJson(body);
}

function none(reason: string): SmokeFinding {
  return { says: 'unclear', reason };
}

/** A call that a new build must answer, as typed: `/health`, `/health:ok`, `run`, `run={"name":"Ada"}:Hello`. */
export interface SmokeTest {
  typed: string;
  name: string;
  /** GET this path of an app with a server of its own. */
  path?: string;
  /** Or call this function, with JSON. */
  fn?: string;
  data?: string;
  expected?: string;
}

/** Parses the value of `--smoke`. Throws UsageError. */
export function parseSmokeTest(typed: string): SmokeTest {
  const [, named, data] = /^([A-Za-z]\w*)=(.*)$/s.exec(typed) ?? [];
  if (named !== undefined && data !== undefined) return { typed, name: named, fn: named, ...splitJson(typed, data) };
  const colon = typed.indexOf(':');
  const called = colon < 0 ? typed : typed.slice(0, colon);
  const rest = { typed, name: called, ...(colon >= 0 && { expected: typed.slice(colon + 1) }) };
  if (called.startsWith('/')) return { ...rest, path: called };
  if (/^[A-Za-z]\w*$/.test(called)) return { ...rest, fn: called };
  throw new UsageError(`invalid --smoke "${typed}": expected a path, or a function with JSON`, {
    fix: '--smoke /health, --smoke run, or --smoke \'run={"name":"Ada"}:Hello\'',
  });
}

/** Throws UsageError for what a function app surely does not answer: without its function in main.py, or its parameters. */
export async function checkSmokeTests(tests: readonly SmokeTest[], { runtime, root }: AppConfig): Promise<void> {
  for (const { typed, fn, path = '', data = '{}', expected } of runtime === 'cortex' ? tests : []) {
    const name = fn ?? path.split('/')[1] ?? '';
    if (!(await mayHaveFunction(root, name))) throw noFunctionError(typed, name, await callableFunctions(root));
    const given: unknown = tryParseJson(data);
    if (fn === undefined || !isRecord(given)) continue;
    const lacking = await lackingValues(root, fn, given);
    const names = Object.keys(lacking).join(', ');
    if (names === '') continue;
    const whole = `${fn}=${stringifyJson({ ...given, ...lacking })}${expected === undefined ? '' : `:${expected}`}`;
    throw new UsageError(`--smoke ${typed}: ${fn} needs ${names}`, { fix: `--smoke ${quoteForShell(whole)}` });
  }
}

function noFunctionError(typed: string, name: string, functions: readonly string[]): UsageError {
  const meant = closestName(name, functions) ?? functions[0];
  return new UsageError(`--smoke ${typed}: main.py has no function ${name}`, {
    why: functions.length > 0 ? `its functions: ${functions.join(', ')}` : undefined,
    fix: meant && `--smoke ${meant}`,
  });
}

/** JSON has colons, too: the data is the longest beginning that is JSON. */
function splitJson(typed: string, text: string): Pick<SmokeTest, 'data' | 'expected'> {
  if (tryParseJson(text) !== undefined) return { data: text };
  for (let colon = text.lastIndexOf(':'); colon > 0; colon = text.lastIndexOf(':', colon - 1)) {
    const data = text.slice(0, colon);
    if (tryParseJson(data) !== undefined) return { data, expected: text.slice(colon + 1) };
  }
  throw new UsageError(`invalid --smoke "${typed}": what follows = is not JSON`, {
    fix: '--smoke \'run={"name":"Ada"}\'',
  });
}
