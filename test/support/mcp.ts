import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/client';
import { gantry, type Outcome, type Setting } from './gantry.ts';

export interface McpSession {
  client: Client;
  /** Closes stdin, as clients do, and returns how gantry ended. */
  end: () => Promise<Outcome>;
  /** All that gantry has written to stdout. */
  written: () => string;
}

/** The SDK's client, connected to `gantry mcp` in this process. */
export async function connectMcp(words: string[] = [], setting: Setting = {}): Promise<McpSession> {
  const stdin = new PassThrough();
  const transport = new InProcessTransport(stdin);
  const ended = gantry(['mcp', ...words], { ...setting, stdin, seen: (stdout) => transport.receive(stdout) });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const end = async () => {
    stdin.end();
    return ended;
  };
  return { client, end, written: () => transport.written };
}

class InProcessTransport implements Transport {
  written = '';
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  constructor(private readonly stdin: PassThrough) {}

  /** Gets all of stdout each time there is more. */
  receive(stdout: string): void {
    const lines = stdout.slice(this.written.length).split('\n').slice(0, -1);
    this.written = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
    for (const line of lines) this.onmessage?.(JSON.parse(line));
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
