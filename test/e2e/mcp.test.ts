import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { startEmulator } from '../support/emulators.ts';
import { bin, cleanEnvironment } from './binary.ts';

test('an MCP client starts gantry, calls a tool and ends it', async () => {
  const emulator = await startEmulator({ seed: 1 });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp'],
    env: cleanEnvironment(emulator),
  });
  const client = new Client({ name: 'test', version: '1' });
  try {
    await client.connect(transport);
    const { content, isError } = await client.callTool({
      name: 'call',
      arguments: { argv: ['apps', 'list', '--jq', '[.[].name] | sort | join(" ")'] },
    });
    expect([isError, content]).toEqual([false, [{ type: 'text', text: 'nightly-report transcriber web' }]]);
  } finally {
    await client.close();
    await emulator.close();
  }
});
