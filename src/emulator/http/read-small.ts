import { IncomingMessage } from 'node:http';
import type { ByteStream } from './reply.ts';

/**
 * The whole body if it has no more bytes than these, else all of it as a stream. Most bodies are small, and iterating over
 * one takes longer than all else that a request needs.
 */
export async function readSmall(body: ByteStream, maxBytes: number): Promise<Buffer | ByteStream> {
  if (!(body instanceof IncomingMessage)) return body;
  const { 'content-length': length } = body.headers;
  if (length === undefined || Number(length) > maxBytes || body.readableFlowing !== null) return body;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', reject)
      .once('close', () => reject(new Error('the client has disconnected')));
  });
}
