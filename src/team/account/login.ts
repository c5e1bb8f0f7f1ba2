import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { type Environment, readVariable } from '../../kernel/environment.ts';
import { AuthError, DeniedError, GantryError, NotFoundError, UsageError } from '../../kernel/errors.ts';
import { count, duration } from '../../kernel/output/format.ts';
import { findNewTokenProblem, findTokenProblem, parseClaims } from '../../platform/config/credentials.ts';
import { storeSettings } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';
import { isSecure } from '../../platform/contract/address.ts';
import {
  authorizeDevice,
  type DeviceAuthorization,
  type DeviceLoginError,
  listProjects,
  type Project,
  requestToken,
} from '../../platform/contract/session.ts';
import { Deadline } from '../../platform/waiting/index.ts';
import { checkCredentialsWritable, describeLogin, type Login, storeTokens } from './stored-login.ts';

/**
 * Logs in with the device flow (RFC 8628): prints a URL to approve in any browser and waits. `browser` opens it if the
 * user can see it. Throws AuthError if the login is denied or not approved in time.
 */
export async function loginByBrowser(context: Context, { browser }: { browser: boolean }): Promise<Login> {
  const { api, settings, interruption, progress } = context;
  await checkCredentialsWritable(context);
  const { deviceAuthResponsePayload: device } = await api(authorizeDevice, { body: {} });
  context.secrets.add(device.device_code);
  interruption.message = 'login canceled: nothing was stored';
  const isVisible = canShowBrowser(context.env, context.terminal.stderr, process.platform);
  await showLink(context, device, browser && isVisible);
  const step = progress.step(`Waiting for approval, at most ${duration(validMs(device))}`);
  const { accessToken, refreshToken } = await step.show(pollForTokens(context, device));
  const tokens = { token: accessToken, ...(refreshToken && { refreshToken }) };
  await step.show(storeTokens(context, tokens, findNewTokenProblem));
  delete interruption.message;
  const { user } = parseClaims(accessToken);
  step.done(user ? `Logged in as ${user}` : 'Logged in');
  return describeLogin(settings, tokens, await chooseProject(context, await listTokenProjects(context, accessToken)));
}

/** Printed even with --quiet. Opens only http(s) URLs, as the URL comes from the server. */
async function showLink({ progress, openBrowser }: Context, device: DeviceAuthorization, browser: boolean) {
  const link = device.verification_uri_complete ?? device.verification_uri;
  progress.request(`log in at ${link}`);
  progress.request(`approve if the code matches: ${device.user_code}`);
  if (browser && URL.canParse(link) && isSecure(new URL(link))) await openBrowser(new URL(link).href);
}

/** The default of RFC 8628, 3.5. */
const standardIntervalSeconds = 5;
/** Limits the validity that the server reports. */
const maxValidMs = 60 * 60_000;

function validMs({ expires_in }: DeviceAuthorization): number {
  return Math.min(expires_in * 1000, maxValidMs);
}

/** Polls at the server's interval until the code expires. */
async function pollForTokens(context: Context, device: DeviceAuthorization) {
  const { device_code, interval } = device;
  const { apiWithSignal, delay, progress } = context;
  const deadline = new Deadline(context, validMs(device), expiredError);
  const { signal } = deadline;
  const api = apiWithSignal(signal);
  let hasNoted = false;
  let intervalMs = Math.max(1, interval ?? standardIntervalSeconds) * 1000;
  for (let waitMs = intervalMs; ; ) {
    await delay(Math.min(waitMs, deadline.remainingMs), signal);
    deadline.check();
    try {
      return await api(requestToken, { body: { device_code } });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GantryError)) throw error;
      intervalMs += addedIntervalMs(error);
      const { retryable, retryAfterMs = 0 } = error.facts;
      waitMs = Math.max(intervalMs, retryAfterMs);
      if (retryable && !hasNoted) progress.note(`${error.message}; retrying until the code expires`);
      hasNoted ||= retryable === true;
    }
  }
}

/** How much to add to the polling interval. Throws if the login has expired. */
function addedIntervalMs(error: GantryError): number {
  const code = error.facts.details?.error as DeviceLoginError | undefined;
  if (code === 'authorization_pending') return 0;
  if (code === 'slow_down' || error.facts.retryable) return 5_000;
  const facts = { ...error.facts, fix: gantryCommand`login`, cause: error };
  if (code === 'access_denied') throw new AuthError('the login was denied in the browser', facts);
  if (code === 'expired_token') throw expiredError();
  throw error;
}

function expiredError(): AuthError {
  return new AuthError('login not approved in time: the code has expired', { fix: gantryCommand`login` });
}

/**
 * Stores a token, such as a service account's, if the platform accepts it. Reads it from a prompt or stdin, never from
 * the arguments. Throws UsageError if it is malformed, AuthError if it is not valid.
 */
export async function loginByToken(context: Context, from: string | true): Promise<Login> {
  if (from !== true && from !== '-') throw tokenInArgumentsError();
  await checkCredentialsWritable(context);
  const token = await readToken(context, from === '-');
  const { project } = parseClaims(token);
  const projects = await listVisibleProjects(context, token, project);
  await storeTokens(context, { token });
  return describeLogin(context.settings, { token }, await chooseProject(context, projects, project));
}

function tokenInArgumentsError(): UsageError {
  return new UsageError('pass the token on stdin, not as an argument: nothing was stored', {
    why: 'arguments are visible in the shell history and to other processes',
    fix: sentence`run ${gantryCommand`login --token`} < FILE, or ${gantryCommand`login --token`} for a prompt; replace the exposed token`,
  });
}

async function readToken({ prompt, readStdin, terminal, now }: Context, piped: boolean): Promise<string> {
  const text =
    terminal.stdin && !piped
      ? await prompt.secret('Token:', { flag: '--token with the token on stdin' })
      : await readStdin();
  const token = text.trim().replace(/^Bearer\s+/i, '');
  if (token === '')
    throw new UsageError('no token on stdin', { fix: sentence`${gantryCommand`login --token`} < FILE` });
  const problem = findTokenProblem({ token }, now());
  if (problem?.why) throw new UsageError('invalid token', { why: `it ${problem.why}`, fix: problem.fix });
  if (!problem) return token;
  const fix = 'create a new one in the dashboard, API Keys page';
  throw new AuthError(`${problem.message}: nothing was stored`, { fix });
}

/** Checks the token by listing its projects. A token that cannot list projects still works in the one it claims. */
async function listVisibleProjects(context: Context, token: string, claimed: string | undefined): Promise<Project[]> {
  try {
    return await listTokenProjects(context, token);
  } catch (error) {
    if (error instanceof DeniedError && claimed) return [{ id: claimed }];
    throw error;
  }
}

/**
 * Chooses the project after a login and stores it: the one of the flag, the one `claimed` by the token, the current one
 * if the token has access, the only one, or the user's choice. Null if none is chosen. Projects from the environment are
 * used, but not stored.
 */
async function chooseProject(context: Context, projects: Project[], claimed?: string): Promise<string | null> {
  const { settings, progress } = context;
  const { value: current, origin } = settings.project;
  const isKnown = (project: string | undefined) => projects.some(({ id }) => id === project);
  if (current && origin === 'flag' && !isKnown(current)) throw noAccessError(current, projects);
  const named = origin === 'flag' ? current : claimed;
  if (!isKnown(named) && isKnown(current)) return current ?? null;
  const project = isKnown(named) ? named : await askForProject(context, projects);
  await storeSettings(settings, settings.profile.value, { project });
  if (origin.startsWith('environment') && current !== project) {
    progress.warn(`project ${current} from the ${origin} takes precedence while it is set`);
  }
  return project ?? null;
}

/** Lists the projects that a token has access to. Throws if the platform rejects the token. */
function listTokenProjects({ apiWithToken }: Pick<Context, 'apiWithToken'>, token: string): Promise<Project[]> {
  return apiWithToken(token)(listProjects, {});
}

async function askForProject({ prompt, progress }: Context, projects: Project[]): Promise<string | undefined> {
  const [first, ...more] = projects;
  if (!first) {
    progress.warn('this login has no access to any project');
    return undefined;
  }
  if (more.length === 0) return first.id;
  if (!prompt.isPossible) {
    progress.warn(
      sentence`no project selected (${count(projects.length, 'project')} available): run ${gantryCommand`projects use p-…`}, or pass --project`,
    );
    return undefined;
  }
  const names = new Map(projects.map(({ id, name }) => [name ? `${id} (${name})` : id, id]));
  return names.get(await prompt.choose('Which project?', { flag: '--project', from: [...names.keys()] }));
}

function noAccessError(project: string, projects: Project[]): NotFoundError {
  return new NotFoundError(`this login has no access to project ${project}`, {
    why: `available projects: ${projects.map(({ id }) => id).join(', ') || 'none'}; the login itself was stored`,
    fix: gantryCommand`projects use p-…`,
  });
}

/** Opens a URL from the platform in the user's browser. Never fails: says why if it cannot. */
export async function openInBrowser({ openBrowser, progress }: Pick<Context, 'openBrowser' | 'progress'>, url: string) {
  if (!URL.canParse(url) || !isSecure(new URL(url))) {
    progress.warn('the URL was not opened: it is not https');
  } else if (!(await openBrowser(new URL(url).href))) {
    progress.note('cannot open a browser: open the URL yourself');
  }
}

/** Whether the user at this terminal would see a browser that is opened here. */
export function canShowBrowser(env: Environment, isTerminal: boolean, platform: NodeJS.Platform): boolean {
  if (!isTerminal || readVariable(env, 'SSH_CONNECTION') || readVariable(env, 'SSH_TTY')) return false;
  const display = readVariable(env, 'DISPLAY') ?? readVariable(env, 'WAYLAND_DISPLAY');
  return platform === 'win32' || platform === 'darwin' || display !== undefined;
}
