import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { shortBuild } from '../../output/format.ts';
import { fetchApp } from '../replies/index.ts';
import { tryRequest, waitForChange } from '../waiting/index.ts';

export interface Replaced {
  verdict: 'unknown' | 'superseded';
  reason: string;
  /** The build that the app shows, if that served before: what serves is not certain. */
  shows?: string | undefined;
}

/**
 * What an app that shows another build says of this one. A build that served before is either put back, or the app is
 * late. Undefined if it shows this one, or none.
 */
export function findReplaced(
  live: string | undefined,
  build: string,
  earlierBuilds: ReadonlySet<string> | undefined,
): Replaced | undefined {
  if (live === undefined || live === build) return undefined;
  if (!earlierBuilds?.has(live)) return { verdict: 'superseded', reason: `build ${shortBuild(live)} serves now` };
  const reason = `the app shows build ${shortBuild(live)}, which served before`;
  return { verdict: 'unknown', reason, shows: live };
}

/** Looks once more at what serves, and waits for an app that is late: only a build that serves is called sick. */
export async function lookForReplaced(
  context: Context,
  { app, build, earlierBuilds }: { app: string; build: string; earlierBuilds: ReadonlySet<string> },
): Promise<Replaced | undefined> {
  const { project } = context;
  const read = async () => {
    const shown = await tryRequest(context, (api) => fetchApp(api, { project, app }));
    return findReplaced(shown && liveBuild(shown), build, earlierBuilds);
  };
  return waitForChange(read, (replaced) => replaced?.verdict !== 'unknown', context.delay);
}
