import type { ChangeCommand, Fix } from '../kernel/command-line.ts';
import type { Environment } from '../kernel/environment.ts';
import type { KnownSecrets } from '../kernel/output/known-secrets.ts';
import type { ColorChoice } from '../kernel/output/page.ts';
import type { Progress } from '../kernel/output/progress.ts';
import type { Prompt } from '../kernel/output/prompt.ts';
import type { Api, RawCall } from './api/client.ts';
import type { HttpReply } from './api/http-reply.ts';
import type { OpenLogSocket } from './api/log-socket.ts';
import type { Retry } from './api/retry.ts';
import type { Send } from './api/transport.ts';
import type { UnreadableItems } from './api/unreadable-items.ts';
import type { Credential } from './config/credentials.ts';
import type { Host } from './config/mixed-environment.ts';
import type { SettingFlags, Settings } from './config/settings.ts';
import type { Target } from './config/target.ts';

export interface GlobalFlags {
  json?: string;
  jq?: string;
  quiet?: boolean;
  debug?: boolean;
  color: ColorChoice;
  pager: boolean;
  input: boolean;
  yes?: boolean;
  project?: string;
  local?: boolean;
  profile?: string;
  region?: string;
  cwd?: string;
  configFile?: string;
  dryRun?: boolean;
}

/** Shown when Ctrl-C interrupts the command: what stops and what continues remotely. */
export interface InterruptNotice {
  /** Empty for commands that only end by Ctrl-C: nothing is shown, and it is not an error. */
  message?: Fix;
}

/** Everything a command may use. Created by `program/create-context.ts`; tests pass their own `Io`. */
export interface Context {
  api: Api;
  /** The API with another abort signal, for requests that must outlive Ctrl-C. */
  apiWithSignal(signal: AbortSignal, onRetry?: (retry: Retry) => void, send?: Send): Api;
  /** The API with a token that is not stored in the settings. */
  apiWithToken(token: string): Api;
  raw(call: RawCall): Promise<HttpReply>;
  /** Opens a live log by path and query; it closes on the given signal or Ctrl-C. Rejects with ConnectionError. */
  openLog: OpenLogSocket;
  /** The project to use. Throws UsageError if none is selected. */
  readonly project: string;
  readonly target: Target;
  /** The token in use and its claims. Throws AuthError if there is none. */
  readonly credential: Credential;
  /** The credential for a request that is not made through `api`. Throws UsageError if it must not go to this host. */
  credentialFor(host: Host): Credential;
  readonly settings: Settings;
  /** The settings given as flags, for commands that resolve settings again (`gantry doctor`). */
  readonly flags: SettingFlags;
  readonly env: Environment;
  /** What deploys for the user again and again, as the history has it: `gantry dev`. */
  readonly by?: string;
  progress: Progress;
  prompt: Prompt;
  /** Called before the first change. A dry run ends here, and shows what would be done (`delete app web`). */
  willChange(what: string | readonly string[], result: object): void;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** A language model reads the result: values of secrets stay hidden, whatever it asked for. */
  readonly isForModel: boolean;
  readStdin(): Promise<string>;
  readonly terminal: { readonly stdin: boolean; readonly stderr: boolean };
  openBrowser(address: string): Promise<boolean>;
  /** For commands that start a platform (`gantry dev`). With a signal, it ends with that instead of Ctrl-C. */
  withOverrides(env: Record<string, string>, cwd: string, signal?: AbortSignal): Context;
  /** Values to redact. Code that reads another secret adds it. */
  secrets: KnownSecrets;
  signal: AbortSignal;
  /** Set by operations that start remote work. */
  interruption: InterruptNotice;
  /** Makes a command work where this one does: for those that a result has. Progress and errors do it themselves. */
  inPlace: ChangeCommand;
  cwd: string;
  /** Wall-clock time in ms, for timestamps, ages and expiry. It may jump: durations and timeouts use `elapsed`. */
  now: () => number;
  /** The time by the platform's clock, as its last reply showed it: what its times are compared with. */
  platformNow: () => number;
  elapsed: () => number;
  /** Waits; rejects on Ctrl-C, or on the given signal instead. */
  delay: (ms: number, until?: AbortSignal) => Promise<void>;
  silenceMs: number;
  onRetry: (retry: Retry) => void;
  /** Logs a request that is not made through `api`; shown with `--debug`. */
  trace: (line: string) => void;
  /** When `--timeout` ends the command, as {@link elapsed} counts; undefined without one. All of a command share it. */
  readonly end: { at?: number; typedMs?: number };
  /** Work that a command does not wait for: what remains of it is done when the command has ended, whichever way. */
  readonly atEnd: ((context: Context) => Promise<void>)[];
  /** The projects of which something was not found (false), or was seen (true). */
  readonly projects: Map<string, boolean>;
  /** List items that could not be read in full; reported when the command ends. */
  readonly unread: UnreadableItems;
}
