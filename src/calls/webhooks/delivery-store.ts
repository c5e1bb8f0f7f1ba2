import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { makePrivateFolder, writeFileAtomic } from '../../kernel/disk/index.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { parseJson, stringifyJson } from '../../kernel/json-text.ts';

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
export async function findDelivery(stateFolder: string, idOrLatest: string): Promise<StoredDelivery> {
  const folder = deliveriesFolder(stateFolder);
  const ids = await listIds(folder);
  const id = idOrLatest === 'latest' ? ids.at(-1) : ids.find((each) => each === idOrLatest);
  if (id === undefined) {
    throw new NotFoundError(ids.length === 0 ? 'no deliveries stored' : `delivery ${idOrLatest} not found`, {
      why:
        ids.length === 0
          ? 'deliveries are stored while webhooks listen receives them'
          : `latest deliveries: ${ids.slice(-5).reverse().join(', ')}`,
      fix: ids.length === 0 ? gantryCommand`webhooks listen` : gantryCommand`webhooks replay latest`,
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
