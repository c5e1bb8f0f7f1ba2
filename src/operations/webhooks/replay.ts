import type { Context } from '../../context.ts';
import { webhookHeaders } from '../../contract/invocation.ts';
import { signWebhook } from '../../contract/webhooks.ts';
import { FailedError, UsageError } from '../../errors.ts';
import { findDelivery } from './deliveries.ts';
import { deliveryAddress } from './delivery-address.ts';
import { passOn } from './forward.ts';
import { runIdOf } from './inspection.ts';
import { webhookSecret } from './secret.ts';

export interface Replayed {
  id: string;
  to: string;
  /** What was answered. */
  status: number;
  /** Whether it was signed anew; otherwise it has the signature, and the time, that it came with. */
  signed: boolean;
}

export interface Replaying {
  id: string;
  to: string | undefined;
  secretFile: string | undefined;
}

/**
 * Sends a delivery that was kept once more; with a secret it is signed as if it were new. Throws FailedError when it is
 * not accepted.
 */
export async function replay(context: Context, { id: wanted, to: given, secretFile }: Replaying): Promise<Replayed> {
  const secret = await webhookSecret(context, secretFile);
  const kept = await findDelivery(context.settings.folders.state, wanted);
  const { id, headers } = kept;
  const address = given ?? kept.forwardedTo;
  if (address === null)
    throw new UsageError('it is not said where to', { fix: `gantry webhooks replay ${id} --to URL` });
  const to = deliveryAddress(address, '--to');
  const body = Buffer.from(kept.body, 'base64');
  const timestamp = String(Math.floor(context.now() / 1000));
  const signature = secret && signWebhook(secret, { requestId: runIdOf(headers), timestamp, body });
  const anew = signature
    ? { [webhookHeaders.timestamp.toLowerCase()]: timestamp, [webhookHeaders.signature.toLowerCase()]: signature }
    : {};
  if (!signature && headers[webhookHeaders.signature.toLowerCase()]) {
    context.progress.note('it has its old signature, which ages: with --secret-file it is signed anew');
  }
  const { status } = await passOn(context, to, { headers: { ...headers, ...anew }, body });
  if (status < 200 || status > 299) {
    throw new FailedError(`${to.host} answered ${status}`, { status, details: { id, to: to.href } });
  }
  return { id, to: to.href, status, signed: signature !== undefined };
}
