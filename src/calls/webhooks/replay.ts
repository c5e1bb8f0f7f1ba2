import { gantryCommand } from '../../kernel/command-line.ts';
import { FailedError, UnavailableError, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { webhookHeaders } from '../../platform/contract/invocation.ts';
import { signWebhook } from '../../platform/contract/webhooks.ts';
import { deliveryRunId } from './check-signature.ts';
import { findDelivery } from './delivery-store.ts';
import { parseDeliveryUrl } from './delivery-url.ts';
import { forwardDelivery } from './forward.ts';
import { readWebhookSecret } from './secret.ts';

export interface ReplayResult {
  id: string;
  to: string;
  statusCode: number;
  /** Whether it was signed again; otherwise it has its original signature and timestamp. */
  signed: boolean;
}

export interface ReplayOptions {
  /** A delivery id, or `latest`. */
  id: string;
  to: string | undefined;
  secretFile: string | undefined;
}

/** Sends a stored delivery again, signed with the current time if there is a secret. Throws FailedError unless 2xx. */
export async function replayDelivery(
  context: Context,
  { id: idOrLatest, to, secretFile }: ReplayOptions,
): Promise<ReplayResult> {
  const secret = await readWebhookSecret(context, secretFile);
  const stored = await findDelivery(context.settings.folders.state, idOrLatest);
  const { id, headers } = stored;
  const target = to ?? stored.forwardedTo;
  if (target === null) {
    throw new UsageError('no destination: pass --to URL', { fix: gantryCommand`webhooks replay ${id} --to URL` });
  }
  const url = parseDeliveryUrl(target, '--to');
  const body = Buffer.from(stored.body, 'base64');
  const timestamp = String(Math.floor(context.now() / 1000));
  const signature = secret && signWebhook(secret, { requestId: deliveryRunId(headers), timestamp, body });
  const signed = signature
    ? { [webhookHeaders.timestamp.toLowerCase()]: timestamp, [webhookHeaders.signature.toLowerCase()]: signature }
    : {};
  if (!signature && headers[webhookHeaders.signature.toLowerCase()]) {
    context.progress.note('keeping the original signature, which may be too old; pass --secret-file to sign it again');
  }
  const { status } = await forwardDelivery(context, url, { headers: { ...headers, ...signed }, body }).catch(
    (error) => {
      // Otherwise the fix would be gantry doctor, which checks the platform.
      if (error instanceof UnavailableError) error.facts.fix ??= `start the server at ${url.host}, or pass --to URL`;
      throw error;
    },
  );
  if (status < 200 || status > 299) {
    throw new FailedError(`${url.host} returned ${status}`, { status, details: { id, to: url.href } });
  }
  return { id, to: url.href, statusCode: status, signed: signature !== undefined };
}
