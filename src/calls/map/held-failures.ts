import type { CalledInput } from './call-input.ts';
import { MapStopped } from './map-stopped.ts';
import type { MapResult } from './result-line.ts';

/** After so many failures of a kind that would concern all calls, and none that shows otherwise, the map ends. */
export const maxHeldFailures = 25;

interface HeldFailure {
  index: number;
  result: MapResult;
  concernsAll: NonNullable<CalledInput['concernsAll']>;
}

/**
 * A server of the app's own may answer 404 to one input, and the platform to all of them. Such failures are held back until
 * another answer tells: they are results if the app takes other inputs.
 */
export class HeldFailures {
  #held: HeldFailure[] = [];
  #takesOthers = false;

  constructor(
    /** Whether a call has succeeded before this command: the function exists, but this token may be another one. */
    private readonly hasSucceededBefore: boolean,
    private readonly record: (index: number, result: MapResult) => Promise<void>,
  ) {}

  /** How many inputs were called, and have no result yet. */
  get count(): number {
    return this.#held.length;
  }

  /** Records the result of an input now, or when others tell what it means. Throws MapStopped if it concerns all. */
  async take(index: number, { result, concernsAll }: CalledInput): Promise<void> {
    if (!concernsAll) {
      await this.record(index, result);
      if (result.status === 'success' || isAnswer(result.error.statusCode)) await this.#release();
    } else if (this.#takesOthers || (this.hasSucceededBefore && !isAboutAccess(result))) {
      await this.record(index, result);
    } else {
      this.#held.push({ index, result, concernsAll });
      if (this.#held.length >= maxHeldFailures) throw new MapStopped(await concernsAll());
    }
  }

  /** No other input is left to tell. */
  async end(): Promise<void> {
    const [first] = this.#held;
    if (!first) return;
    if (!this.hasSucceededBefore) throw new MapStopped(await first.concernsAll());
    await this.#release();
  }

  async #release(): Promise<void> {
    this.#takesOthers = true;
    const held = this.#held;
    this.#held = [];
    for (const { index, result } of held) await this.record(index, result);
  }
}

/** The app has looked at the input and refuses it. */
function isAnswer(status = 0): boolean {
  return status >= 400 && status < 500;
}

function isAboutAccess(result: MapResult): boolean {
  return result.status === 'failed' && [401, 402, 403].includes(result.error.statusCode ?? 0);
}
