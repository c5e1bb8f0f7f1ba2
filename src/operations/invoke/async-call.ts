import { safeParse } from 'valibot';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { RunAcknowledgement, webhookSecretHeader } from '../../contract/invocation.ts';
import type { Run } from '../../contract/runs.ts';
import { AppError, UnexpectedReplyError } from '../../errors.ts';
import { cutText } from '../../output/format.ts';
import type { ReceivedRequest } from '../../receiver/index.ts';
import { fetchRun, hasEnded, runStatus } from '../runs/index.ts';
import { readWebhookSecret } from '../webhooks/index.ts';
import { tryRequest } from './best-effort.ts';
import { type AppCall, type AppResponse, callOrThrow } from './call.ts';
import type { CallAuth } from './call-headers.ts';
import type { CallTarget } from './call-target.ts';
import { type DeliveryReceiver, openDeliveryReceiver } from './delivery-receiver.ts';
import type { InvokeOptions } from './invocation.ts';
import { readResponse, readRunId } from './response.ts';
import { maxRunMs, waitForRun } from './wait-for-run.ts';

/** A run that goes on by itself, or did until it was waited for. */
export interface AsyncRun {
  runId: string;
  app: string;
  /** Of the call: 202. */
  status: number;
  /** Its record at the end; null when it was not waited for. */
  run: Run | null;
}

/** Starts a run, and waits for its end if that is asked for. Throws as `successOf` and `waitForRun` do. */
export async function startAsyncRun(
  context: Context,
  { wait, timeout }: InvokeOptions,
  call: AppCall,
  pass: CallAuth,
): Promise<AsyncRun> {
  const { target } = call;
  const runId = await requestAsyncRun(context, call, pass);
  setInterruptionNote(context, target, runId);
  const waiting = { target, runId, timeoutMs: timeout ?? maxRunMs };
  const run = wait ? await waitForRun(context, waiting) : null;
  return { runId, app: target.app, status: 202, run };
}

/** The answer of a run that came by its webhook, as if the call had been waited for. */
export async function callAndAwaitDelivery(
  context: Context,
  { port = 0, publicUrl, webhookSecretFile, timeout }: InvokeOptions,
  call: AppCall,
  pass: CallAuth,
): Promise<AppResponse> {
  const { target } = call;
  const secret = await readWebhookSecret(context, webhookSecretFile);
  const awaiting = await openDeliveryReceiver(context, { port, publicUrl, secret });
  const startedAt = context.elapsed();
  try {
    const runId = await requestAsyncRun(context, withWebhook(call, awaiting), pass);
    setInterruptionNote(context, target, runId);
    const received = await awaiting.waitForDelivery(target, runId, timeout ?? maxRunMs);
    await throwIfRunFailed(context, target, runId, received);
    return toResponse(received, target, startedAt, context.elapsed() - startedAt);
  } finally {
    await awaiting.close();
  }
}

/** The id of the run that was begun (spec 2.15). */
async function requestAsyncRun(context: Context, call: AppCall, pass: CallAuth): Promise<string> {
  const answer = await callOrThrow(context, call, pass);
  const { status, body, headers } = await readResponse(answer, context.elapsed);
  const acknowledged = safeParse(RunAcknowledgement, body);
  const runId = acknowledged.success ? acknowledged.output.run_id : status === 202 && readRunId({ headers });
  if (runId) return runId;
  throw new UnexpectedReplyError(`${call.target.name} did not say which run was begun`, {
    ...{ status, why: 'an asynchronous call is answered by 202 and the id of its run' },
    details: { body },
  });
}

function setInterruptionNote({ interruption }: Context, { app }: CallTarget, runId: string): void {
  interruption.says = `stopped watching; run ${runId} goes on: gantry runs follow ${app} ${runId} waits for it, gantry runs cancel ${app} ${runId} stops it`;
}

function withWebhook(call: AppCall, receiver: DeliveryReceiver): AppCall {
  const url = new URL(call.url);
  url.searchParams.set('async', 'true');
  url.searchParams.set('webhookEndpoint', receiver.url);
  return { ...call, url, headers: { ...call.headers, [webhookSecretHeader.toLowerCase()]: receiver.secret } };
}

/** What is delivered does not tell whether it is an error; the record of the run may, if it is settled by now. */
async function throwIfRunFailed(
  context: Context,
  { project, app }: CallTarget,
  runId: string,
  { body }: ReceivedRequest,
) {
  const run = await tryRequest(context, (api) => fetchRun(api, { project, app, run: runId }));
  if (!run || !hasEnded(run) || runStatus(run) === 'success') return;
  throw new AppError(`run ${runId} of ${app} ended as ${runStatus(run)}`, {
    why: `it delivered ${cutText(body.toString('utf8'), 2_000)}`,
    fix: gantryCommand`runs get ${app} ${runId}`,
    details: { app, run: runId, status: runStatus(run), statusCode: run.statusCode ?? null },
  });
}

function toResponse(
  { headers, body }: ReceivedRequest,
  target: CallTarget,
  startedAt: number,
  firstByteMs: number,
): AppResponse {
  async function* pieces() {
    yield body;
  }
  return {
    ...{ target, status: 200, statusText: 'delivered', headers, startedAt, firstByteMs },
    type: (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase(),
    chunks: pieces(),
    close: async () => {},
  };
}
