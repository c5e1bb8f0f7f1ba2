import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { queryBoolean } from './scalars.ts';

/**
 * Calls a function of a deployed app, or a path of its own server (spec 4.18). The response is the app's, with any status,
 * type and length, so the typed client is not used for it.
 */
export const invoke = endpoint('POST /v4/{project}/{name}/{function}', {
  host: 'invocation',
  query: v.object({ async: v.optional(queryBoolean), webhookEndpoint: v.optional(v.string()) }),
  body: v.unknown(),
  reply: 'anything',
});

/** Response to `async=true` (spec 2.15). The header `X-Request-Id` has the same id. */
export const RunAcknowledgement = v.object({ run_id: v.string() });

/** Response of a function of the default runtime. A generator returns a stream of events instead. */
export const FunctionReply = v.looseObject({ run_id: v.string(), run_time_ms: v.number(), result: v.unknown() });

/** Request header with the secret that signs the webhook delivery. */
export const webhookSecretHeader = 'X-Webhook-Secret';

/** Headers of a delivery. */
export const webhookHeaders = {
  runId: 'X-Request-Id',
  /** Seconds since 1970. */
  timestamp: 'X-Cerebrium-Webhook-Timestamp',
  /** `v1,<hex>`: HMAC-SHA256 of `signedPrefix` and the body, with the secret. */
  signature: 'X-Cerebrium-Webhook-Signature',
} as const;

/** The signed text before the body of a delivery. */
export function signedPrefix(runId: string, timestamp: string | number): string {
  return `${runId}.${timestamp}.`;
}

/** Including the first attempt. */
export const maxWebhookAttempts = 3;

/** Upper limit of `response_grace_period` (spec 8). */
export const maxAsyncSeconds = 12 * 60 * 60;
