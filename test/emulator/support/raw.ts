import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  /** 0 if the connection was closed without a reply. */
  status: number;
  head: string;
  body: string;
}

/** Sends raw bytes, and reads until the other side closes. */
export async function sendRaw(url: string, lines: string[], body = ''): Promise<RawAnswer> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const answer = await text(socket).catch(() => '');
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head: head.toLowerCase(),
    body: rest.join('\r\n\r\n'),
  };
}
