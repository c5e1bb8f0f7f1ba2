import { parseJsonOr } from '../../../kernel/json-text.ts';
import { invoke as contract } from '../../../platform/contract/invocation.ts';
import { BufferedBody } from '../../http/buffered-body.ts';
import { CapturedBody } from '../../http/captured-body.ts';
import { parseAs } from '../../http/read-request.ts';
import type { ByteStream } from '../../http/reply.ts';
import { jsonReply, refuse, type ServerReply } from '../../http/reply.ts';
import type { InspectedCall } from '../../model/inspected-calls.ts';
import { recordRun, unassigned } from '../../model/runs/record.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { findReadyBuild, whyNotRunnable } from '../builds/ready-build.ts';
import { reportEndedRun } from '../call-observer.ts';
import type { Handlers, Platform, RequestContext } from '../platform.ts';
import { checkCaller } from './check-caller.ts';
import { type CallTask, performCall } from './perform-call.ts';
import { findCalledApp, forwardedHeaders, pathBelowApp } from './route-call.ts';
import { deliverWebhook } from './webhooks.ts';

/** Calls of deployed apps (spec 4.18). */
export const invocationHandlers: Pick<Handlers, 'invoke'> = {
  async invoke(context, platform) {
    const { request, url } = context;
    const { app, path } = findCalledApp(url, platform);
    await checkCaller(request, app, platform);
    const { async = false, webhookEndpoint } = parseAs(contract.query, Object.fromEntries(url.searchParams));
    if (webhookEndpoint) checkWebhook(webhookEndpoint);

    const received = new CapturedBody();
    const body = await readCallBody({ ...context, body: received.watch(context.body) }, app, async, platform);
    const method = request.method ?? 'POST';
    const functionName = path.join('/');
    const container = unassigned(app);
    const record = { app: app.id, functionName, method, async, container };
    const run = recordRun({ ...record, ...(webhookEndpoint && { webhookEndpoint }) }, platform).id;
    const inspected = platform.inspected.add({
      ...{ run, app: app.id, method, path: `/${url.pathname.split('/').slice(4).join('/')}${url.search}` },
      ...{ headers: request.headers, body: received },
    });
    const headers = forwardedHeaders(app, inspected.headers);
    const controller = platform.runner.runs.track(run);
    const call = { run, method, path, address: pathBelowApp(url), headers, body };
    const caller = async ? undefined : request.socket;
    const response = performCall({ app, call, controller, caller }, platform).then((reply) =>
      watchReply(withRunId(reply, run), inspected),
    );
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
};

/** Keeps the start of the response for who inspects the call. */
function watchReply(reply: ServerReply, inspected: InspectedCall): ServerReply {
  const body = new CapturedBody();
  inspected.response = { status: reply.status, headers: reply.headers, body };
  return body.watchReply(reply);
}

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
  const buffered = await BufferedBody.receive(body, platform.runner.folder);
  if (buffered.held) {
    const text = String(buffered.held);
    call.body = parseJsonOr(text, text);
  }
  return buffered;
}

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
  const send = (body: string | Buffer) => {
    const message = { run, url, secret: secret === undefined ? undefined : String(secret), body, type };
    runner.runInBackground(deliverWebhook(message, platform, runner.signal));
  };
  const { body } = reply;
  if (typeof body === 'string') {
    send(body);
    return reply;
  }
  return { ...reply, body: { size: body.size, read: (start, end) => collectBody(body.read(start, end), send) } };
}

/** A longer response is delivered truncated, because it is held in memory. */
const maxDeliveredBytes = 64 * 1024 * 1024;

async function* collectBody(chunks: AsyncIterable<Buffer>, onComplete: (body: Buffer) => void): ByteStream {
  const collected: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (size < maxDeliveredBytes) collected.push(chunk);
    size += chunk.length;
    yield chunk;
  }
  onComplete(Buffer.concat(collected));
}

async function drain({ body }: ServerReply): Promise<void> {
  if (typeof body === 'string') return;
  for await (const _ of body.read(0, Number.POSITIVE_INFINITY));
}
