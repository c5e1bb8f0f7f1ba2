import type { CommandLine } from '../../command-line.ts';
import type { CreatedApp } from '../../contract/apps.ts';
import { abortError, GantryError, UnexpectedReplyError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';

interface Facts {
  app: string;
  build?: string;
  /** As the platform last showed it, or `unknown`. */
  status?: string;
  dashboard?: string | null | undefined;
  /** What is not known of it, whatever ends the deploy now. */
  reason?: string;
}

/**
 * What is known of the build that a deploy makes. Whatever ends the deploy has it among its details: `--json` and the
 * outputs of a pipeline step tell it from there.
 */
export class KnownBuild {
  #facts: Facts;

  constructor(
    /** Aborts after Ctrl-C. */
    private readonly signal: AbortSignal,
    { app, build, status, dashboard, reason }: Facts,
    /** The command that goes on after Ctrl-C; otherwise the same one does. */
    private readonly goOn?: CommandLine,
  ) {
    this.#facts = { app, ...(build && { build, status, dashboard }), ...(reason && { reason }) };
  }

  learn(facts: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** Checks the id before anything is sent to it: its path would be that of something else. */
  learnCreated({ buildId: build, status, dashboardUrl: dashboard }: CreatedApp): void {
    if (/^\.{1,2}$/.test(build)) {
      throw new UnexpectedReplyError(`the platform replied with "${build}" as the id of the build`);
    }
    this.learn({ build, status: status ?? 'pending', dashboard });
  }

  /** Does a part of the deploy. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const error = this.signal.aborted && !(thrown instanceof GantryError) ? abortError(this.signal) : thrown;
      if (error instanceof GantryError) error.facts.details = { ...this.#facts, ...error.facts.details };
      if (error instanceof GantryError && this.signal.aborted && this.goOn) error.facts.fix ??= this.goOn;
      // What happened between here and the platform says nothing of the build.
      const { app, build, reason } = this.#facts;
      if (build && reason && error instanceof GantryError && isOfPlatform(error)) {
        error.facts.why ??= `build ${shortBuild(build)} of ${app} is deployed: ${reason}`;
      }
      throw error;
    }
  }
}

function isOfPlatform({ exit }: GantryError): boolean {
  return exit === 'auth' || exit === 'denied' || exit === 'unavailable' || exit === 'limit' || exit === 'rate-limited';
}
