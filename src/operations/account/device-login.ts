import { gantryCommand } from '../../command-line.ts';
import { parseClaims } from '../../config/credentials.ts';
import type { Context } from '../../context.ts';
import { isSecure } from '../../contract/address.ts';
import {
  authorizeDevice,
  type DeviceAuthorization,
  type DeviceLoginError,
  requestToken,
} from '../../contract/session.ts';
import { AuthError, GantryError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { Deadline } from '../waiting/index.ts';
import { canShowBrowser } from './browser.ts';
import { chooseProject, listTokenProjects } from './choose-project.ts';
import { checkCredentialsWritable, describeLogin, type Login, storeTokens } from './stored-login.ts';

/**
 * Lets a person log in by a browser, on this machine or another one, while we wait (RFC 8628): nobody has to type
 * anything here. With `browser`, one is opened where the person would see it. Throws AuthError when they refuse, or do
 * not agree in time.
 */
export async function loginByBrowser(context: Context, { browser }: { browser: boolean }): Promise<Login> {
  const { api, settings, interruption, progress } = context;
  await checkCredentialsWritable(context);
  const { deviceAuthResponsePayload: device } = await api(authorizeDevice, { body: {} });
  context.secrets.add(device.device_code);
  interruption.says = 'the login is given up: nothing was stored';
  const near = canShowBrowser(context.env, context.terminal.stderr, process.platform);
  await showLink(context, device, browser && near);
  const step = progress.step(`Waiting for you, ${duration(validMs(device))} at most`);
  const { accessToken, refreshToken } = await pollForTokens(context, device).catch((error) => {
    step.fail();
    throw error;
  });
  context.secrets.add(accessToken, refreshToken);
  const tokens = { token: accessToken, ...(refreshToken && { refreshToken }) };
  await storeTokens(context, tokens);
  delete interruption.says;
  const { user } = parseClaims(accessToken);
  step.done(user ? `Logged in as ${user}` : 'Logged in');
  return describeLogin(settings, tokens, await chooseProject(context, await listTokenProjects(context, accessToken)));
}

/** Shows the link even with --quiet, because a login is impossible without it. Opens only web pages. */
async function showLink({ progress, openBrowser }: Context, device: DeviceAuthorization, browser: boolean) {
  const link = device.verification_uri_complete ?? device.verification_uri;
  progress.request(`log in at ${link}`);
  progress.request(`and agree if the page shows the code ${device.user_code}`);
  if (browser && URL.canParse(link) && isSecure(new URL(link))) await openBrowser(new URL(link).href);
}

/** RFC 8628, 3.5. */
const standardIntervalSeconds = 5;
/** No login is waited for longer, whatever the server says (in milliseconds). */
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
  let troubled = false;
  let everyMs = Math.max(1, interval ?? standardIntervalSeconds) * 1000;
  for (let waitMs = everyMs; ; ) {
    await delay(Math.min(waitMs, deadline.remainingMs), signal);
    deadline.check();
    try {
      return await api(requestToken, { body: { device_code } });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GantryError)) throw error;
      everyMs += addedIntervalMs(error);
      const { retryable, retryAfterMs = 0 } = error.facts;
      waitMs = Math.max(everyMs, retryAfterMs);
      if (retryable && !troubled) progress.note(`${error.message}; asking again until the code ends`);
      troubled ||= retryable === true;
    }
  }
}

/** Milliseconds to add to each wait from now on. Throws what ends the waiting. */
function addedIntervalMs(error: GantryError): number {
  const word = error.facts.details?.error as DeviceLoginError | undefined;
  if (word === 'authorization_pending') return 0;
  if (word === 'slow_down' || error.facts.retryable) return 5_000;
  if (word === 'access_denied') throw deniedError(error);
  if (word === 'expired_token') throw expiredError();
  throw error;
}

function deniedError(cause: GantryError): AuthError {
  return new AuthError('the login was refused in the browser', { ...cause.facts, fix: gantryCommand`login`, cause });
}

function expiredError(): AuthError {
  return new AuthError('nobody agreed in time: the code has expired', { fix: gantryCommand`login` });
}
