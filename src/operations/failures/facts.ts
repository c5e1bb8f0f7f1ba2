import type { AppConfig } from '../../project/config.ts';

/** What is known about a failure besides its log. */
export interface FailureFacts {
  /** Undefined for a log of unknown origin. */
  source?: 'build' | 'run' | undefined;
  /** The app as it was when the log was read; undefined if it is not at hand. */
  config?: AppConfig | undefined;
  /** Why the platform says that it failed. */
  reason?: string | undefined;
  status?: string | undefined;
  exitCode?: number | undefined;
  /** The HTTP status of a call. */
  statusCode?: number | undefined;
  /** Whether a file of the app folder exists; the disk by default. */
  exists?: ((path: string) => boolean) | undefined;
}
