import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ChangeCommand, gantryCommand, type Sentence, sentence, withCommands } from '../../kernel/command-line.ts';
import { dayMs } from '../../kernel/durations.ts';
import { annotationsRoot, unattendedBy } from '../../kernel/environment.ts';
import { attempt, NotFoundError, UsageError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { once } from '../../kernel/once.ts';
import { duration, timeLeft } from '../../kernel/output/format.ts';
import { createPage, type Page } from '../../kernel/output/page.ts';
import { createProgress } from '../../kernel/output/progress.ts';
import { createPrompt } from '../../kernel/output/prompt.ts';
import { sanitize } from '../../kernel/output/sanitize.ts';
import type { Io } from '../../kernel/process.ts';
import { version } from '../../kernel/version.ts';
import type { Api, ApiOptions } from '../../platform/api/client.ts';
import { RemoteClock } from '../../platform/api/remote-clock.ts';
import type { Retry } from '../../platform/api/retry.ts';
import { createSender } from '../../platform/api/sender.ts';
import { createTokenProvider } from '../../platform/api/token-provider.ts';
import { UnreadableItems } from '../../platform/api/unreadable-items.ts';
import { type Credential, environmentSecrets, findCredential, renewalFix } from '../../platform/config/credentials.ts';
import { isLocalTarget, readFolderTarget } from '../../platform/config/folder-target.ts';
import { checkEnvironment, checkHost, type Host } from '../../platform/config/mixed-environment.ts';
import { type LocalSettings, resolveSettings, type Settings } from '../../platform/config/settings.ts';
import { findTarget } from '../../platform/config/target.ts';
import type { Context, GlobalFlags, InterruptNotice } from '../../platform/context.ts';
import { DryRunEnd, type RunState } from './run-state.ts';

interface SharedState extends Pick<RunState, 'signal' | 'interruption' | 'secrets'> {
  warned?: RunState['warned'] | undefined;
  inPlace?: ChangeCommand;
  /** Whether the command is about a profile, whatever the folder remembers. */
  ofProfile?: boolean | undefined;
}

/** Settings and credentials are read when a command first uses them. Throws UsageError if the `--cwd` folder is missing. */
export function createContext(
  io: Io,
  flags: GlobalFlags,
  { signal, interruption, secrets, warned, inPlace = (command) => command, ofProfile }: SharedState,
  local?: LocalSettings,
): Context {
  secrets.add(environmentSecrets(io.env));
  const page = { ...createPage(io.stderr, io.env, flags.color, io.now(), secrets), inPlace };
  const cwd = existingFolder(io.cwd, flags.cwd);
  const workspace = annotationsRoot(io.env, io.cwd);
  const progress = createProgress({
    stderr: io.stderr,
    page,
    quiet: flags.quiet === true,
    annotations: workspace === undefined ? undefined : { cwd, workspace },
    elapsed: io.elapsed,
    warned,
  });
  const warn = (message: string) => progress.warn(message);
  // `-p local` is the emulator, not a project.
  const settingFlags = {
    ...flags,
    folder: cwd,
    local,
    isLocal: flags.local === true,
    ...(local && { project: undefined }),
  };
  const settings = once(() => resolveSettings(io.env, settingFlags));
  const credential = once(() => {
    // A command that does not use the folder's own emulator would not use it if it ran.
    const readLast = () => {
      const last = readFolderTarget(settings().folders, cwd);
      return last && !isLocalTarget(last) && !ofProfile ? last : undefined;
    };
    const isChosen = flags.project !== undefined || flags.profile !== undefined;
    const folder = ofProfile ? null : isChosen ? undefined : cwd;
    const given = findCredential(io.env, settings(), io.now(), warn, readLast, folder);
    const target = local ? { ...given, origin: local.name } : given;
    const expiry = expiryNotice(target, page);
    if (expiry) progress.note(expiry);
    secrets.add(target.token, target.refreshToken);
    return target;
  });
  // Who needs the token will meet what is wrong with it.
  const target = once(() => findTarget(settings(), attempt(credential), local));
  const shared = {
    secrets,
    signal,
    projects: new Map<string, boolean>(),
    unread: new UnreadableItems(),
    onRetry: (retry: Retry) => progress.note(retryText(retry)),
    trace: (line: string) => void (flags.debug && progress.note(`debug: ${line}`)),
  };
  const clock = new RemoteClock(io.now);
  const dryRun = flags.dryRun === true;
  const checked = once(() => checkEnvironment(io.env, settings(), credential(), settingFlags));
  const checkAddress = (host: Host) => {
    checked();
    checkHost(settings(), host);
  };
  return {
    ...shared,
    ...createApiAccess({ ...shared, io, settings, credential, warn, clock, dryRun, checkAddress }),
    get project() {
      return settings().project.value ?? projectFromToken(credential());
    },
    get credential() {
      return credential();
    },
    credentialFor: (host) => {
      checkAddress(host);
      return credential();
    },
    get target() {
      return target();
    },
    get settings() {
      return settings();
    },
    flags: settingFlags,
    env: io.env,
    progress,
    prompt: createPrompt({
      io,
      signal,
      dryRun,
      page,
      allowed: flags.input,
      unattendedBy: unattendedBy(io.env),
      yes: flags.yes === true,
      giveWay: progress.giveWay,
    }),
    willChange: (what, result) => {
      if (dryRun) throw new DryRunEnd([what].flat(), result);
    },
    get stdin() {
      return inputOf(io);
    },
    readStdin: () => readText(inputOf(io), signal),
    isForModel: io.isForModel === true,
    terminal: {
      get stdin() {
        return io.stdin.isTTY === true;
      },
      stderr: page.terminal,
    },
    openBrowser: (address) => io.openBrowser(address),
    withOverrides: (env, cwd, until = signal) => {
      // The flags choose a project and a profile of the original platform.
      const { project: _, profile: __, cwd: ___, local: ____, ...kept } = flags;
      // Inherits from io: copying it would open its streams.
      const ownIo = { env: { value: { ...io.env, ...env } }, cwd: { value: existingFolder(io.cwd, cwd) } };
      return createContext(Object.create(io, ownIo), kept, { signal: until, interruption: {}, secrets, warned });
    },
    interruption: printedNotice(interruption, page),
    inPlace,
    cwd,
    now: io.now,
    platformNow: () => clock.current(),
    elapsed: io.elapsed,
    delay: (ms, until = signal) => io.delay(ms, until),
    silenceMs: io.silenceMs,
    end: {},
    atEnd: [],
  };
}

function expiryNotice(credential: Credential, page: Page): Sentence | undefined {
  const { expiresAt, refreshToken, origin } = credential;
  if (expiresAt === undefined || refreshToken || expiresAt - page.now > expiryNoticeMs) return undefined;
  const left = timeLeft(new Date(expiresAt).toISOString())(page);
  return sentence`the token from the ${origin} expires ${left}: ${renewalFix(credential)}`;
}

const expiryNoticeMs = 7 * dayMs;

function retryText({ reason: { message, facts }, attempt, tries, delayMs }: Retry): string {
  const status = facts.status && !message.includes('HTTP') ? ` (HTTP ${facts.status})` : '';
  return `${message}${status}; retrying in ${duration(delayMs)} (${attempt} of ${tries})`;
}

function projectFromToken({ project, origin }: Credential): string {
  if (project) return project;
  throw new UsageError('no project selected', {
    why: `neither the settings nor the token (${origin}) name a project`,
    fix: sentence`pass --project p-…, set GANTRY_PROJECT, or store one with ${gantryCommand`projects use p-…`}`,
  });
}

/** The stream itself, so that a command can destroy it, unless a text stands in for it. */
function inputOf(io: Io): AsyncIterable<Buffer | string> {
  return io.input === undefined ? io.stdin : onlyChunk(io.input);
}

async function* onlyChunk(text: string): AsyncGenerator<string> {
  yield text;
}

async function readText(stdin: AsyncIterable<Buffer | string>, signal: AbortSignal): Promise<string> {
  const { readToEnd } = await import('../../kernel/disk/read-to-end.ts');
  return String(await readToEnd(stdin, { name: 'stdin', signal }));
}

function existingFolder(cwd: string, given: string | undefined): string {
  if (given === undefined) return cwd;
  const path = resolve(cwd, given);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`folder ${given} not found`, { why: `looked for ${path}` });
  }
  return path;
}

/** The message as it is printed: it may contain ids from the platform, and commands. */
function printedNotice(interruption: InterruptNotice, page: Page): InterruptNotice {
  return new Proxy(interruption, {
    set: (target, key, advice) => Reflect.set(target, key, sanitize(`${withCommands(advice, page.inPlace)}`, page)),
  });
}

interface ApiAccessOptions
  extends Pick<Context, 'secrets' | 'signal' | 'projects' | 'unread' | 'onRetry' | 'trace'>,
    Required<Pick<ApiOptions, 'clock'>> {
  io: Io;
  settings: () => Settings;
  credential: () => Credential;
  warn: (message: string) => void;
  /** Throws if requests with the token to this host would mix two platforms. */
  checkAddress: (host: Host) => void;
  /** Whether requests that change something are refused. */
  dryRun: boolean;
}

type ApiAccess = Pick<Context, 'api' | 'apiWithSignal' | 'apiWithToken' | 'raw' | 'openLog'>;

/** How a command reaches the platform. The client and its transport are loaded by the first call. */
function createApiAccess(access: ApiAccessOptions): ApiAccess {
  const { io, settings, signal, secrets, trace, warn, unread, clock, checkAddress, projects } = access;
  const renew = async (current: Credential, refused: boolean) => {
    const { renewStoredToken } = await import('../../platform/api/token-renewal.ts');
    const platform = { api: apiWith(signal), settings: settings(), now: io.now, warn };
    const fresh = await renewStoredToken(current, refused, platform);
    secrets.add(fresh.token, fresh.refreshToken);
    return fresh;
  };
  const token = createTokenProvider(access.credential, renew, io);
  const optionsFor = async (until: AbortSignal, ownOptions: OwnOptions): Promise<ApiOptions> => {
    const { addresses, proxy } = settings();
    return {
      token,
      signal: until,
      onRetry: access.onRetry,
      onUnreadable: (route, url, items) => unread.record(route, url, items),
      trace,
      delay: io.delay,
      addresses,
      headers: {
        'user-agent': `gantry/${version}`,
        'x-source': 'cli',
        'x-cli-version': version,
        'x-client-os': process.platform,
        'x-client-arch': process.arch,
      },
      send: ownOptions.send ?? (await createSender(proxy)),
      silenceMs: io.silenceMs,
      now: io.now,
      elapsed: io.elapsed,
      clock,
      ...ownOptions,
    };
  };
  const apiWith = (until: AbortSignal, ownOptions: OwnOptions = {}, check = checkAddress): Api => {
    let api: Promise<Api> | undefined;
    const create = async () => {
      const { createApi } = await import('../../platform/api/client.ts');
      return createApi(await optionsFor(until, ownOptions));
    };
    return async (endpoint, parameters) => {
      // A dry run may renew its token.
      if (access.dryRun && !endpoint.route.startsWith('GET ') && endpoint.host !== 'refresh') {
        throw new Error(`a dry run would have sent ${endpoint.route}`);
      }
      if (!endpoint.anonymous) check(endpoint.host);
      api ??= create();
      return noteProject(projects, parameters, (await api)(endpoint, parameters));
    };
  };
  return {
    api: apiWith(signal),
    apiWithSignal: (until, onRetry, send) => apiWith(until, defined({ onRetry, send })),
    apiWithToken: (other) => {
      secrets.add(other);
      return apiWith(signal, { token: () => other }, () => {});
    },
    raw: async (call) => {
      checkAddress('management');
      const { callRaw } = await import('../../platform/api/client.ts');
      return callRaw(call, await optionsFor(signal, {}));
    },
    openLog: async (path, query, until = signal) => {
      checkAddress('logs');
      const { openLogSocket } = await import('../../platform/api/log-socket.ts');
      const { addresses, proxy } = settings();
      const socket = await openLogSocket(path, query, {
        address: addresses.logs.value,
        proxy,
        userAgent: `gantry/${version}`,
        token: await token(),
        signal: until,
        silenceMs: io.silenceMs,
      });
      trace(`GET ${path} 101`);
      return socket;
    },
  };
}

async function noteProject<Reply>(
  projects: Context['projects'],
  { project }: { project?: string },
  asked: Promise<Reply>,
): Promise<Reply> {
  if (project === undefined) return asked;
  try {
    const reply = await asked;
    projects.set(project, true);
    return reply;
  } catch (error) {
    if (error instanceof NotFoundError) projects.set(project, projects.get(project) ?? false);
    throw error;
  }
}

type OwnOptions = Partial<Pick<ApiOptions, 'token' | 'onRetry' | 'send'>>;
