import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api, ApiOptions, RawCall } from './api/client.ts';
import type { HttpReply } from './api/http-reply.ts';
import type { OpenLogSocket } from './api/log-socket.ts';
import type { Retry } from './api/retry.ts';
import { createSender } from './api/sender.ts';
import { createTokenProvider } from './api/token-provider.ts';
import type { Send } from './api/transport.ts';
import { UnreadableItems } from './api/unreadable-items.ts';
import { type Credential, environmentSecrets, findCredential, renewalFix } from './config/credentials.ts';
import { type Environment, writesAnnotations } from './config/environment.ts';
import { resolveSettings, type SettingFlags, type Settings } from './config/settings.ts';
import { UsageError } from './errors.ts';
import { duration, timeLeft } from './output/format.ts';
import type { KnownSecrets } from './output/known-secrets.ts';
import { type ColorChoice, createPage, type Page } from './output/page.ts';
import { createProgress, type Progress } from './output/progress.ts';
import { createPrompt, type Prompt } from './output/prompt.ts';
import { sanitize } from './output/sanitize.ts';
import type { Io } from './process.ts';
import { version } from './version.ts';

/** The flags of every command. */
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
  apiWithSignal(signal: AbortSignal, onRetry?: (retry: Retry) => void, send?: Send): Api;
  /** The same calls with a token that is not in the settings, or not yet. */
  apiWithToken(token: string): Api;
  /** A call by method and path, for what the contract does not know (`gantry api`). */
  raw(call: RawCall): Promise<HttpReply>;
  /** Opens a live log of the platform, by path and query, until it ends or Ctrl-C. Rejects with ConnectionError. */
  openLog: OpenLogSocket;
  /** The project to work in; throws when none is known. */
  readonly project: string;
  /** The token in use, and what it says of itself; throws when there is none. */
  readonly credential: Credential;
  readonly settings: Settings;
  /** What the flags say of settings, for who must settle them anew (`gantry doctor`). */
  readonly flags: SettingFlags;
  readonly env: Environment;
  progress: Progress;
  prompt: Prompt;
  /** What comes from stdin, as it comes. */
  readonly stdin: AsyncIterable<Buffer | string>;
  /** All of stdin, as text. */
  readStdin(): Promise<string>;
  /** Whether somebody types there, or looks there. */
  readonly terminal: { readonly stdin: boolean; readonly stderr: boolean };
  /** Shows an address in the user's browser; false when there is none. */
  openBrowser(address: string): Promise<boolean>;
  /** The same with other variables and in another folder: for who brings a platform along (`gantry dev`). */
  withOverrides(env: Record<string, string>, cwd: string): Context;
  /** Values that must not be printed; whoever reads another one adds it. */
  secrets: KnownSecrets;
  signal: AbortSignal;
  /**
   * What Ctrl-C would stop and leave: said within a moment of it. Set by an operation that has begun remote work. Empty
   * for what ends no other way: then nothing is said, and it is no error.
   */
  interruption: { says?: string };
  cwd: string;
  /** Wall-clock time, for timestamps, ages and expiry. It may jump: durations and time limits use `elapsed`. */
  now: () => number;
  /** Milliseconds on a clock that never jumps. Only differences mean something. */
  elapsed: () => number;
  /** Waits until then, or until Ctrl-C or the signal given. */
  delay: (ms: number, until?: AbortSignal) => Promise<void>;
  silenceMs: number;
  onRetry: (retry: Retry) => void;
  /** Hears a line about a request that is not made by the calls above; it is shown with `--debug`. */
  trace: (line: string) => void;
  /** Items of lists that could not be read in full; they are reported when the command ends. */
  readonly unread: UnreadableItems;
}

export function createContext(
  io: Io,
  flags: GlobalFlags,
  signal: AbortSignal,
  interruption: { says?: string },
  secrets: KnownSecrets,
): Context {
  secrets.add(...environmentSecrets(io.env));
  const page = createPage(io.stderr, io.env, flags.color, io.now(), secrets);
  const progress = createProgress({
    stderr: io.stderr,
    page,
    quiet: flags.quiet === true,
    annotations: writesAnnotations(io.env),
    elapsed: io.elapsed,
  });
  const once = <T>(make: () => T) => {
    let made: { value: T } | undefined;
    return () => {
      made ??= { value: make() };
      return made.value;
    };
  };
  const settings = once(() => resolveSettings(io.env, flags));
  const warn = (message: string) => progress.warn(message);
  const credential = once(() => {
    const found = findCredential(io.env, settings(), io.now(), warn);
    const ending = endingText(found, page);
    if (ending) progress.note(ending);
    secrets.add(found.token, found.refreshToken);
    return found;
  });
  const onRetry = ({ reason: { message, facts }, attempt, tries, delayMs }: Retry) => {
    const status = facts.status && !message.includes('HTTP') ? ` (HTTP ${facts.status})` : '';
    progress.note(`${message}${status}; trying again in ${duration(delayMs)} (${attempt} of ${tries})`);
  };
  const unread = new UnreadableItems();
  const onUnreadable: NonNullable<ApiOptions['onUnreadable']> = (route, url, items) => unread.record(route, url, items);
  const trace = (line: string) => void (flags.debug && progress.note(`debug: ${line}`));
  const client = () => import('./api/client.ts');
  const renew = async (current: Credential, refused: boolean) => {
    const { renewStoredToken } = await import('./api/token-renewal.ts');
    const fresh = await renewStoredToken(current, refused, {
      api: apiWithSignal(signal),
      settings: settings(),
      now: io.now,
      warn,
    });
    secrets.add(fresh.token, fresh.refreshToken);
    return fresh;
  };
  const give = createTokenProvider(credential, renew, io.now);
  let known: string | undefined;
  const token = async (refused?: string) => {
    const given = await give(refused);
    if (given !== known) secrets.add(given);
    known = given;
    return given;
  };
  const options = (until: AbortSignal, hears = onRetry, send?: Send) =>
    apiOptions(io, settings(), { token, signal: until, onRetry: hears, trace, onUnreadable, ...(send && { send }) });
  const apiFor = (asked: () => Promise<ApiOptions>): Api => {
    const api = once(async () => (await client()).createApi(await asked()));
    return async (endpoint, parameters) => (await api())(endpoint, parameters);
  };
  const apiWithSignal: Context['apiWithSignal'] = (until, hears, send) => apiFor(() => options(until, hears, send));
  return {
    api: apiWithSignal(signal),
    apiWithSignal,
    apiWithToken: (other) => {
      secrets.add(other);
      return apiFor(async () => ({ ...(await options(signal)), token: () => other }));
    },
    raw: async (call) => (await client()).callRaw(call, await options(signal)),
    openLog: async (path, query, until = signal) => {
      const { openLogSocket } = await import('./api/log-socket.ts');
      const { addresses, proxy } = settings();
      const way = { address: addresses.logs.value, proxy, userAgent: `gantry/${version}`, token: await token() };
      const socket = await openLogSocket(path, query, { ...way, signal: until, silenceMs: io.silenceMs });
      trace(`GET ${path} 101`);
      return socket;
    },
    get project() {
      return settings().project.value ?? projectOf(credential());
    },
    get credential() {
      return credential();
    },
    get settings() {
      return settings();
    },
    flags,
    env: io.env,
    progress,
    prompt: createPrompt({ io, signal, allowed: flags.input, yes: flags.yes === true, page }),
    get stdin() {
      return io.stdin;
    },
    readStdin: () => textOf(io.stdin),
    terminal: {
      get stdin() {
        return io.stdin.isTTY === true;
      },
      stderr: page.terminal,
    },
    openBrowser: (address) => io.openBrowser(address),
    withOverrides: (env, cwd) => {
      // What the flags choose is on the platform of before.
      const { project: _, profile: __, cwd: ___, ...kept } = flags;
      // The streams of an Io are opened when they are asked for: a copy would open them all.
      const own = { env: { value: { ...io.env, ...env } }, cwd: { value: folder(io.cwd, cwd) } };
      return createContext(Object.create(io, own), kept, signal, {}, secrets);
    },
    secrets,
    signal,
    interruption: shownInterruption(interruption, page),
    cwd: folder(io.cwd, flags.cwd),
    now: io.now,
    elapsed: io.elapsed,
    delay: (ms, until = signal) => io.delay(ms, until),
    silenceMs: io.silenceMs,
    onRetry,
    trace,
    unread,
  };
}

/** What Ctrl-C says holds ids that the platform gave. */
function shownInterruption(interruption: { says?: string }, page: Page): { says?: string } {
  return new Proxy(interruption, {
    set: (target, key, text) => Reflect.set(target, key, sanitize(String(text), page)),
  });
}

interface Calls {
  token: ApiOptions['token'];
  signal: AbortSignal;
  onRetry: (retry: Retry) => void;
  trace: (line: string) => void;
  onUnreadable: NonNullable<ApiOptions['onUnreadable']>;
  /** The usual way if left out. */
  send?: Send;
}

/** What a call needs. Only when a command makes its first one is the way to send it loaded. */
async function apiOptions(io: Io, settings: Settings, calls: Calls): Promise<ApiOptions> {
  return {
    ...calls,
    delay: io.delay,
    addresses: settings.addresses,
    headers: {
      'user-agent': `gantry/${version}`,
      'x-source': 'cli',
      'x-cli-version': version,
      'x-client-os': process.platform,
      'x-client-arch': process.arch,
    },
    send: calls.send ?? (await createSender(settings.proxy)),
    silenceMs: io.silenceMs,
    now: io.now,
    elapsed: io.elapsed,
  };
}

async function textOf(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** One line in time, about a token that nothing renews. */
function endingText(credential: Credential, page: Page): string | undefined {
  const { expiresAt, refreshToken, origin } = credential;
  if (expiresAt === undefined || refreshToken || expiresAt - page.now > noticeMs) return undefined;
  const left = timeLeft(new Date(expiresAt).toISOString())(page);
  return `the token from the ${origin} ends ${left}: ${renewalFix(credential)}`;
}

const noticeMs = 7 * 86_400_000;

function projectOf({ project, origin }: Credential): string {
  if (project) return project;
  throw new UsageError('no project is chosen', {
    why: `neither the settings nor the token (${origin}) name one`,
    fix: 'pass --project p-… or set GANTRY_PROJECT; gantry projects use p-… keeps it',
  });
}

function folder(cwd: string, asked: string | undefined): string {
  if (asked === undefined) return cwd;
  const path = resolve(cwd, asked);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`there is no folder ${asked}`, { why: `looked for ${path}` });
  }
  return path;
}
