import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { makePrivateFolder, writeFileAtomic } from '../../kernel/disk/index.ts';
import { FailedError, NotFoundError, UnavailableError, UsageError } from '../../kernel/errors.ts';
import { parseJson, stringifyJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { webhookHeaders } from '../../platform/contract/invocation.ts';
import { signWebhook } from '../../platform/contract/webhooks.ts';
import { forwardDelivery, parseDeliveryUrl } from './forward.ts';
import { deliveryRunId, readWebhookSecret } from './signature.ts';

/** A delivery as it was received, stored for `gantry webhooks replay`. */
export interface StoredDelivery {
  id: string;
  /** RFC 3339, UTC. */
  receivedAt: string;
  path: string;
  headers: Record<string, string>;
  /** Base64. */
  body: string;
  forwardedTo: string | null;
}

const maxStored = 50;

/**
 * Creates an id that sorts by time, whichever process created it. `number` counts the deliveries of one listener, as
 * several may arrive in one millisecond.
 */
export function createDeliveryId(now: number, number: number): string {
  const count = (number % 36 ** 3).toString(36).padStart(3, '0');
  return `d-${now.toString(36).padStart(9, '0')}${count}${randomBytes(2).toString('hex')}`;
}

/** Stores a delivery with mode 0600 and removes the oldest ones. Safe to call from several processes. */
export async function storeDelivery(stateFolder: string, delivery: StoredDelivery): Promise<void> {
  const folder = deliveriesFolder(stateFolder);
  makePrivateFolder(folder);
  const file = join(folder, `${delivery.id}.json`);
  await writeFileAtomic(file, stringifyJson(delivery), { mode: 0o600 });
  const old = (await listIds(folder)).slice(0, -maxStored);
  await Promise.all(old.map((id) => rm(join(folder, `${id}.json`), { force: true })));
}

/** Reads a delivery by its id, or the `latest`. Throws NotFoundError, with the ids available. */
async function findDelivery(stateFolder: string, idOrLatest: string): Promise<StoredDelivery> {
  const folder = deliveriesFolder(stateFolder);
  const ids = await listIds(folder);
  const id = idOrLatest === 'latest' ? ids.at(-1) : ids.find((each) => each === idOrLatest);
  if (id === undefined) {
    throw new NotFoundError(ids.length === 0 ? 'no deliveries stored' : `delivery ${idOrLatest} not found`, {
      why:
        ids.length === 0
          ? 'deliveries are stored while webhooks listen receives them'
          : `latest deliveries: ${ids.slice(-5).reverse().join(', ')}`,
      ...(ids.length === 0
        ? { fix: gantryCommand`webhooks listen` }
        : { corrected: { typed: idOrLatest, meant: 'latest' } }),
      details: { ids },
    });
  }
  return parseJson(await readFile(join(folder, `${id}.json`), 'utf8')) as StoredDelivery;
}

/** Oldest first. */
async function listIds(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => /^d-\w+\.json$/.test(name))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();
}

function deliveriesFolder(stateFolder: string): string {
  return join(stateFolder, 'webhooks');
}

export interface ReplayOptions {
  /** A delivery id, or `latest`. */
  id: string;
  to: string | undefined;
  secretFile: string | undefined;
}

/** Sends a stored delivery again, signed with the current time if there is a secret. Throws FailedError unless 2xx. */
export async function replayDelivery(context: Context, { id: idOrLatest, to, secretFile }: ReplayOptions) {
  const secret = await readWebhookSecret(context, secretFile);
  const stored = await findDelivery(context.settings.folders.state, idOrLatest);
  const { id, headers } = stored;
  const target = to ?? stored.forwardedTo;
  if (target === null) {
    throw new UsageError(`${id} was not forwarded, so it has no destination`, {
      fix: 'for example',
      retryWith: ['--to', 'http://localhost:8000/'],
    });
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
