import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { webhookSecretHeader } from '../../platform/contract/invocation.ts';
import type { Deadline } from '../../platform/waiting/index.ts';
import { parseInvokeArguments } from './arguments.ts';
import type { AppCall } from './call.ts';
import { type CallAuth, defaultHeaders, parseHeaders, resolveCallAuth } from './call-headers.ts';
import { resolveCallTarget } from './call-target.ts';
import type { InvokeOptions } from './invoke-options.ts';
import { readRequestBody } from './request-body.ts';

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** What a call sends, and as whom. Throws UsageError for invalid options, AuthError. */
export async function prepareCall(
  context: Context,
  options: InvokeOptions,
  limit: Deadline | undefined,
): Promise<{ call: AppCall; auth: CallAuth }> {
  checkOptions(options);
  const { app, data, input, path, method = 'POST', stream } = options;
  const { fn, parameters } = parseInvokeArguments(options.args);
  if (parameters && /^(GET|HEAD)$/.test(method)) {
    throw new UsageError(`a ${method} request has no body: put parameters in --path`);
  }
  const given = parseHeaders(options.header ?? []);
  // The secret in `Authorization: Bearer abc` is the last word.
  context.secrets.add(given.authorization?.split(' ').at(-1), given['x-api-key']);
  const target = resolveCallTarget(context, { app, fn, path });
  const defaultBody = method === 'POST' && path === undefined ? {} : undefined;
  const { content, type } = await readRequestBody(context, { parameters, data, input }, defaultBody);
  const { webhook, secret } = await resolveWebhook(context, options);
  const auth = resolveCallAuth(context, given, options.auth);
  const url = new URL(target.url);
  if (options.async || options.wait) url.searchParams.set('async', 'true');
  if (webhook) url.searchParams.set('webhookEndpoint', webhook.href);
  const headers = {
    ...defaultHeaders(type),
    ...(stream ? { accept: 'text/event-stream' } : {}),
    ...(secret ? { [webhookSecretHeader.toLowerCase()]: secret } : {}),
    ...auth.headers,
    ...given,
  };
  return { call: { target, method, url, headers, body: content, limit }, auth };
}

function checkOptions(options: InvokeOptions): void {
  const { method = 'POST', data, input, webhookSecretFile } = options;
  const rules: [isBroken: unknown, message: string, fix?: string][] = [
    [!methods.includes(method), `invalid HTTP method "${method}"`, `use ${methods.join(', ')}`],
    [/^(GET|HEAD)$/.test(method) && (data ?? input) !== undefined, `a ${method} request has no body`],
    [webhookSecretFile === '-' && (data === '-' || input === '-'), 'only one value can be read from stdin'],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new UsageError(broken[1], broken[2] ? { fix: broken[2] } : {});
}

/** The webhook that the platform sends the response to, and the secret that signs it. */
async function resolveWebhook(context: Context, { webhook, webhookSecretFile }: InvokeOptions) {
  if (!webhook) return {};
  const { parseDeliveryUrl, readWebhookSecret } = await import('../webhooks/index.ts');
  const url = parseDeliveryUrl(webhook, '--webhook');
  return { webhook: url, secret: await readWebhookSecret(context, webhookSecretFile) };
}
