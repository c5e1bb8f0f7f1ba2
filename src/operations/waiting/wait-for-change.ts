import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';

/** Pauses before the platform is asked again, in milliseconds: a change may take seconds to show. */
const usualPausesMs = [250, 500, 1_000, 2_000, 3_000, 3_000];

/**
 * Looks whether the platform shows a change that it has confirmed, again and again for some ten seconds. Gives the last
 * look. A look that fails because the platform is out of reach is repeated; any other failure is thrown.
 */
export async function lookUntil<Seen>(
  look: () => Promise<Seen>,
  shows: (seen: Seen) => boolean,
  delay: Context['delay'],
  pausesMs: readonly number[] = usualPausesMs,
): Promise<Seen> {
  for (let looks = 0; ; looks++) {
    const pause = pausesMs[looks];
    try {
      const seen = await look();
      if (shows(seen) || pause === undefined) return seen;
    } catch (error) {
      if (pause === undefined || !(error instanceof UnavailableError)) throw error;
    }
    await delay(pause);
  }
}
