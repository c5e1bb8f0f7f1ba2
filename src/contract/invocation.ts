import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { queryBoolean } from './scalars.ts';

/**
 * Call a function of a deployed app, or anything below a server of the user's own (spec 4.18, wire §7). The answer is
 * the app's: any status, any type, any length. The typed client is not made for that.
 */
export const invoke = endpoint('POST /v4/{project}/{name}/{function}', {
  host: 'invocation',
  query: v.object({ async: v.optional(queryBoolean), webhookEndpoint: v.optional(v.string()) }),
  body: v.unknown(),
  reply: 'anything',
});

/** What `async=true` gives at once (spec 2.15); the header `X-Request-Id` says the same (wire §7). */
export const RunAcknowledgement = v.object({ run_id: v.string() });

/** What a function of the default runtime gives (wire §7). A function that yields gives a stream of events instead. */
export const FunctionReply = v.looseObject({ run_id: v.string(), run_time_ms: v.number(), result: v.unknown() });

/** Given with a call, it signs the delivery to its webhook (wire §7). */
export const webhookSecretHeader = 'X-Webhook-Secret';

/** Headers of a delivery (wire §7). */
export const webhookHeaders = {
  runId: 'X-Request-Id',
  /** Seconds since 1970. */
  timestamp: 'X-Cerebrium-Webhook-Timestamp',
  /** `v1,<hex>`: HMAC-SHA256 of `signedPrefix` and the body, with the secret. */
  signature: 'X-Cerebrium-Webhook-Signature',
} as const;

/** What the signature of a delivery covers before its body (wire §7). */
export function signedPrefix(runId: string, timestamp: string | number): string {
  return `${runId}.${timestamp}.`;
}

/** The platform tries so often to deliver to a webhook (wire §7). */
export const maxWebhookAttempts = 3;

/** An asynchronous call may take as long, seconds, if its `response_grace_period` allows it (spec 8). */
export const maxAsyncSeconds = 12 * 60 * 60;
