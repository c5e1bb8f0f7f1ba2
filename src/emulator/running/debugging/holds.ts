import type { Duplex } from 'node:stream';
import { after } from '../../../kernel/clock.ts';
import { PrivateListener } from './private-listener.ts';

interface Limit {
  start(): void;
  stop(): void;
}

/** Apps whose code stands in a breakpoint: no time limit counts while it does, and each starts over when it goes on. */
export class Holds {
  /** How many breakpoints each app stands in. */
  readonly #held = new Map<string, number>();
  readonly #limits = new Map<string, Set<Limit>>();

  /** Returns what ends it. */
  hold(app: string): () => void {
    const held = this.#held.get(app) ?? 0;
    this.#held.set(app, held + 1);
    if (held === 0) for (const limit of this.#limitsOf(app)) limit.stop();
    let hasEnded = false;
    return () => {
      if (!hasEnded) this.#release(app);
      hasEnded = true;
    };
  }

  /** Calls once when an app has had this much time outside of breakpoints. Returns what stops it. */
  after(app: string, ms: number, callback: () => void): () => void {
    const limits = this.#limitsOf(app);
    const end = () => {
      limit.stop();
      limits.delete(limit);
      if (limits.size === 0) this.#limits.delete(app);
    };
    const limit: Limit = {
      start() {
        limit.stop = after(ms, () => {
          end();
          callback();
        });
      },
      stop() {},
    };
    limits.add(limit);
    this.#limits.set(app, limits);
    if (!this.#held.has(app)) limit.start();
    return end;
  }

  #release(app: string): void {
    const left = (this.#held.get(app) ?? 1) - 1;
    if (left > 0) {
      this.#held.set(app, left);
      return;
    }
    this.#held.delete(app);
    for (const limit of this.#limitsOf(app)) limit.start();
  }

  #limitsOf(app: string): Set<Limit> {
    return this.#limits.get(app) ?? new Set();
  }
}

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
