import type { KnownSecrets } from '../../kernel/output/known-secrets.ts';
import type { Io } from '../../kernel/process.ts';
import { version } from '../../kernel/version.ts';
import type { Api, ApiOptions } from '../../platform/api/client.ts';
import type { RemoteClock } from '../../platform/api/remote-clock.ts';
import type { Retry } from '../../platform/api/retry.ts';
import { createSender } from '../../platform/api/sender.ts';
import { createTokenProvider } from '../../platform/api/token-provider.ts';
import type { Send } from '../../platform/api/transport.ts';
import type { UnreadableItems } from '../../platform/api/unreadable-items.ts';
import type { Credential } from '../../platform/config/credentials.ts';
import type { Host } from '../../platform/config/mixed-environment.ts';
import type { Settings } from '../../platform/config/settings.ts';
import type { Context } from '../../platform/context.ts';

interface ApiAccessOptions {
  io: Io;
  settings: () => Settings;
  credential: () => Credential;
  signal: AbortSignal;
  secrets: KnownSecrets;
  onRetry: (retry: Retry) => void;
  trace: (line: string) => void;
  warn: (message: string) => void;
  unread: UnreadableItems;
  clock: RemoteClock;
  /** Throws if requests with the token to this host would mix two platforms. */
  checkAddress: (host: Host) => void;
  /** Whether requests that change something are refused. */
  dryRun: boolean;
}

type ApiAccess = Pick<Context, 'api' | 'apiWithSignal' | 'apiWithToken' | 'raw' | 'openLog'>;

/** How a command reaches the platform. The client and its transport are loaded by the first call. */
export function createApiAccess(access: ApiAccessOptions): ApiAccess {
  const { io, settings, signal, secrets, trace } = access;
  const token = tokenSource(access, () => apiWithSignal(signal));
  const apiWithSignal: Context['apiWithSignal'] = (until, onRetry, send) =>
    lazyApi(() => apiOptions(access, token, { signal: until, onRetry, send }), access.dryRun, access.checkAddress);
  return {
    api: apiWithSignal(signal),
    apiWithSignal,
    apiWithToken: (other) => {
      secrets.add(other);
      return lazyApi(() => apiOptions(access, () => other, { signal }), access.dryRun);
    },
    raw: async (call) => {
      access.checkAddress('management');
      const { callRaw } = await import('../../platform/api/client.ts');
      return callRaw(call, await apiOptions(access, token, { signal }));
    },
    openLog: async (path, query, until = signal) => {
      access.checkAddress('logs');
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

/** Renews the token when needed. Every token it returns is redacted from then on. */
function tokenSource(
  { io, settings, credential, secrets, warn }: ApiAccessOptions,
  api: () => Api,
): (refused?: string) => Promise<string> {
  const renew = async (current: Credential, refused: boolean) => {
    const { renewStoredToken } = await import('../../platform/api/token-renewal.ts');
    const fresh = await renewStoredToken(current, refused, { api: api(), settings: settings(), now: io.now, warn });
    secrets.add(fresh.token, fresh.refreshToken);
    return fresh;
  };
  const nextToken = createTokenProvider(credential, renew, io);
  let last: string | undefined;
  return async (refused) => {
    const token = await nextToken(refused);
    if (token !== last) secrets.add(token);
    last = token;
    return token;
  };
}

function lazyApi(
  options: () => Promise<ApiOptions>,
  dryRun: boolean,
  checkAddress?: ApiAccessOptions['checkAddress'],
): Api {
  let api: Promise<Api> | undefined;
  const create = async () => {
    const { createApi } = await import('../../platform/api/client.ts');
    return createApi(await options());
  };
  return async (endpoint, parameters) => {
    // A renewed token is no change that a dry run is about.
    if (dryRun && !endpoint.route.startsWith('GET ') && endpoint.host !== 'refresh') {
      throw new Error(`a dry run would have sent ${endpoint.route}`);
    }
    if (!endpoint.anonymous) checkAddress?.(endpoint.host);
    api ??= create();
    return (await api)(endpoint, parameters);
  };
}

interface CallOptions {
  signal: AbortSignal;
  onRetry?: ((retry: Retry) => void) | undefined;
  send?: Send | undefined;
}

async function apiOptions(
  { io, settings, onRetry, trace, unread, clock }: ApiAccessOptions,
  token: ApiOptions['token'],
  call: CallOptions,
): Promise<ApiOptions> {
  const { addresses, proxy } = settings();
  return {
    token,
    signal: call.signal,
    onRetry: call.onRetry ?? onRetry,
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
    send: call.send ?? (await createSender(proxy)),
    silenceMs: io.silenceMs,
    now: io.now,
    elapsed: io.elapsed,
    clock,
  };
}
