import { safeParse } from 'valibot';
import type { Context } from '../../context.ts';
import { RunAcknowledgement, webhookSecretHeader } from '../../contract/invocation.ts';
import type { Run } from '../../contract/runs.ts';
import { AppError, UnexpectedReplyError } from '../../errors.ts';
import type { ReceivedRequest } from '../../receiver/index.ts';
import { fetchRun, hasEnded, runStatus } from '../runs/index.ts';
import { webhookSecret } from '../webhooks/index.ts';
import { runIdOf, wholeOf } from './answer.ts';
import { aside } from './best-effort.ts';
import { type AppAnswer, type Call, successOf } from './call.ts';
import type { Pass } from './headers.ts';
import type { Invocation } from './invocation.ts';
import type { Target } from './target.ts';
import { longestMs, waitForRun } from './wait.ts';
import { type Awaiting, awaitWebhook } from './webhook.ts';

/** A run that goes on by itself, or did until it was waited for. */
export interface StartedRun {
  runId: string;
  app: string;
  /** Of the call: 202. */
  status: number;
  /** Its record at the end; null when it was not waited for. */
  run: Run | null;
}

/** Starts a run, and waits for its end if that is asked for. Throws as `successOf` and `waitForRun` do. */
export async function started(
  context: Context,
  { wait, timeout }: Invocation,
  call: Call,
  pass: Pass,
): Promise<StartedRun> {
  const { target } = call;
  const runId = await begun(context, call, pass);
  watch(context, target, runId);
  const waiting = { target, runId, timeoutMs: timeout ?? longestMs };
  const run = wait ? await waitForRun(context, waiting) : null;
  return { runId, app: target.app, status: 202, run };
}

/** The answer of a run that came by its webhook, as if the call had been waited for. */
export async function delivered(
  context: Context,
  { port = 0, publicUrl, webhookSecretFile, timeout }: Invocation,
  call: Call,
  pass: Pass,
): Promise<AppAnswer> {
  const { target } = call;
  const secret = await webhookSecret(context, webhookSecretFile);
  const awaiting = await awaitWebhook(context, { port, publicUrl, secret });
  const startedAt = context.elapsed();
  try {
    const runId = await begun(context, { ...call, ...addressed(call, awaiting) }, pass);
    watch(context, target, runId);
    const received = await awaiting.deliveryOf(target, runId, timeout ?? longestMs);
    await checkOutcome(context, target, runId, received);
    return answerOf(received, target, startedAt, context.elapsed() - startedAt);
  } finally {
    await awaiting.close();
  }
}

/** The id of the run that was begun (spec 2.15). */
async function begun(context: Context, call: Call, pass: Pass): Promise<string> {
  const answer = await successOf(context, call, pass);
  const { status, body, headers } = await wholeOf(answer, context.elapsed);
  const acknowledged = safeParse(RunAcknowledgement, body);
  const runId = acknowledged.success ? acknowledged.output.run_id : status === 202 && runIdOf({ headers });
  if (runId) return runId;
  throw new UnexpectedReplyError(`${call.target.name} did not say which run was begun`, {
    ...{ status, why: 'an asynchronous call is answered by 202 and the id of its run' },
    details: { body },
  });
}

function watch({ interruption }: Context, { app }: Target, runId: string): void {
  interruption.message = `stopped watching; run ${runId} goes on: gantry runs follow ${app} ${runId} waits for it, gantry runs cancel ${app} ${runId} stops it`;
}

function addressed({ url: given, headers }: Call, { address, secret }: Awaiting): Pick<Call, 'url' | 'headers'> {
  const url = new URL(given);
  url.searchParams.set('async', 'true');
  url.searchParams.set('webhookEndpoint', address);
  return { url, headers: { ...headers, [webhookSecretHeader.toLowerCase()]: secret } };
}

/** What is delivered does not tell whether it is an error; the record of the run may, if it is settled by now. */
async function checkOutcome(context: Context, { project, app }: Target, runId: string, { body }: ReceivedRequest) {
  const run = await aside(context, (api) => fetchRun(api, { project, app, run: runId }));
  if (!run || !hasEnded(run) || runStatus(run) === 'success') return;
  throw new AppError(`run ${runId} of ${app} ended as ${runStatus(run)}`, {
    why: `it delivered ${body.toString('utf8').slice(0, 2_000)}`,
    fix: `gantry runs get ${app} ${runId}`,
    details: { app, run: runId, status: runStatus(run), statusCode: run.statusCode ?? null },
  });
}

function answerOf(
  { headers, body }: ReceivedRequest,
  target: Target,
  startedAt: number,
  firstByteMs: number,
): AppAnswer {
  async function* pieces() {
    yield body;
  }
  return {
    ...{ target, status: 200, statusText: 'delivered', headers, startedAt, firstByteMs },
    type: (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase(),
    pieces: pieces(),
    close: async () => {},
  };
}
