import type { ByteStream, ReadableBody, ServerReply } from '../../http/reply.ts';
import { CallAbortedError } from '../../running/replicas/replica.ts';

/** Calls `end` with the run's status code when the reply was sent, failed, or lost its reader. */
export function trackReply(reply: ServerReply, end: (statusCode: number) => void, signal?: AbortSignal): ServerReply {
  const { body, status } = reply;
  if (typeof body === 'string') {
    end(status);
    return reply;
  }
  return {
    ...reply,
    body: { size: body.size, read: (start, stop) => trackChunks(body, { start, stop, end, status, signal }) },
  };
}

interface TrackOptions {
  start: number;
  stop: number;
  end: (statusCode: number) => void;
  status: number;
  signal: AbortSignal | undefined;
}

async function* trackChunks(content: ReadableBody, { start, stop, end, status, signal }: TrackOptions): ByteStream {
  let at = 0;
  let statusCode = -1;
  try {
    for await (const chunk of content.read(0, stop)) {
      signal?.throwIfAborted();
      // With a known size, a part of the body may be requested.
      const part = content.size === undefined ? chunk : chunk.subarray(Math.max(0, start - at), stop - at);
      at += chunk.length;
      if (part.length > 0) yield part;
      if (at >= stop) break;
    }
    statusCode = status;
  } catch (error) {
    statusCode = error instanceof CallAbortedError ? error.statusCode : 500;
    throw error;
  } finally {
    end(statusCode);
  }
}
