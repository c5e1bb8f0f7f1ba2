import { createHash } from 'node:crypto';
import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { attempt } from '../errors.ts';
import { defined } from '../json-text.ts';
import { once } from '../once.ts';

/** Whether stdout or stderr goes to this file: `gantry deploy --json > deploy.json`. */
export function isFileOfStream({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean {
  return files().some((file) => file.ino === ino && file.dev === dev);
}

const files = once(() => [1, 2].flatMap(regularFile));

/** A program of Windows may have been started without streams. */
function regularFile(descriptor: number): Stats[] {
  const stats = attempt(() => fstatSync(descriptor));
  return stats?.isFile() ? [stats] : [];
}

export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, defined({ signal }));
  return hash.digest('hex');
}
