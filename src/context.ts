import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api, ApiOptions, RawCall } from './api/client.ts';
import type { Retry } from './api/retry.ts';
import type { HttpReply } from './api/transport.ts';
import { type Credential, findCredential } from './config/credentials.ts';
import { annotates, type Environment } from './config/environment.ts';
import { resolveSettings, type Settings } from './config/settings.ts';
import { UsageError } from './errors.ts';
import { type ColorChoice, pageOf, type Stream } from './output/page.ts';
import { createProgress, type Progress } from './output/progress.ts';
import { createPrompt, type Prompt } from './output/prompt.ts';
import { duration } from './output/words.ts';
import { version } from './version.ts';

/** The process, as an argument: tests give their own. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Stream;
  stderr: Stream;
  env: Environment;
  cwd: string;
  /** Calls back on Ctrl-C and SIGTERM; returns how to stop listening. */
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
  /** Ends the process at once, undrained: the second Ctrl-C. */
  quit(code: number): void;
  /** Milliseconds since the epoch. */
  now(): number;
  delay(ms: number, signal: AbortSignal): Promise<void>;
  /** Starts gantry once more, with these words, and does not wait for it. */
  startBehind(words: string[]): void;
  /** A connection on which no byte moves for so many milliseconds is dead. */
  silenceMs: number;
}

/** The flags every command has (conventions §4). */
export interface GlobalFlags {
  json?: string;
  quiet?: boolean;
  debug?: boolean;
  color: ColorChoice;
  /** False with `--no-input`. */
  input: boolean;
  yes?: boolean;
  project?: string;
  profile?: string;
  region?: string;
  cwd?: string;
}

/** All that a command may touch. */
export interface Context {
  api: Api;
  /** The same calls under another signal: what must still be said, or heard, after Ctrl-C. */
  apiUntil(signal: AbortSignal): Api;
  /** A call by method and path, for what the contract does not know (`gantry api`). */
  raw(call: RawCall): Promise<HttpReply>;
  /** The project to work in; throws when none is known. */
  readonly project: string;
  readonly settings: Settings;
  readonly env: Environment;
  progress: Progress;
  prompt: Prompt;
  /** All of stdin, as text. */
  readStdin(): Promise<string>;
  signal: AbortSignal;
  /** What Ctrl-C would stop and leave: said within a moment of it. Set by an operation that has begun remote work. */
  interruption: { says?: string };
  cwd: string;
  now: () => number;
  delay: (ms: number) => Promise<void>;
  silenceMs: number;
  onRetry: (retry: Retry) => void;
}

export function createContext(
  io: Io,
  flags: GlobalFlags,
  signal: AbortSignal,
  interruption: { says?: string },
): Context {
  const page = pageOf(io.stderr, io.env, flags.color, io.now());
  const progress = createProgress({
    stderr: io.stderr,
    page,
    quiet: flags.quiet === true,
    annotations: annotates(io.env),
    now: io.now,
  });
  const once = <T>(make: () => T) => {
    let made: { value: T } | undefined;
    return () => {
      made ??= { value: make() };
      return made.value;
    };
  };
  const settings = once(() => resolveSettings(io.env, flags));
  const credential = once(() => findCredential(io.env, settings(), io.now(), (message) => progress.warn(message)));
  const onRetry = ({ reason: { message, facts }, attempt, tries, delayMs }: Retry) => {
    const status = facts.status && !message.includes('HTTP') ? ` (HTTP ${facts.status})` : '';
    progress.note(`${message}${status}; trying again in ${duration(delayMs)} (${attempt} of ${tries})`);
  };
  const trace = (line: string) => (flags.debug ? progress.note(`debug: ${line}`) : undefined);
  const client = () => import('./api/client.ts');
  const options = (until: AbortSignal) => apiOptions(io, settings(), credential, { signal: until, onRetry, trace });
  const apiUntil = (until: AbortSignal): Api => {
    const api = once(async () => (await client()).createApi(await options(until)));
    return async (endpoint, parameters) => (await api())(endpoint, parameters);
  };
  return {
    api: apiUntil(signal),
    apiUntil,
    raw: async (call) => (await client()).callRaw(call, await options(signal)),
    get project() {
      return settings().project.value ?? projectOf(credential());
    },
    get settings() {
      return settings();
    },
    env: io.env,
    progress,
    prompt: createPrompt({ io, signal, allowed: flags.input, yes: flags.yes === true }),
    readStdin: () => textOf(io.stdin),
    signal,
    interruption,
    cwd: folder(io.cwd, flags.cwd),
    now: io.now,
    delay: (ms) => io.delay(ms, signal),
    silenceMs: io.silenceMs,
    onRetry,
  };
}

interface Calls {
  signal: AbortSignal;
  onRetry: (retry: Retry) => void;
  trace: (line: string) => void;
}

/** What a call needs. Only when a command makes its first one is the way to send it loaded. */
async function apiOptions(io: Io, settings: Settings, credential: () => Credential, calls: Calls): Promise<ApiOptions> {
  const { proxy } = settings;
  const send = proxy
    ? (await import('./api/proxied.ts')).sendThrough(proxy)
    : (await import('./api/transport.ts')).sendPlainly;
  return {
    ...calls,
    delay: io.delay,
    addresses: settings.addresses,
    token: () => credential().token,
    headers: {
      'user-agent': `gantry/${version}`,
      'x-source': 'cli',
      'x-cli-version': version,
      'x-client-os': process.platform,
      'x-client-arch': process.arch,
    },
    send,
    silenceMs: io.silenceMs,
    now: io.now,
  };
}

async function textOf(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function projectOf({ project, origin }: Credential): string {
  if (project) return project;
  throw new UsageError('no project is chosen', {
    why: `neither the settings nor the token (${origin}) name one`,
    fix: 'pass --project p-… or set GANTRY_PROJECT',
  });
}

function folder(cwd: string, asked: string | undefined): string {
  if (asked === undefined) return cwd;
  const path = resolve(cwd, asked);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`there is no folder ${asked}`, { why: 'it was given with --cwd' });
  }
  return path;
}
