import type { Context } from '../../context.ts';
import { getApp } from '../../contract/apps.ts';
import { duration } from '../../output/format.ts';
import { tryRequest } from './best-effort.ts';
import type { CallTarget } from './call-target.ts';

/** The bound on how long a call may take, of this app if it can be asked (spec 8). */
export async function describeGracePeriod(
  context: Context,
  { project, app }: Pick<CallTarget, 'project' | 'app'>,
): Promise<string> {
  const seconds = (await tryRequest(context, (api) => api(getApp, { project, app })))?.responseGracePeriodSeconds;
  const given = seconds ? `: ${duration(seconds * 1000)} for ${app}` : ' (15 minutes if not set)';
  return `the platform ends a call after the app's response_grace_period${given}; 12 hours are the most`;
}
