import { posix } from 'node:path';
import { UsageError } from '../../kernel/errors.ts';
import type { WebFile } from '../transfer/web-file.ts';

export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Throws a UsageError without the checksum: nothing else would tell whether the bytes are the right ones. */
export function parseWebSource(text: string, sha256: string | undefined): WebFile {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('a URL must have no password', { why: 'other users of this machine can see arguments' });
  }
  if (sha256 === undefined) {
    throw new UsageError(`the SHA-256 of ${withoutQuery(text)} is missing`, {
      why: 'nothing else tells whether the bytes that arrive are the right ones',
      fix: 'add --sha256 and the checksum that its publisher shows',
    });
  }
  return { url: url.href, sum: { algorithm: 'sha256', hex: sha256 } };
}

/** The last name of its path. */
export function webFileName(url: string): string {
  const name = posix.basename(new URL(url).pathname);
  try {
    return decodeURIComponent(name).replaceAll('/', '_');
  } catch {
    return name;
  }
}

/** A query may have a signature, and that changes each time. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
