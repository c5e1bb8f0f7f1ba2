import type { Readable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Context } from '../../platform/context.ts';
import type { Effect } from '../command.ts';
import { reference } from '../reference.ts';
import { compactTools } from './compact-tools.ts';
import { groupedTools } from './grouped-tools.ts';
import { IdleWatch } from './idle-watch.ts';
import { createToolServer } from './server.ts';
import { DrainingTransport } from './transport.ts';

export interface McpAccess {
  allowChanges?: true | undefined;
  allowDestroy?: true | undefined;
  /** Two tools for all commands, instead of one for each noun. */
  compact?: true | undefined;
}

/** Serves MCP until stdin ends. Then, and at Ctrl-C, running commands end as Ctrl-C ends them. */
export async function serveMcp(
  context: Context,
  access: McpAccess,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const { commands } = await reference();
  const transport = new DrainingTransport(write);
  const running = new Set<Promise<unknown>>();
  const toolSet = (access.compact ? compactTools : groupedTools)(commands, allowedEffects(access));
  const options = { context, running, idle: new IdleWatch(), toolSet };
  const served = serveStdio(() => createToolServer(options), { transport });
  try {
    await transport.pump(context.stdin as Readable, context.signal);
  } finally {
    await served.close();
    await Promise.allSettled(running);
  }
}

function allowedEffects({ allowChanges, allowDestroy }: McpAccess): Effect[] {
  if (allowDestroy) return ['reads', 'changes', 'destroys'];
  return allowChanges ? ['reads', 'changes'] : ['reads'];
}
