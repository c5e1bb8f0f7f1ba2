import { after } from '../../kernel/clock.ts';

/** A reply in memory that brings less than this while a connection may be silent comes in drips. */
const minBytes = 64 * 1024;

/** A connection that delivers a byte, or an interim reply (1xx), every now and then is never silent. */
export class IdleTimeout {
  #stopTimer = () => {};
  #bytes = 0;

  constructor(
    private readonly silenceMs: number,
    private readonly stalled: (error: Error) => void,
  ) {}

  /** The request has been sent, or the head of the reply is there. */
  restart(): void {
    this.#bytes = 0;
    this.stop();
    this.#stopTimer = after(this.silenceMs, () => this.stalled(silenceError(this.silenceMs, this.#bytes)));
  }

  received(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes >= minBytes) this.restart();
  }

  stop(): void {
    this.#stopTimer();
  }
}

export function silenceError(ms: number, bytes = 0): Error {
  return new Error(bytes === 0 ? `no data for ${ms / 1000} s` : `the reply is too slow: ${bytes} B in ${ms / 1000} s`);
}
