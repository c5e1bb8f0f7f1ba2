import type { CommandLine } from './command-line.ts';

/**
 * Every way a command can end, and the errors that carry them.
 *
 * A code never changes its meaning: scripts depend on it. Errors are made in three places only: `api/reply-error.ts`
 * (status to class), `project/` and `config/` (files), operations (outcomes). They are rendered in `main.ts` only.
 */
export const exitCodes = {
  ok: { code: 0, when: 'done; also an empty list, or already as asked' },
  failed: { code: 1, when: 'anything not classified below' },
  usage: { code: 2, when: 'unknown command or flag, bad value, stray argument' },
  changes: { code: 3, when: 'only with --detailed-exit-code on a dry run: there is something to deploy' },
  auth: { code: 4, when: 'no token, or it is expired or invalid (401)' },
  denied: { code: 5, when: 'known, but not allowed (403)' },
  'not-found': { code: 6, when: 'app, build, run, file or project does not exist (404)' },
  conflict: { code: 7, when: 'exists already, or changed meanwhile (409, 412)' },
  pending: { code: 8, when: '--timeout reached while the remote work goes on' },
  'input-needed': { code: 9, when: 'a question would have to be asked and cannot be' },
  project: { code: 10, when: 'cerebrium.toml or local files are invalid, missing or too large' },
  'build-failed': { code: 11, when: 'the remote build ended badly' },
  'not-ready': { code: 12, when: 'built, but the app failed to start (init_failure, init_timeout)' },
  'app-error': { code: 13, when: 'invoke or run: the app answered with an error' },
  limit: { code: 14, when: 'quota, plan limit, or payment needed (402)' },
  unavailable: { code: 69, when: 'network, DNS, TLS or 5xx, after retries: trying again may help' },
  bug: { code: 70, when: 'unexpected exception, or a reply of unknown shape' },
  'rate-limited': { code: 75, when: 'too many requests (429), after retries' },
  interrupted: { code: 130, when: 'Ctrl-C, or "no" at a prompt' },
  terminated: { code: 143, when: 'SIGTERM, or the terminal was closed (SIGHUP)' },
} as const;

export type ExitName = keyof typeof exitCodes;

/** A stretch of one line in a file. Lines and columns count from 1, columns and length in characters. */
export interface FileLocation {
  file: string;
  line: number;
  column: number;
  length: number;
  /** The line itself, without its end, so that it can be shown with a caret below. */
  text: string;
}

/** Something wrong with the user's files: an error stops the command, a warning does not. */
export interface Problem {
  severity: 'error' | 'warning';
  message: string;
  place?: FileLocation;
  why?: string;
  /** What to do about it: a complete command, or prose. */
  fix?: string | CommandLine;
}

export interface ErrorFacts {
  place?: FileLocation;
  why?: string;
  /** What to do about it: a complete command, or prose. */
  fix?: string | CommandLine;
  /** HTTP status, when a server's answer is the cause. */
  status?: number;
  requestId?: string;
  retryable?: boolean;
  retryAfterMs?: number;
  /** Anything a program could use: ids, lists. Shown in JSON only. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

/** The root of all expected failures. `exit` names the exit code (see {@link exitCodes}). */
export abstract class GantryError extends Error {
  abstract readonly exit: ExitName;

  constructor(
    message: string,
    readonly facts: ErrorFacts = {},
  ) {
    super(message, { cause: facts.cause });
  }

  /** What the process ends with. */
  get exitCode(): number {
    return exitCodes[this.exit].code;
  }
}

export class FailedError extends GantryError {
  override readonly exit = 'failed';
}

export class UsageError extends GantryError {
  override readonly exit = 'usage';
}

export class AuthError extends GantryError {
  override readonly exit = 'auth';
}

export class DeniedError extends GantryError {
  override readonly exit = 'denied';
}

export class NotFoundError extends GantryError {
  override readonly exit = 'not-found';
}

export class ConflictError extends GantryError {
  override readonly exit = 'conflict';
}

/** The remote work goes on, but we stopped waiting. `fix` is the command that follows it. */
export class PendingError extends GantryError {
  override readonly exit = 'pending';
}

/** A question would have to be asked and nobody can answer. `fix` names the flag that answers it. */
export class InputNeededError extends GantryError {
  override readonly exit = 'input-needed';
}

/** The user's files are at fault. Carries every problem found, warnings included, not the first only. */
export class ProjectError extends GantryError {
  override readonly exit = 'project';

  constructor(
    message: string,
    readonly problems: readonly Problem[],
    facts: ErrorFacts = {},
  ) {
    super(message, facts);
  }
}

export class BuildFailedError extends GantryError {
  override readonly exit = 'build-failed';
}

export class NotReadyError extends GantryError {
  override readonly exit = 'not-ready';
}

/** The app answered, with an error. Its answer is in `details`. */
export class AppError extends GantryError {
  override readonly exit = 'app-error';
}

/** A program that ran on the platform failed: we end with its own exit code, where it is known. */
export class ProgramError extends AppError {
  constructor(
    message: string,
    facts: ErrorFacts,
    private readonly own: number | undefined,
  ) {
    super(message, facts);
  }

  override get exitCode(): number {
    return this.own || super.exitCode;
  }
}

export class LimitError extends GantryError {
  override readonly exit = 'limit';
}

/** Network, DNS, TLS or 5xx, after retries. */
export class UnavailableError extends GantryError {
  override readonly exit = 'unavailable';
}

/** A reply whose shape nobody expected: ours or the server's bug, never the user's. */
export class UnexpectedReplyError extends GantryError {
  override readonly exit = 'bug';
}

export class RateLimitedError extends GantryError {
  override readonly exit = 'rate-limited';
}

/** Signals that ask a process to end. */
export type TerminationSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGBREAK';

export function exitNameFor(signal: TerminationSignal): 'interrupted' | 'terminated' {
  return signal === 'SIGINT' ? 'interrupted' : 'terminated';
}

export class InterruptedError extends GantryError {
  override readonly exit: 'interrupted' | 'terminated';

  constructor(message = 'interrupted', signal: TerminationSignal = 'SIGINT', facts: ErrorFacts = {}) {
    super(message, facts);
    this.exit = exitNameFor(signal);
  }
}
