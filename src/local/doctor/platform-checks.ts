import { pipe, safeParse } from 'valibot';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { dayMs } from '../../kernel/durations.ts';
import type { Environment } from '../../kernel/environment.ts';
import {
  AuthError,
  GantryError,
  throwUnexpected,
  UnavailableError,
  UnexpectedReplyError,
} from '../../kernel/errors.ts';
import { duration, localTime } from '../../kernel/output/format.ts';
import { version } from '../../kernel/version.ts';
import type { HttpReply } from '../../platform/api/http-reply.ts';
import { errorFromReply } from '../../platform/api/reply-error.ts';
import { createSender } from '../../platform/api/sender.ts';
import type { Send } from '../../platform/api/transport.ts';
import { type Credential, findCredential, renewalFix, storedCredential } from '../../platform/config/credentials.ts';
import type { ProxySettings } from '../../platform/config/proxy-settings.ts';
import type { LocalSettings, Settings } from '../../platform/config/settings.ts';
import type { Context } from '../../platform/context.ts';
import type { Host } from '../../platform/contract/endpoint.ts';
import { jsonText } from '../../platform/contract/scalars.ts';
import { listProjects } from '../../platform/contract/session.ts';
import { timeoutSignal } from '../../platform/waiting/index.ts';
import { type Check, errorCheck, failedCheck, okCheck, warningCheck } from './machine-checks.ts';

const hosts: Record<Host, { use: string; needed: boolean }> = {
  management: { use: 'all commands', needed: true },
  invocation: { use: 'invoke and run', needed: true },
  login: { use: 'gantry login', needed: false },
  refresh: { use: 'login renewal', needed: false },
  logs: { use: 'live logs', needed: true },
  status: { use: 'gantry status', needed: false },
};

/** Requests all URLs of the platform concurrently. Returns token, project, clock, then each URL. */
export async function checkPlatform(context: Context, settings: Settings, token: TokenCheck): Promise<Check[]> {
  const { addresses } = settings;
  const ask = createProbe(context, settings.proxy, await createSender(settings.proxy));
  const names = (Object.keys(hosts) as Host[]).filter((host) => addresses[host].value);
  const [first, ...others] = await Promise.all([
    addresses.management.value
      ? ask('GET', `${addresses.management.value}/v2/projects`, token.credential?.token)
      : noResult,
    ...names.map((host) => ask('HEAD', addresses[host].value)),
  ]);
  return [
    ...(await checkAccess(first, context, settings, token)),
    checkClock([first, ...others]),
    ...names.map((host, at) => checkAddress(host, addresses[host].value, others[at] ?? noResult)),
  ];
}

const noResult: ProbeResult = { ms: 0 };

/** Checks that the platform accepts the token and that it has access to the project. */
async function checkAccess(
  answer: ProbeResult,
  context: Context,
  settings: Settings,
  token: TokenCheck,
): Promise<Check[]> {
  const { credential, check } = token;
  if (!credential) return [check, warningCheck('project', 'not checked: requires a token')];
  const project = settings.project.value ?? credential.project;
  const unchecked = (why: string) => warningCheck('project', `${project ?? 'none'}, not checked: ${why}`);
  const ids = await listProjectIds(answer, context, credential);
  if (ids === undefined) return [check, unchecked('the platform is unreachable')];
  if (ids instanceof GantryError) {
    return ids instanceof AuthError
      ? [errorCheck('token', ids), unchecked('the token is not accepted')]
      : [check, errorCheck('project', ids)];
  }
  if (!project) {
    const fix = sentence`run ${gantryCommand`projects use p-…`}, or set GANTRY_PROJECT`;
    return [check, failedCheck('project', 'usage', 'no project selected', fix)];
  }
  if (ids.includes(project)) return [check, okCheck('project', `the token has access to ${project}`)];
  const fix = sentence`run ${gantryCommand`projects use ${ids[0] ?? 'p-…'}`}, or use another token`;
  return [check, failedCheck('project', 'denied', `the token has no access to ${project}`, fix)];
}

/** The ids of the token's projects, the error of the request, or undefined if the platform is unreachable. */
async function listProjectIds({ reply }: ProbeResult, { api, now }: Context, { refreshToken }: Credential) {
  if (!reply || reply.status >= 500) return undefined;
  try {
    // The probe does not renew an expired login, ordinary calls do.
    if (reply.status === 401 && refreshToken) return (await api(listProjects, {})).map(({ id }) => id);
  } catch (error) {
    throwUnexpected(error);
    return error;
  }
  if (reply.status !== 200) return errorFromReply(reply, now());
  const list = safeParse(pipe(jsonText, listProjects.reply), reply.body);
  return list.success
    ? list.output.map(({ id }) => id)
    : new UnexpectedReplyError('the list of projects has an unknown format');
}

/** Beyond the first difference signed URLs and tokens expire early or late, beyond the second they fail. */
const clockWarningMs = 30_000;
const clockErrorMs = 300_000;

/** Compares the local clock with the first server of the list that sent its time. */
function checkClock(answers: ProbeResult[]): Check {
  const aheadMs = answers.find((answer) => answer.aheadMs !== undefined)?.aheadMs;
  if (aheadMs === undefined) return warningCheck('clock', 'not checked: no server sent its time');
  const off = Math.abs(aheadMs);
  if (off <= clockWarningMs) return okCheck('clock', "matches the platform's within 30 s");
  const message = `${duration(off)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the platform's`;
  const fix = 'synchronize the clock of this machine';
  return off <= clockErrorMs ? warningCheck('clock', message, fix) : failedCheck('clock', 'failed', message, fix);
}

function checkAddress(host: Host, address: string, { reply, error, ms }: ProbeResult): Check {
  const { use, needed } = hosts[host];
  const problem = (message: string, fix?: Check['fix']) =>
    needed ? failedCheck(host, 'unavailable', message, fix) : warningCheck(host, `${message} (only for ${use})`, fix);
  if (error) return problem(error.message, error.facts.fix);
  const status = reply?.status ?? 0;
  if (status === 407)
    return problem(`${address}: the proxy requires a user name and password`, 'add them to the URL in HTTPS_PROXY');
  if (status >= 500)
    return problem(`${address} returned HTTP ${status}`, sentence`try again later, or check ${gantryCommand`status`}`);
  return okCheck(host, `${address} responded in ${duration(ms)}`);
}

const expiryWarningMs = 7 * dayMs;

/** The token, if it is usable, and the result of checks that need no request. */
interface TokenCheck {
  credential?: Credential;
  check: Check;
}

export function checkToken(env: Environment, settings: Settings, now: number, local?: LocalSettings): TokenCheck {
  try {
    const stored = findCredential(env, settings, now, () => {});
    const credential = local ? { ...stored, origin: local.name } : stored;
    return { credential, check: describeToken(credential, settings, now) };
  } catch (error) {
    throwUnexpected(error);
    return { check: errorCheck('token', error) };
  }
}

function describeToken(credential: Credential, settings: Settings, now: number): Check {
  const { origin, expiresAt, refreshToken, fromEnvironment } = credential;
  const unused = fromEnvironment && storedCredential(settings, () => {}) ? '; the stored token is not used' : '';
  if (refreshToken) return okCheck('token', `from the ${origin}, renewed automatically${unused}`);
  if (expiresAt === undefined) return okCheck('token', `from the ${origin}, expiry unknown${unused}`);
  const message = `from the ${origin}, expires ${localTime(new Date(expiresAt).toISOString())}${unused}`;
  return expiresAt - now > expiryWarningMs
    ? okCheck('token', message)
    : warningCheck('token', message, renewalFix(credential));
}

const maxTimeoutMs = 10_000;

interface ProbeResult {
  reply?: HttpReply;
  error?: GantryError;
  ms: number;
  aheadMs?: number;
}

/** Creates a function that makes one request without retries. */
export function createProbe(
  { signal, silenceMs, now, elapsed }: Context,
  proxy: ProxySettings | undefined,
  send: Send,
) {
  const limit = Math.min(maxTimeoutMs, silenceMs);
  return async (method: string, address: string, token?: string): Promise<ProbeResult> => {
    const url = new URL(address);
    const headers: Record<string, string> = { 'user-agent': `gantry/${version}`, accept: '*/*' };
    if (token) headers.authorization = `Bearer ${token}`;
    const late = () => new UnavailableError(`cannot connect to ${url.host}: no response within ${limit / 1000} s`);
    const until = timeoutSignal(limit, late, signal);
    const started = elapsed();
    const localTime = now();
    try {
      const reply = await send({ method, url, headers, signal: until, silenceMs: limit });
      const ms = elapsed() - started;
      return { reply, ms, ...measureClock(reply, localTime + ms / 2) };
    } catch (cause) {
      signal.throwIfAborted();
      return { error: withFix(cause, proxy), ms: elapsed() - started };
    }
  };
}

/** The `Date` header has whole seconds, so differences below one second do not count. */
function measureClock({ headers }: HttpReply, here: number): Pick<ProbeResult, 'aheadMs'> {
  const there = Date.parse(String(headers.date));
  if (Number.isNaN(there)) return {};
  const off = here - there - 500;
  return { aheadMs: Math.abs(off) <= 500 ? 0 : Math.round(off) };
}

function withFix(cause: unknown, proxy: ProxySettings | undefined): GantryError {
  if (!(cause instanceof UnavailableError)) throw cause;
  if (cause.facts.fix) return cause;
  const fix = proxy
    ? 'check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, then the network'
    : 'check the network, or set HTTPS_PROXY if a proxy is required';
  return new UnavailableError(cause.message, { fix, cause });
}
