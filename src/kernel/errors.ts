import type { CommandLine, Fix } from './command-line.ts';

/**
 * Exit codes, and the errors that lead to them. A code never changes its meaning: scripts depend on it.
 *
 * Any module may throw these errors; `api/reply-error.ts` maps HTTP statuses to them. `main.ts` shows what reaches it, by
 * `output/failure.ts`. Errors that another module always catches are defined where they are thrown.
 */
export const exitCodes = {
  ok: { code: 0, when: 'success, including an empty list or nothing to change' },
  failed: { code: 1, when: 'any other error' },
  usage: { code: 2, when: 'unknown command or flag, invalid value or unexpected argument' },
  changes: { code: 3, when: 'dry run with --detailed-exit-code: there are changes to deploy' },
  auth: { code: 4, when: 'no token, or the token is expired or invalid (401)' },
  denied: { code: 5, when: 'permission denied (403)' },
  'not-found': { code: 6, when: 'app, build, run, file or project not found (404)' },
  conflict: { code: 7, when: 'already exists, or changed in the meantime (409, 412)' },
  pending: { code: 8, when: "--timeout reached; remote work continues, its own or another's" },
  'input-needed': { code: 9, when: 'input required, but prompting is not possible' },
  project: { code: 10, when: 'cerebrium.toml or local files are invalid, missing or too large' },
  'build-failed': { code: 11, when: 'the build failed' },
  'not-ready': { code: 12, when: 'the build succeeded, but the app failed to start (init_failure, init_timeout)' },
  'app-error': { code: 13, when: 'invoke, map or run: the app or the program failed' },
  limit: { code: 14, when: 'quota or plan limit reached, or payment required (402)' },
  unavailable: { code: 69, when: 'network, DNS, TLS or server error (5xx), after retries; may be temporary' },
  bug: { code: 70, when: 'internal error, or an unexpected reply' },
  'rate-limited': { code: 75, when: 'too many requests (429), after retries' },
  interrupted: { code: 130, when: 'Ctrl-C, or "no" at a prompt' },
  terminated: { code: 143, when: 'SIGTERM, or the terminal was closed (SIGHUP)' },
} as const;

export type ExitName = keyof typeof exitCodes;

/** Any command may end with these. */
export const everyCommandExits = ['ok', 'failed', 'usage', 'bug', 'interrupted', 'terminated'] as const;
/** Any command that uses the platform may also end with these. */
export const platformExits = [
  'auth',
  'denied',
  'not-found',
  'conflict',
  'input-needed',
  // The file that names the app cannot be read.
  'project',
  'limit',
  'unavailable',
  'rate-limited',
] as const;

/** A range within one line of a file. `line` and `column` count from 1; `column` and `length` are in code points. */
export interface FileLocation {
  file: string;
  line: number;
  column: number;
  length: number;
  text: string;
}

/** Something wrong in the user's files. An error stops the command, a warning does not. */
export interface Problem {
  severity: 'error' | 'warning';
  message: string;
  /** The name of its cause (docs/failures.md), if it has one. */
  cause?: string;
  location?: FileLocation | undefined;
  why?: string | undefined;
  /** What to do about it: the command to type, or prose. */
  fix?: Fix | undefined;
  /** Flags with which the same command line would work. */
  retryWith?: readonly string[];
}

export interface CorrectedWord {
  typed: string;
  /** Whose value it is: an empty one has no other place. */
  flag?: string;
  /** Several words take its place as a list: one word may have spaces. */
  meant: string | readonly string[];
  /** What was meant is not known: the line only shows what is valid. */
  isExample?: boolean;
  /** What was meant is another thing, such as an app: no line that would change that one is made of it. */
  isGuess?: boolean;
}

/** In `details` too, these are names or ids. */
type NamedThing =
  | 'app'
  | 'project'
  | 'build'
  | 'run'
  | 'container'
  | 'region'
  | 'volume'
  | 'profile'
  | 'serviceAccount';

export interface ErrorFacts {
  location?: FileLocation | undefined;
  why?: string | undefined;
  /** What the token may not do: the reason, where nothing more is known. */
  refused?: string;
  /** What to do about it: the command to type, or prose. */
  fix?: Fix | undefined;
  /** The command for programs where the fix is not the one that helps most; null if none helps. */
  next?: CommandLine | null;
  /** Flags with which the same command line would work. */
  retryWith?: readonly string[];
  /** The word of the command line that is wrong: with the other one, it would work. Becomes the fix. */
  corrected?: CorrectedWord | undefined;
  /** The HTTP status of the reply that caused the error. */
  status?: number;
  requestId?: string | undefined;
  retryable?: boolean;
  retryAfterMs?: number | undefined;
  /** More for programs, such as ids. Shown in JSON only. */
  details?: Record<string, unknown> & { [name in NamedThing]?: string | null | undefined };
  /** The end of the log of what failed, to find the cause. Not shown. */
  log?: readonly string[];
  /** What a failed program was given, by name, for the same reason. Not shown. */
  sent?: unknown;
  /** Without a place and a fix, no rule knows the error. */
  explained?: { title: string; place: string; fix: string };
  cause?: unknown;
}

/** The base of all expected failures. `exit` names the exit code (see {@link exitCodes}). */
export abstract class GantryError extends Error {
  abstract readonly exit: ExitName;

  constructor(
    message: string,
    readonly facts: ErrorFacts = {},
  ) {
    super(message, { cause: facts.cause });
  }

  get exitCode(): number {
    return exitCodes[this.exit].code;
  }
}

/** Whether the same may succeed later. */
export function isTransient({ exit, facts }: GantryError): boolean {
  return facts.retryable ?? (exit === 'unavailable' || exit === 'rate-limited');
}

function errorOf<Exit extends ExitName>(exit: Exit) {
  return class extends GantryError {
    override readonly exit: Exit = exit;
  };
}

export class FailedError extends errorOf('failed') {}
export class UsageError extends errorOf('usage') {}
export class AuthError extends errorOf('auth') {}
export class DeniedError extends errorOf('denied') {}
export class NotFoundError extends errorOf('not-found') {}
export class ConflictError extends errorOf('conflict') {}
export class BuildFailedError extends errorOf('build-failed') {}
export class NotReadyError extends errorOf('not-ready') {}
export class LimitError extends errorOf('limit') {}
export class RateLimitedError extends errorOf('rate-limited') {}

/** The wait ended, but the remote work continues. `fix` is the command that follows it. */
export class PendingError extends errorOf('pending') {}

/** Input is required, but prompting is not possible. `fix` names the flag that provides it. */
export class InputNeededError extends errorOf('input-needed') {}

/** The user's files are invalid. Carries all problems found, warnings included; the first error says what to do next. */
export class ProjectError extends errorOf('project') {
  constructor(
    message: string,
    readonly problems: readonly Problem[],
    facts: ErrorFacts = {},
  ) {
    const {
      message: _,
      severity: __,
      cause: ___,
      ...first
    } = problems.find(({ severity }) => severity === 'error') ?? {};
    super(message, { ...first, ...facts });
  }
}

/** The app returned an error. Its response is in `details`. */
export class AppError extends errorOf('app-error') {}

export class ProgramError extends AppError {
  constructor(
    message: string,
    facts: ErrorFacts,
    /** The program's exit code, if gantry was asked to exit with it. */
    private readonly forwardedExitCode: number | undefined,
  ) {
    super(message, facts);
  }

  override get exitCode(): number {
    return this.forwardedExitCode || super.exitCode;
  }
}

export class UnavailableError extends errorOf('unavailable') {}

/** A reply with an unexpected shape: a bug in gantry or in the platform. */
export class UnexpectedReplyError extends errorOf('bug') {}

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

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** The reason of the signal, or an InterruptedError if the reason is none of our errors. */
export function abortError(signal: AbortSignal): GantryError {
  return signal.reason instanceof GantryError ? signal.reason : new InterruptedError();
}

/** Throws what is not a GantryError, and anything once the signal has aborted. Other errors are left to the caller. */
export function throwUnexpected(error: unknown, signal?: AbortSignal): asserts error is GantryError {
  if (signal?.aborted || !(error instanceof GantryError)) throw error;
}

/** Whether the platform replied with one of these statuses. */
export function isReplyWith(error: unknown, statuses: readonly number[]): error is GantryError {
  return error instanceof GantryError && error.facts.status !== undefined && statuses.includes(error.facts.status);
}

/** What work returns; undefined if it throws. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The code that the system gave an error, such as ENOENT; empty if there is none. */
export function systemCode(error: unknown): string {
  const { code } = Object(error) as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : '';
}
