import type { Duplex } from 'node:stream';
import { after } from '../../../kernel/clock.ts';
import { PrivateListener } from './private-listener.ts';

/** Apps whose code stands in a breakpoint: no time limit counts while it does, and each starts over when it goes on. */
export class Holds {
  /** How many breakpoints each app stands in. */
  readonly #held = new Map<string, number>();
  /** When each app went on the last time. */
  readonly #wentOnAt = new Map<string, number>();

  /** Returns what ends it. */
  hold(app: string): () => void {
    this.#held.set(app, this.#countOf(app) + 1);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#held.set(app, this.#countOf(app) - 1);
      this.#wentOnAt.set(app, performance.now());
    };
  }

  /** Calls once when an app has had this much time outside of breakpoints. Returns what stops it. */
  after(app: string, ms: number, callback: () => void): () => void {
    let stop = () => {};
    const wait = (leftMs: number) => {
      stop = after(leftMs, () => {
        const outsideMs = performance.now() - (this.#wentOnAt.get(app) ?? Number.NEGATIVE_INFINITY);
        const missingMs = this.#countOf(app) > 0 ? ms : ms - outsideMs;
        if (missingMs > 0) wait(missingMs);
        else callback();
      });
    };
    wait(ms);
    return () => stop();
  }

  #countOf(app: string): number {
    return this.#held.get(app) ?? 0;
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
