import { pause } from '../../../kernel/clock.ts';
import { systemCode } from '../../../kernel/errors.ts';
import { trustCertificateFile } from '../../../kernel/trusted-certificates.ts';
import { maxWebhookAttempts, webhookHeaders } from '../../../platform/contract/invocation.ts';
import { signWebhook } from '../../../platform/contract/webhooks.ts';
import { markDelivery } from '../../model/runs/record.ts';
import type { Platform } from '../platform.ts';

/** The result of a run, to be delivered to `url`. */
export interface WebhookMessage {
  run: string;
  url: string;
  secret: string | undefined;
  body: Buffer;
  type: string;
}

/** Makes up to three attempts, until one succeeds or gets a final error. */
export async function deliverWebhook(message: WebhookMessage, platform: Platform, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; attempt <= maxWebhookAttempts; attempt += 1) {
    const reply = await attemptDelivery(message, platform, signal);
    const status = typeof reply === 'number' ? reply : undefined;
    const isLast = !isRetryable(status) || signal.aborted || attempt === maxWebhookAttempts;
    markDelivery(message.run, deliveryText(reply, attempt, isLast), platform);
    if (isLast) return;
    await pause(platform.webhookPauseMs, signal).catch(() => {});
  }
}

/** `delivered (HTTP 200)`, `attempt 1 failed: ECONNREFUSED`, `failed (attempt 3): HTTP 404`. */
function deliveryText(reply: number | string, attempt: number, isLast: boolean): string {
  const reason = typeof reply === 'number' ? `HTTP ${reply}` : reply;
  if (typeof reply === 'number' && reply >= 200 && reply < 300) return `delivered (${reason})`;
  return isLast ? `failed (attempt ${attempt}): ${reason}` : `attempt ${attempt} failed: ${reason}`;
}

/** After network errors, 404, and redirects, which are not followed. */
function isRetryable(status: number | undefined): boolean {
  return status === undefined || status === 404 || status < 200 || (status >= 300 && status < 400);
}

const receiverTimeoutMs = 10_000;

/** Returns the HTTP status; without a response, the reason. */
async function attemptDelivery(
  message: WebhookMessage,
  platform: Platform,
  signal: AbortSignal,
): Promise<number | string> {
  const fault = platform.faults.take('webhook');
  if (fault === 'lost') return 'no response';
  const headers = webhookHeadersOf(message, platform.now(), fault === 'forged');
  const send = async () => {
    if (message.url.startsWith(captureAddress(platform.url))) return capture(message, headers, platform);
    await trustCertificateFile();
    const response = await fetch(message.url, {
      method: 'POST',
      headers,
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(receiverTimeoutMs)]),
    });
    await response.body?.cancel();
    return response.status;
  };
  try {
    if (fault === 'twice') await send();
    return await send();
  } catch (error) {
    const { cause, message: said } = error as Error;
    return systemCode(cause) || (cause instanceof Error ? cause.message : said);
  }
}

/** Deliveries to it are kept for the tests that ask for them, and never sent. */
export function captureAddress(url: string): string {
  return `${url}/emulator/webhook`;
}

function capture({ url, body }: WebhookMessage, headers: Record<string, string>, { captured }: Platform): number {
  captured.push({ url, headers, body: String(body.subarray(0, maxCapturedBytes)) });
  if (captured.length > maxCaptured) captured.shift();
  return 200;
}

const maxCaptured = 100;
const maxCapturedBytes = 1024 * 1024;

function webhookHeadersOf(
  { run, secret, body, type }: WebhookMessage,
  now: number,
  forged: boolean,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = forged ? 'another secret' : secret;
  return {
    'Content-Type': type,
    [webhookHeaders.runId]: run,
    [webhookHeaders.timestamp]: timestamp,
    ...(key && { [webhookHeaders.signature]: signWebhook(key, { requestId: run, timestamp, body }) }),
  };
}
