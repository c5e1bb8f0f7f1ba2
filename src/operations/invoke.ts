import { safeParse } from 'valibot';
import type { Context } from '../context.ts';
import { RunAcknowledgement, webhookSecretHeader } from '../contract/invocation.ts';
import { getRun, type Run } from '../contract/runs.ts';
import { AppError, UnexpectedReplyError, UsageError } from '../errors.ts';
import type { Received } from '../receiver/index.ts';
import { runIdOf, wholeOf } from './invoke/answer.ts';
import { aside } from './invoke/aside.ts';
import { bodyOf } from './invoke/body.ts';
import { type AppAnswer, type Call, callApp } from './invoke/call.ts';
import { failureOf } from './invoke/failure.ts';
import { type Pass, passFor, readHeaders, usualHeaders } from './invoke/headers.ts';
import { readWords } from './invoke/pairs.ts';
import { type Target, targetOf } from './invoke/target.ts';
import { longestMs, waitForRun } from './invoke/wait.ts';
import { type Awaiting, awaitWebhook } from './invoke/webhook.ts';
import { hasEnded, runState } from './runs/state.ts';
import { deliveryAddress } from './webhooks/address.ts';
import { webhookSecret } from './webhooks/secret.ts';

/** A call of an app, as it was asked for. */
export interface Invocation {
  app: string;
  /** A function, perhaps, and parameters. */
  words: string[];
  /** JSON, `@file`, or `-`. */
  data?: string | undefined;
  /** A file with any bytes, or `-`. */
  input?: string | undefined;
  method?: string | undefined;
  path?: string | undefined;
  /** `Name: value`. */
  header?: string[] | undefined;
  /** False sends no token. */
  auth: boolean;
  /** Milliseconds. */
  timeout?: number | undefined;
  stream?: boolean | undefined;
  async?: boolean | undefined;
  wait?: boolean | undefined;
  webhook?: string | undefined;
  webhookSecretFile?: string | undefined;
  awaitWebhook?: boolean | undefined;
  port?: number | undefined;
  publicUrl?: string | undefined;
}

/** A run that goes on by itself, or did until it was waited for. */
export interface StartedRun {
  runId: string;
  app: string;
  /** Of the call: 202. */
  status: number;
  /** Its record at the end; null when it was not waited for. */
  run: Run | null;
}

/** What a call gives: an answer whose body is still to come, or a run. */
export type Invoked = { answer: AppAnswer } | { started: StartedRun };

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/**
 * Calls an app. An answer that is no success is thrown: AppError when it is the app's, the class of its status when it
 * is the platform's. Throws UsageError for what makes no sense, before anything is sent.
 */
export async function invokeApp(context: Context, invocation: Invocation): Promise<Invoked> {
  check(invocation);
  const { call, pass } = await prepare(context, invocation);
  const { interruption } = context;
  const { target } = call;
  interruption.says = `stopped waiting; ${target.app} may go on with the call: gantry runs list ${target.app} shows it`;
  if (invocation.awaitWebhook) return { answer: await delivered(context, invocation, call, pass) };
  if (!invocation.async && !invocation.wait) return { answer: await successful(context, call, pass) };
  const runId = await started(context, call, pass);
  watch(context, target, runId);
  const waiting = { target, runId, timeoutMs: invocation.timeout ?? longestMs };
  const run = invocation.wait ? await waitForRun(context, waiting) : null;
  return { started: { runId, app: target.app, status: 202, run } };
}

function check(invocation: Invocation): void {
  const { method = 'POST', data, input, stream, wait, webhook, awaitWebhook } = invocation;
  const asynchronous = invocation.async || wait || awaitWebhook;
  const secretFile = invocation.webhookSecretFile;
  const rules: [broken: unknown, message: string, fix?: string][] = [
    [!methods.includes(method), `${method} is no method`, `it is ${methods.join(', ')}`],
    [/^(GET|HEAD)$/.test(method) && (data ?? input) !== undefined, `a ${method} has no body`],
    [stream && asynchronous, '--stream is for a call that is waited for: without --async, --wait and --await-webhook'],
    [wait && awaitWebhook, '--wait and --await-webhook are two ways to wait: one of them'],
    [webhook !== undefined && awaitWebhook, '--await-webhook is a webhook of its own: without --webhook'],
    [
      !awaitWebhook && (invocation.port ?? invocation.publicUrl) !== undefined,
      '--port and --public-url go with --await-webhook',
    ],
    [
      secretFile !== undefined && webhook === undefined && !awaitWebhook,
      '--webhook-secret-file goes with --webhook or --await-webhook',
    ],
    [secretFile === '-' && (data === '-' || input === '-'), 'only one thing can come from stdin'],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new UsageError(broken[1], broken[2] ? { fix: broken[2] } : {});
}

async function prepare(context: Context, invocation: Invocation): Promise<{ call: Call; pass: Pass }> {
  const { app, data, input, path, method = 'POST', stream, timeout } = invocation;
  const { fn, parameters } = readWords(invocation.words);
  if (parameters && /^(GET|HEAD)$/.test(method)) throw new UsageError(`a ${method} has no body: put it into --path`);
  const given = readHeaders(invocation.header ?? []);
  const target = targetOf(context, { app, fn, path });
  const usual = method === 'POST' && path === undefined ? {} : undefined;
  const { content, type } = await bodyOf(context, { parameters, data, input }, usual);
  const webhook = invocation.webhook && deliveryAddress(invocation.webhook, '--webhook');
  const secret = webhook && (await webhookSecret(context, invocation.webhookSecretFile));
  const pass = passFor(context, given, invocation.auth);
  const url = new URL(target.url);
  if (invocation.async || invocation.wait) url.searchParams.set('async', 'true');
  if (webhook) url.searchParams.set('webhookEndpoint', webhook.href);
  const headers = {
    ...usualHeaders(type),
    ...(stream ? { accept: 'text/event-stream' } : {}),
    ...(secret ? { [webhookSecretHeader.toLowerCase()]: secret } : {}),
    ...pass.headers,
    ...given,
  };
  return { call: { target, method, url, headers, body: content, timeoutMs: timeout }, pass };
}

async function successful(context: Context, call: Call, pass: Pass): Promise<AppAnswer> {
  const answer = await callApp(context, call);
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw await failureOf(context, answer, pass);
}

/** The id of the run that was begun (spec 2.15). */
async function started(context: Context, call: Call, pass: Pass): Promise<string> {
  const answer = await successful(context, call, pass);
  const { status, body, headers } = await wholeOf(answer, context.now);
  const acknowledged = safeParse(RunAcknowledgement, body);
  const runId = acknowledged.success ? acknowledged.output.run_id : status === 202 && runIdOf({ headers });
  if (runId) return runId;
  throw new UnexpectedReplyError(`${call.target.name} did not say which run was begun`, {
    ...{ status, why: 'an asynchronous call is answered by 202 and the id of its run' },
    details: { body },
  });
}

function watch({ interruption }: Context, { app }: Target, runId: string): void {
  interruption.says = `stopped watching; run ${runId} goes on: gantry runs follow ${app} ${runId} waits for it, gantry runs cancel ${app} ${runId} stops it`;
}

/** The answer of a run that came by its webhook, as if the call had been waited for. */
async function delivered(context: Context, invocation: Invocation, call: Call, pass: Pass): Promise<AppAnswer> {
  const { port = 0, publicUrl, webhookSecretFile, timeout } = invocation;
  const { target } = call;
  const secret = await webhookSecret(context, webhookSecretFile);
  const awaiting = await awaitWebhook(context, { port, publicUrl, secret });
  const startedAt = context.now();
  try {
    const runId = await started(context, { ...call, ...addressed(call, awaiting) }, pass);
    watch(context, target, runId);
    const received = await awaiting.deliveryOf(target, runId, timeout ?? longestMs);
    await checkOutcome(context, target, runId, received);
    return answerOf(received, target, startedAt, context.now());
  } finally {
    await awaiting.close();
  }
}

function addressed({ url: given, headers }: Call, { address, secret }: Awaiting): Pick<Call, 'url' | 'headers'> {
  const url = new URL(given);
  url.searchParams.set('async', 'true');
  url.searchParams.set('webhookEndpoint', address);
  return { url, headers: { ...headers, [webhookSecretHeader.toLowerCase()]: secret } };
}

/** What is delivered does not tell whether it is an error; the record of the run may, if it is settled by now. */
async function checkOutcome(context: Context, { project, app }: Target, runId: string, { body }: Received) {
  const run = (await aside(context, (api) => api(getRun, { project, app, run: runId })))?.item;
  if (!run || !hasEnded(run) || runState(run) === 'success') return;
  throw new AppError(`run ${runId} of ${app} ended as ${runState(run)}`, {
    why: `it delivered ${body.toString('utf8').slice(0, 2_000)}`,
    fix: `gantry runs get ${app} ${runId}`,
    details: { app, run: runId, status: runState(run), statusCode: run.statusCode ?? null },
  });
}

function answerOf({ headers, body }: Received, target: Target, startedAt: number, now: number): AppAnswer {
  async function* pieces() {
    yield body;
  }
  return {
    ...{ target, status: 200, statusText: 'delivered', headers, startedAt, firstByteMs: now - startedAt },
    type: (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase(),
    pieces: pieces(),
    close: async () => {},
  };
}
