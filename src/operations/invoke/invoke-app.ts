import type { Context } from '../../context.ts';
import { webhookSecretHeader } from '../../contract/invocation.ts';
import { UsageError } from '../../errors.ts';
import type { StartedRun } from './asynchronous.ts';
import { bodyOf } from './body.ts';
import { type AppAnswer, type Call, successOf } from './call.ts';
import { type Pass, passFor, readHeaders, usualHeaders } from './headers.ts';
import type { Invocation } from './invocation.ts';
import { readWords } from './parameters.ts';
import { targetOf } from './target.ts';

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
  const { async: unwatched, wait, awaitWebhook } = invocation;
  const { app } = call.target;
  context.interruption.message = `stopped waiting; ${app} may go on with the call: gantry runs list ${app} shows it`;
  if (!unwatched && !wait && !awaitWebhook) return { answer: await successOf(context, call, pass) };
  const { delivered, started } = await import('./asynchronous.ts');
  if (awaitWebhook) return { answer: await delivered(context, invocation, call, pass) };
  return { started: await started(context, invocation, call, pass) };
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
  // The secret of `Authorization: Bearer abc` is its last word.
  context.secrets.add(given.authorization?.split(' ').at(-1), given['x-api-key']);
  const target = targetOf(context, { app, fn, path });
  const usual = method === 'POST' && path === undefined ? {} : undefined;
  const { content, type } = await bodyOf(context, { parameters, data, input }, usual);
  const { webhook, secret } = await deliveryOf(context, invocation);
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

/** Where the answer is sent as well, and what it is signed with there. */
async function deliveryOf(context: Context, { webhook, webhookSecretFile }: Invocation) {
  if (!webhook) return {};
  const { deliveryAddress, webhookSecret } = await import('../webhooks/index.ts');
  return { webhook: deliveryAddress(webhook, '--webhook'), secret: await webhookSecret(context, webhookSecretFile) };
}
