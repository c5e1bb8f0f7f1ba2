import type { Fix } from '../../kernel/command-line.ts';
import { abortError, type ExitName, GantryError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';

/** What is known of the build that a deploy makes. */
export interface KnownBuild {
  app: string;
  build?: string;
  /** As the platform last showed it, or `unknown`. */
  status?: string;
  dashboard?: string | null | undefined;
}

/** Errors of what is between here and the platform: they say nothing of the build. */
const ofPlatform: readonly ExitName[] = ['auth', 'denied', 'unavailable', 'limit', 'rate-limited'];

/**
 * Does a part of a deploy. Whatever ends it has what is known of the build among its details: `--json` and the outputs of a
 * pipeline step tell it from there. `deployed`: what is not known of a build that serves, and the command that goes on.
 */
export async function tellOnFailure<T>(
  signal: AbortSignal,
  known: KnownBuild,
  work: () => Promise<T>,
  deployed?: { reason: string; goOn: Fix },
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = signal.aborted && !(thrown instanceof GantryError) ? abortError(signal) : thrown;
    if (!(error instanceof GantryError)) throw error;
    const { facts } = error;
    const { reason, goOn } = deployed ?? {};
    facts.details = { ...known, ...(reason && { reason }), ...facts.details };
    if (goOn && signal.aborted) facts.fix ??= goOn;
    if (reason && known.build && ofPlatform.includes(error.exit))
      facts.why ??= `build ${shortBuild(known.build)} of ${known.app} is deployed: ${reason}`;
    throw error;
  }
}
