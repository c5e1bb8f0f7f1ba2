import { invoke as contract } from '../../contract/invocation.ts';
import type { Asked, Handlers, Platform } from '../platform.ts';
import { SentBody } from '../running/buffered-body.ts';
import { addRealRun } from '../runs/record.ts';
import { decodeSegment, readAs } from '../server/read-request.ts';
import type { Body } from '../server/reply.ts';
import { json, type Reply, refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { checkCaller } from './check-caller.ts';
import { perform, type Work } from './perform.ts';
import { readyBuild } from './ready-build.ts';
import { deliver } from './webhooks.ts';

/** Calls of deployed apps (spec 4.18, wire §7). */
export const invocation: Pick<Handlers, 'invoke'> = {
  async invoke(asked, platform) {
    const { request, url } = asked;
    const { app, path } = findCalled(url, platform);
    checkCaller(request.headers.authorization, app, platform);
    const given = Object.fromEntries(url.searchParams);
    const { async = false, webhookEndpoint } = readAs(contract.query, given);
    if (webhookEndpoint) checkWebhook(webhookEndpoint);

    const body = await bodyOf(asked, app, async, platform);
    const method = request.method ?? 'POST';
    const functionName = path.join('/');
    const container = `${app.id}-starting`;
    const called = { app: app.id, functionName, method, async, container };
    const run = addRealRun({ ...called, ...(webhookEndpoint && { webhookEndpoint }) }, platform).id;
    const headers = headersFor(app, request.headers);
    const giveUp = platform.running.begin(run);
    const call = { run, method, path, address: addressBelow(url), headers, body };
    const caller = async ? undefined : request.socket;
    const work = perform({ app, call, giveUp, caller }, platform).then((reply) => named(reply, run));
    const secret = request.headers['x-webhook-secret'];
    const answered = webhookEndpoint
      ? work.then((reply) => forwarded(reply, run, webhookEndpoint, secret, platform))
      : work;
    if (async) {
      platform.running.behind(answered.then(drain));
      return named(json({ run_id: run }, 202), run);
    }
    return answered;
  },
};

/** `/v4/{project}/{name}/…`: the app, and what is asked for below it. */
function findCalled({ pathname }: URL, { store }: Platform): { app: AppRecord; path: string[] } {
  const [project = '', name = '', ...path] = pathname.split('/').slice(2).map(decodeSegment);
  const app = store.apps.get(`${project}-${name}`);
  return app?.project === project ? { app, path } : refuse(404, `app ${name} not found in project ${project}`);
}

/** As the app's own server is to see it: what the platform reads is taken out. */
function addressBelow({ pathname, search, searchParams }: URL): string {
  const below = `/${pathname.split('/').slice(4).join('/')}`;
  if (!searchParams.has('async') && !searchParams.has('webhookEndpoint')) return below + search;
  const query = new URLSearchParams(searchParams);
  query.delete('async');
  query.delete('webhookEndpoint');
  return query.size > 0 ? `${below}?${query}` : below;
}

function checkWebhook(address: string): void {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    refuse(400, `webhookEndpoint must be an http or https URL, encoded: ${address}`);
  }
}

/** A server of the user's own gets what is sent as it comes; a function, and who is not waited for, all of it at once. */
async function bodyOf(
  { body, call }: Asked,
  app: AppRecord,
  async: boolean,
  platform: Platform,
): Promise<Work['call']['body']> {
  const streams = readyBuild(app, platform)?.settings.runtime === 'custom' && !async;
  if (streams && (await platform.running.python())) return body;
  const sent = await SentBody.receive(body, platform.running.folder);
  if (sent.held) call.body = parsed(String(sent.held));
  return sent;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The platform's own token is not for the app; where the app is public, the header is its own. */
function headersFor({ settings }: AppRecord, { authorization, ...headers }: Asked['request']['headers']) {
  return settings.disableAuth && authorization ? { ...headers, authorization } : headers;
}

function named(reply: Reply, run: string): Reply {
  return { ...reply, headers: { ...reply.headers, 'x-request-id': run } };
}

/** The same answer, which goes to a webhook too as soon as it is whole (wire §7). The caller does not wait for that. */
function forwarded(
  reply: Reply,
  run: string,
  url: string,
  secret: Asked['request']['headers'][string],
  platform: Platform,
): Reply {
  const { running } = platform;
  const type = String(reply.headers['content-type'] ?? 'application/json');
  const send = (body: string | Buffer) => {
    const message = { run, url, secret: secret === undefined ? undefined : String(secret), body, type };
    running.behind(deliver(message, platform, running.signal));
  };
  const { body } = reply;
  if (typeof body === 'string') {
    send(body);
    return reply;
  }
  return { ...reply, body: { size: body.size, read: (start, end) => copied(body.read(start, end), send) } };
}

/** Of what a webhook gets so much is held in memory; the rest of a longer answer is cut off. Bytes. */
const mostDelivered = 64 * 1024 * 1024;

async function* copied(chunks: AsyncIterable<Buffer>, whole: (body: Buffer) => void): Body {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (size < mostDelivered) kept.push(chunk);
    size += chunk.length;
    yield chunk;
  }
  whole(Buffer.concat(kept));
}

async function drain({ body }: Reply): Promise<void> {
  if (typeof body === 'string') return;
  for await (const _ of body.read(0, Number.POSITIVE_INFINITY));
}
