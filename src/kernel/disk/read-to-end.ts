import { addAbortSignal, Readable } from 'node:stream';
import { maxReadBytes, tooLargeError } from './regular-file.ts';

/** Throws UsageError for more than `maxBytes`, and the reason of the signal. `name` is for the message. */
export async function readToEnd(
  source: AsyncIterable<Buffer | string>,
  { name, signal, maxBytes = maxReadBytes }: { name: string; signal: AbortSignal; maxBytes?: number | undefined },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source instanceof Readable ? addAbortSignal(signal, source) : source) {
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLargeError(name, undefined, maxBytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks);
}
