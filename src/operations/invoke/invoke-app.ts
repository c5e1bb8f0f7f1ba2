import type { Context } from '../../context.ts';
import { webhookSecretHeader } from '../../contract/invocation.ts';
import { UsageError } from '../../errors.ts';
import { parseInvokeArguments } from './arguments.ts';
import type { AsyncRun } from './async-call.ts';
import { type AppCall, type AppResponse, callOrThrow } from './call.ts';
import { type CallAuth, defaultHeaders, parseHeaders, resolveCallAuth } from './call-headers.ts';
import { resolveCallTarget } from './call-target.ts';
import type { InvokeOptions } from './invocation.ts';
import { readRequestBody } from './request-body.ts';

/** What a call gives: an answer whose body is still to come, or a run. */
export type InvokeResult = { answer: AppResponse } | { started: AsyncRun };

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/**
 * Calls an app. An answer that is no success is thrown: AppError when it is the app's, the class of its status when it
 * is the platform's. Throws UsageError for what makes no sense, before anything is sent.
 */
export async function invokeApp(context: Context, invocation: InvokeOptions): Promise<InvokeResult> {
  checkOptions(invocation);
  const { call, pass } = await prepareCall(context, invocation);
  const { async: unwatched, wait, awaitWebhook } = invocation;
  const { app } = call.target;
  context.interruption.message = `stopped waiting; ${app} may go on with the call: gantry runs list ${app} shows it`;
  if (!unwatched && !wait && !awaitWebhook) return { answer: await callOrThrow(context, call, pass) };
  const { callAndAwaitDelivery, startAsyncRun } = await import('./async-call.ts');
  if (awaitWebhook) return { answer: await callAndAwaitDelivery(context, invocation, call, pass) };
  return { started: await startAsyncRun(context, invocation, call, pass) };
}

function checkOptions(invocation: InvokeOptions): void {
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

async function prepareCall(context: Context, invocation: InvokeOptions): Promise<{ call: AppCall; pass: CallAuth }> {
  const { app, data, input, path, method = 'POST', stream, timeout } = invocation;
  const { fn, parameters } = parseInvokeArguments(invocation.args);
  if (parameters && /^(GET|HEAD)$/.test(method)) throw new UsageError(`a ${method} has no body: put it into --path`);
  const given = parseHeaders(invocation.header ?? []);
  // The secret of `Authorization: Bearer abc` is its last word.
  context.secrets.add(given.authorization?.split(' ').at(-1), given['x-api-key']);
  const target = resolveCallTarget(context, { app, fn, path });
  const usual = method === 'POST' && path === undefined ? {} : undefined;
  const { content, type } = await readRequestBody(context, { parameters, data, input }, usual);
  const { webhook, secret } = await resolveWebhook(context, invocation);
  const pass = resolveCallAuth(context, given, invocation.auth);
  const url = new URL(target.url);
  if (invocation.async || invocation.wait) url.searchParams.set('async', 'true');
  if (webhook) url.searchParams.set('webhookEndpoint', webhook.href);
  const headers = {
    ...defaultHeaders(type),
    ...(stream ? { accept: 'text/event-stream' } : {}),
    ...(secret ? { [webhookSecretHeader.toLowerCase()]: secret } : {}),
    ...pass.headers,
    ...given,
  };
  return { call: { target, method, url, headers, body: content, timeoutMs: timeout }, pass };
}

/** Where the answer is sent as well, and what it is signed with there. */
async function resolveWebhook(context: Context, { webhook, webhookSecretFile }: InvokeOptions) {
  if (!webhook) return {};
  const { parseDeliveryUrl, readWebhookSecret } = await import('../webhooks/index.ts');
  return {
    webhook: parseDeliveryUrl(webhook, '--webhook'),
    secret: await readWebhookSecret(context, webhookSecretFile),
  };
}
