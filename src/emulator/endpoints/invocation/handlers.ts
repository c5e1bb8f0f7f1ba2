import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseJsonOr } from '../../../kernel/json-text.ts';
import { invoke as contract } from '../../../platform/contract/invocation.ts';
import { parseAs } from '../../http/read-request.ts';
import { jsonReply, refuse, type ServerReply, watchReply } from '../../http/reply.ts';
import { markAssigned, markEnded, markStarted, recordRun, unassigned } from '../../model/runs/record.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { CallAbortedError, type ReplicaCall } from '../../running/replicas/replica.ts';
import type { ReplicaSlot } from '../../running/replicas/replica-pool.ts';
import { findReadyBuild, whyNotRunnable } from '../builds/handlers.ts';
import { reportEndedRun } from '../call-observer.ts';
import type { Handlers, Platform, RequestContext } from '../platform.ts';
import { acquireReplica } from './acquire-replica.ts';
import { checkCaller, errorReply, findCalledApp, forwardedHeaders, pathBelowApp, timeoutError } from './route-call.ts';
import { deliverWebhook } from './webhooks.ts';

/** Calls of deployed apps (spec 4.18). */
export const invocationHandlers = {
  async invoke(context, platform) {
    const { request, url } = context;
    const { app, path } = findCalledApp(url, platform);
    await checkCaller(request, app, platform);
    const { async = false, webhookEndpoint } = parseAs(contract.query, Object.fromEntries(url.searchParams));
    if (webhookEndpoint) checkWebhook(webhookEndpoint);

    const body = await readCallBody(context, app, async, platform);
    const method = request.method ?? 'POST';
    const functionName = path.join('/');
    const record = { app: app.id, functionName, method, async, container: unassigned };
    const run = recordRun({ ...record, ...(webhookEndpoint && { webhookEndpoint }) }, platform).id;
    const headers = forwardedHeaders(app, request.headers);
    const controller = platform.runner.track(run);
    const call = { run, method, path, address: pathBelowApp(url), headers, body };
    const caller = async ? undefined : request.socket;
    const response = performCall({ app, call, controller, caller }, platform).then((reply) => withRunId(reply, run));
    const secret = request.headers['x-webhook-secret'];
    const delivered = webhookEndpoint
      ? response.then((reply) => alsoToWebhook(reply, run, webhookEndpoint, secret, platform))
      : response;
    if (async) {
      const ended = delivered.then(drain).finally(() => reportEndedRun(run, pathBelowApp(url), platform));
      platform.runner.runInBackground(ended);
      return withRunId(jsonReply({ run_id: run }, 202), run);
    }
    return delivered;
  },
} satisfies Partial<Handlers>;

function checkWebhook(address: string): void {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    refuse(400, `webhookEndpoint must be an encoded http or https URL: ${address}`);
  }
}

/** Streams the body to an app's own server. Functions and asynchronous calls get it buffered. */
async function readCallBody(
  { body, call }: RequestContext,
  app: AppRecord,
  async: boolean,
  platform: Platform,
): Promise<CallTask['call']['body']> {
  const build = findReadyBuild(app, platform);
  const streams = build?.settings.runtime === 'custom' && !async;
  if (streams && !(await whyNotRunnable(build, platform))) return body;
  const whole = await buffer(body);
  if (whole.length <= maxRecordedBytes) call.body = parseJsonOr(String(whole), String(whole));
  return whole;
}

/** A longer body is not kept for tests that read requests. */
const maxRecordedBytes = 1024 * 1024;

function withRunId(reply: ServerReply, run: string): ServerReply {
  return { ...reply, headers: { ...reply.headers, 'x-request-id': run } };
}

/** Also delivers the response to a webhook when it is complete. The caller does not wait for that. */
function alsoToWebhook(
  reply: ServerReply,
  run: string,
  url: string,
  secret: RequestContext['request']['headers'][string],
  platform: Platform,
): ServerReply {
  const { runner } = platform;
  const type = String(reply.headers['content-type'] ?? 'application/json');
  const collected: Buffer[] = [];
  let size = 0;
  return watchReply(reply, {
    onChunk(chunk) {
      if (size < maxDeliveredBytes) collected.push(chunk);
      size += chunk.length;
    },
    onEnd(end) {
      if (end !== 'complete') return;
      const sent = { body: Buffer.concat(collected), type, secret: secret === undefined ? undefined : String(secret) };
      runner.runInBackground(deliverWebhook({ run, url, ...sent }, platform, runner.signal));
    },
  });
}

/** A longer response is delivered truncated, because it is held in memory. */
const maxDeliveredBytes = 64 * 1024 * 1024;

async function drain({ body }: ServerReply): Promise<void> {
  if (typeof body === 'string') return;
  for await (const _ of body.read());
}

/** A call to perform. `controller` aborts it. */
interface CallTask {
  app: AppRecord;
  call: Omit<ReplicaCall, 'signal'>;
  controller: AbortController;
  /** The caller's connection. When it closes, the call is aborted. */
  caller: Socket | undefined;
}

/**
 * Performs a call and returns its response, also if it failed. Updates the run's record until the last byte of the
 * response is sent.
 */
async function performCall({ app, call, controller, caller }: CallTask, platform: Platform): Promise<ServerReply> {
  const { runner } = platform;
  const { run } = call;
  const { signal } = controller;
  const seconds = app.settings.responseGracePeriodSeconds;
  const stopTimer = runner.limit(app.id, seconds * 1000, () => controller.abort(timeoutError(seconds)));
  const onDisconnect = () => controller.abort(new CallAbortedError('the caller disconnected', 499, -1));
  caller?.once('close', onDisconnect);
  let slot: ReplicaSlot | undefined;
  let hasEnded = false;
  const end = (statusCode: number) => {
    if (hasEnded) return;
    hasEnded = true;
    stopTimer();
    caller?.off('close', onDisconnect);
    slot?.release();
    runner.untrack(run);
    markEnded(run, statusCode, platform);
  };
  signal.addEventListener('abort', () => end(signal.reason.statusCode), { once: true });

  try {
    const build = findReadyBuild(app, platform);
    if (!build) return trackReply(jsonReply({ message: `app ${app.name} has no successful build` }, 503), end);
    const obstacle = await whyNotRunnable(build, platform);
    if (obstacle?.calls === 'refused') return trackReply(jsonReply({ message: obstacle.reason }, 501), end);
    if (obstacle) return trackReply(await simulated(app, call, obstacle.reason, platform), end);

    slot = await acquireReplica({ app, build, run, signal }, platform);
    // It may have been aborted before the slot was known.
    if (signal.aborted) slot.release();
    return trackReply(await slot.replica.call({ ...call, signal }), end);
  } catch (error) {
    const reply = errorReply(error, run);
    end(reply.status);
    return reply;
  }
}

/** The response to a call of an app that cannot run here: its parameters, and why it is simulated. */
async function simulated(
  app: AppRecord,
  { run, path, body }: CallTask['call'],
  why: string,
  platform: Platform,
): Promise<ServerReply> {
  const container = `${app.id}-simulated`;
  markAssigned(run, container, platform);
  markStarted(run, 0, platform);
  platform.runner.logs.add(app.id, { container, stream: 'stderr', text: `this call is simulated: ${why}`, run });
  const note = `simulated: ${why}`;
  const text = Buffer.isBuffer(body) ? String(body) : '';
  const parameters = text.trim() === '' ? {} : parseJsonOr(text, text);
  const result = { simulated: true, function: path[0] ?? '', parameters };
  return jsonReply({ run_id: run, run_time_ms: 0, result, note });
}

/** Calls `end` with the run's status code when the reply was sent, failed, or lost its reader. */
function trackReply(reply: ServerReply, end: (statusCode: number) => void): ServerReply {
  return watchReply(reply, {
    onEnd(ended) {
      if (ended instanceof Error) end(ended instanceof CallAbortedError ? ended.statusCode : 500);
      else end(ended === 'complete' ? reply.status : -1);
    },
  });
}
