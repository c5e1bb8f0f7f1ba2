import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, writeFileAtomic } from '../../disk/index.ts';
import { NotFoundError } from '../../errors.ts';

/** A delivery as it came, so that it can be sent once more. */
export interface StoredDelivery {
  id: string;
  /** RFC 3339, UTC. */
  receivedAt: string;
  path: string;
  headers: Record<string, string>;
  /** Base64. */
  body: string;
  /** Where it was passed on to. */
  forwardedTo: string | null;
}

/** The last so many are kept. */
const maxStored = 50;

/**
 * A new id: the later, the greater, so that names of files are in order whoever wrote them. `number` counts those of
 * one listener: many may come in one millisecond.
 */
export function createDeliveryId(now: number, number: number): string {
  const count = (number % 36 ** 3).toString(36).padStart(3, '0');
  return `d-${now.toString(36).padStart(9, '0')}${count}${randomBytes(2).toString('hex')}`;
}

/** Keeps a delivery, for its owner only (0600), and forgets the oldest ones. Several processes may do so at once. */
export async function storeDelivery(state: string, kept: StoredDelivery): Promise<void> {
  const folder = deliveriesFolder(state);
  makePrivateFolder(folder);
  const file = join(folder, `${kept.id}.json`);
  await writeFileAtomic(file, JSON.stringify(kept), { mode: 0o600 });
  const old = (await listIds(folder)).slice(0, -maxStored);
  await Promise.all(old.map((id) => rm(join(folder, `${id}.json`), { force: true })));
}

/** A delivery by its id, or by `latest`. Throws NotFoundError, with those there are. */
export async function findDelivery(state: string, wanted: string): Promise<StoredDelivery> {
  const folder = deliveriesFolder(state);
  const ids = await listIds(folder);
  const id = wanted === 'latest' ? ids.at(-1) : ids.find((each) => each === wanted);
  if (id === undefined) {
    throw new NotFoundError(ids.length === 0 ? 'no deliveries are kept' : `no delivery ${wanted} is kept`, {
      why:
        ids.length === 0
          ? 'gantry webhooks listen keeps those it receives'
          : `the last ones are ${ids.slice(-5).reverse().join(', ')}`,
      details: { ids },
    });
  }
  return JSON.parse(await readFile(join(folder, `${id}.json`), 'utf8'));
}

/** The oldest first. */
async function listIds(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => /^d-\w+\.json$/.test(name))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();
}

function deliveriesFolder(state: string): string {
  return join(state, 'webhooks');
}
