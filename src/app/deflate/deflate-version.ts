import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { deflateLevel } from './reused-stream.mjs';

/** zlib compresses differently in other versions, and with the instructions of other processors. */
export function deflateVersion(): string {
  const made = deflateRawSync(sample(), { level: deflateLevel });
  return `deflate ${deflateLevel} zlib ${process.versions.zlib} ${createHash('sha256').update(made).digest('hex')}\n`;
}

const sampleWords = 6_000;

/** Text with matches at many distances, always the same. */
function sample(): string {
  const words: string[] = [];
  let state = 1;
  for (let at = 0; at < sampleWords; at++) {
    state = (state * 48_271) % 2_147_483_647;
    words.push((state % 1_500).toString(36).repeat((state % 3) + 1));
  }
  return words.join(' ');
}
