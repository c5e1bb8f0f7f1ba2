import { randomUUID } from 'node:crypto';
import type { FilePart } from '../contract/scalars.ts';

export type Parts = Record<string, string | FilePart>;

/** A body of several parts in their order, as `multipart/form-data`, and its media type. */
export function encodeParts(parts: Parts): { body: Buffer; type: string } {
  const boundary = `gantry-${randomUUID()}`;
  const pieces = Object.entries(parts).flatMap(([name, part]) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`,
    ...(typeof part === 'string' ? ['\r\n\r\n', part] : [about(part), part.content]),
    '\r\n',
  ]);
  const body = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}

function about({ filename, type }: FilePart): string {
  return `; filename="${filename.replace(/["\r\n]/g, '_')}"\r\nContent-Type: ${type}\r\n\r\n`;
}
