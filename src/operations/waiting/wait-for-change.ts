import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';

/** A confirmed change may take seconds to show. In ms. */
const defaultPausesMs = [250, 500, 1_000, 2_000, 3_000, 3_000];

/**
 * Reads until the platform shows a change that it has confirmed, for about ten seconds. Returns the last state read.
 * Retries while the platform is unavailable; throws any other failure.
 */
export async function waitForChange<State>(
  read: () => Promise<State>,
  isChanged: (state: State) => boolean,
  delay: Context['delay'],
  pausesMs: readonly number[] = defaultPausesMs,
): Promise<State> {
  for (let reads = 0; ; reads++) {
    const pause = pausesMs[reads];
    try {
      const state = await read();
      if (isChanged(state) || pause === undefined) return state;
    } catch (error) {
      if (pause === undefined || !(error instanceof UnavailableError)) throw error;
    }
    await delay(pause);
  }
}
