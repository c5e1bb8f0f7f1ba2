import { gantryCommand } from '../../kernel/command-line.ts';
import { AuthError, GantryError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import { findNewTokenProblem, parseClaims } from '../../platform/config/credentials.ts';
import type { Context } from '../../platform/context.ts';
import { isSecure } from '../../platform/contract/address.ts';
import {
  authorizeDevice,
  type DeviceAuthorization,
  type DeviceLoginError,
  requestToken,
} from '../../platform/contract/session.ts';
import { Deadline } from '../../platform/waiting/index.ts';
import { canShowBrowser } from './browser.ts';
import { chooseProject, listTokenProjects } from './choose-project.ts';
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
  const { accessToken, refreshToken } = await pollForTokens(context, device).catch((error) => {
    step.fail();
    throw error;
  });
  context.secrets.add(accessToken, refreshToken);
  const tokens = { token: accessToken, ...(refreshToken && { refreshToken }) };
  await storeTokens(context, tokens, findNewTokenProblem).catch((error) => {
    step.fail();
    throw error;
  });
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
  if (code === 'access_denied') throw deniedError(error);
  if (code === 'expired_token') throw expiredError();
  throw error;
}

function deniedError(cause: GantryError): AuthError {
  return new AuthError('the login was denied in the browser', { ...cause.facts, fix: gantryCommand`login`, cause });
}

function expiredError(): AuthError {
  return new AuthError('login not approved in time: the code has expired', { fix: gantryCommand`login` });
}
