import type { Context } from '../../context.ts';
import { webhookHeaders } from '../../contract/invocation.ts';
import { signWebhook } from '../../contract/webhooks.ts';
import { FailedError, UsageError } from '../../errors.ts';
import { deliveryRunId } from './check-signature.ts';
import { findDelivery } from './delivery-store.ts';
import { parseDeliveryUrl } from './delivery-url.ts';
import { forwardDelivery } from './forward.ts';
import { readWebhookSecret } from './secret.ts';

export interface ReplayResult {
  id: string;
  to: string;
  /** What was answered. */
  status: number;
  /** Whether it was signed anew; otherwise it has the signature, and the time, that it came with. */
  signed: boolean;
}

export interface ReplayOptions {
  id: string;
  to: string | undefined;
  secretFile: string | undefined;
}

/**
 * Sends a delivery that was kept once more; with a secret it is signed as if it were new. Throws FailedError when it is
 * not accepted.
 */
export async function replayDelivery(
  context: Context,
  { id: wanted, to: given, secretFile }: ReplayOptions,
): Promise<ReplayResult> {
  const secret = await readWebhookSecret(context, secretFile);
  const kept = await findDelivery(context.settings.folders.state, wanted);
  const { id, headers } = kept;
  const address = given ?? kept.forwardedTo;
  if (address === null)
    throw new UsageError('it is not said where to', { fix: `gantry webhooks replay ${id} --to URL` });
  const to = parseDeliveryUrl(address, '--to');
  const body = Buffer.from(kept.body, 'base64');
  const timestamp = String(Math.floor(context.now() / 1000));
  const signature = secret && signWebhook(secret, { requestId: deliveryRunId(headers), timestamp, body });
  const anew = signature
    ? { [webhookHeaders.timestamp.toLowerCase()]: timestamp, [webhookHeaders.signature.toLowerCase()]: signature }
    : {};
  if (!signature && headers[webhookHeaders.signature.toLowerCase()]) {
    context.progress.note('it has its old signature, which ages: with --secret-file it is signed anew');
  }
  const { status } = await forwardDelivery(context, to, { headers: { ...headers, ...anew }, body });
  if (status < 200 || status > 299) {
    throw new FailedError(`${to.host} answered ${status}`, { status, details: { id, to: to.href } });
  }
  return { id, to: to.href, status, signed: signature !== undefined };
}
