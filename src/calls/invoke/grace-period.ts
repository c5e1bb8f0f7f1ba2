import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import type { CallTarget } from './call-target.ts';

/** Explains how long the platform lets a call take (spec 8), with the app's own limit if it can be read. */
export async function describeGracePeriod(
  context: Context,
  { project, app }: Pick<CallTarget, 'project' | 'app'>,
): Promise<string> {
  const seconds = (await tryRequest(context, (api) => fetchApp(api, { project, app })))?.responseGracePeriodSeconds;
  const limit = seconds ? `${duration(seconds * 1000)} for ${app}` : '15 minutes by default';
  return `the platform ends a call after the app's response_grace_period: ${limit}, 12 hours at most`;
}
