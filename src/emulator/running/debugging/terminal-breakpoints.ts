import type { Duplex } from 'node:stream';
import type { Holds } from './holds.ts';
import { PrivateListener } from './private-listener.ts';

/** Lends a terminal to Python's debugger until the stream ends. `place` is where the app stopped: `main.py:12`. */
export type OnBreakpoint = (stream: Duplex, place: string) => Promise<void>;

export interface TerminalBreakpoints {
  /** What a process of an app needs for its `breakpoint()`. */
  environmentOf(app: string): Record<string, string>;
  close(): void;
}

/** Connects `breakpoint()` in the code of apps (breakpoints.py) to a terminal: one at a time. */
export async function openTerminalBreakpoints(onBreakpoint: OnBreakpoint, holds: Holds): Promise<TerminalBreakpoints> {
  let free: Promise<unknown> = Promise.resolve();
  const listener = await PrivateListener.open(({ app, place }, socket) => {
    socket.once('close', holds.hold(String(app)));
    free = free.then(() => (socket.destroyed ? undefined : onBreakpoint(socket, String(place)))).catch(() => {});
  });
  return {
    environmentOf: (app) => ({ [variable]: JSON.stringify({ ...listener.address, app }) }),
    close: () => listener.close(),
  };
}

const variable = 'GANTRY_BREAKPOINTS';
