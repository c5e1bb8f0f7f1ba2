import type { Context } from '../../context.ts';
import { getApp } from '../../contract/apps.ts';
import { UnavailableError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { timeoutSignal } from '../waiting/index.ts';
import type { CallTarget } from './call-target.ts';

const timeoutMs = 5_000;

/** Best-effort request for details of an error: returns undefined on failure. */
export async function tryRequest<T>(
  context: Context,
  request: (api: Context['api']) => Promise<T>,
): Promise<T | undefined> {
  const signal = timeoutSignal(timeoutMs, () => new UnavailableError('request timed out'), context.signal);
  try {
    return await request(context.apiWithSignal(signal, () => {}));
  } catch {
    return undefined;
  }
}

/** Explains how long the platform lets a call take (spec 8), with the app's own limit if it can be read. */
export async function describeGracePeriod(
  context: Context,
  { project, app }: Pick<CallTarget, 'project' | 'app'>,
): Promise<string> {
  const seconds = (await tryRequest(context, (api) => api(getApp, { project, app })))?.responseGracePeriodSeconds;
  const limit = seconds ? `${duration(seconds * 1000)} for ${app}` : '15 minutes by default';
  return `the platform ends a call after the app's response_grace_period: ${limit}, 12 hours at most`;
}
