import { tryParseJson } from '../../../kernel/json-text.ts';

/** A message of the debug adapter protocol, as far as the emulator reads it. */
export interface DebugMessage {
  seq: number;
  type: 'request' | 'response' | 'event';
  /** The command of a request, and of its response. */
  command?: string;
  event?: string;
  body?: Record<string, unknown>;
}

/** A message as the protocol frames it: a header with the length, an empty line, and JSON. */
export function encodeMessage(message: DebugMessage): Buffer {
  const content = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${content.length}\r\n\r\n`), content]);
}

/** Returns a function that takes what a connection receives, and calls the listener with each complete message. */
export function readMessages(listener: (message: DebugMessage) => void): (chunk: Buffer) => void {
  let received = Buffer.alloc(0);
  return (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf(headerEnd);
      if (end < 0) return;
      const start = end + headerEnd.length;
      const length = Number(/content-length: *(\d+)/i.exec(received.toString('latin1', 0, end))?.[1] ?? 0);
      if (received.length < start + length) return;
      const content = received.toString('utf8', start, start + length);
      received = received.subarray(start + length);
      const message = Object(tryParseJson(content));
      if (typeof message.type === 'string') listener(message);
    }
  };
}

const headerEnd = '\r\n\r\n';
