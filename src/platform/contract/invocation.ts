import * as v from 'valibot';
import { JsonNumber } from '../../kernel/json-text.ts';
import { words } from '../../kernel/words.ts';
import { endpoint } from './endpoint.ts';
import { queryBoolean } from './scalars.ts';

/**
 * Call a function of a deployed app, or any path below the user's own server (spec 4.18). The answer is the app's own:
 * any status, type and length, so the typed client does not handle it.
 */
export const invoke = endpoint('POST /v4/{project}/{name}/{function}', {
  host: 'invocation',
  query: v.object({ async: v.optional(queryBoolean), webhookEndpoint: v.optional(v.string()) }),
  body: v.unknown(),
  reply: 'anything',
});

/** The immediate answer to `async=true` (spec 2.15). The header `X-Request-Id` has the same id. */
export const RunAcknowledgement = v.object({ run_id: v.string() });

/**
 * The answer of a function in the default runtime (docs/platform.md#invocation). A generator function answers with a
 * stream of events instead.
 */
export const FunctionReply = v.looseObject({
  run_id: v.string(),
  run_time_ms: v.union([v.number(), v.instance(JsonNumber)]),
  result: v.unknown(),
});

/** Sent with a call, this secret signs the delivery to its webhook (docs/platform.md#webhooks). */
export const webhookSecretHeader = 'X-Webhook-Secret';

/** Headers of a delivery (docs/platform.md#webhooks). */
export const webhookHeaders = {
  runId: 'X-Request-Id',
  /** Seconds since 1970. */
  timestamp: 'X-Cerebrium-Webhook-Timestamp',
  /** `v1,<hex>`: HMAC-SHA256 of `signedPrefix` and the body, with the secret. */
  signature: 'X-Cerebrium-Webhook-Signature',
} as const;

/** The part of a delivery that its signature covers before the body. */
export function signedPrefix(runId: string, timestamp: string | number): string {
  return `${runId}.${timestamp}.`;
}

/** Headers of one connection, which are not passed on (RFC 9110, 7.6.1). */
export const connectionHeaders: ReadonlySet<string> = new Set(
  words(
    'connection host keep-alive proxy-authenticate proxy-authorization proxy-connection te',
    'trailer transfer-encoding upgrade',
  ),
);
/** Headers that the sender of a request sets itself. */
export const sendersHeaders: ReadonlySet<string> = new Set([...connectionHeaders, 'content-length', 'expect']);

/** Number of attempts to deliver to a webhook (docs/platform.md#webhooks). */
export const maxWebhookAttempts = 3;

/** Upper limit of `response_grace_period` (spec 8). */
export const maxAsyncSeconds = 12 * 60 * 60;
