import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { listBuilds } from '../../contract/builds.ts';
import { PendingError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { findLater, lookAfterwards, readHistory } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';
import { tryRequest, waitForChange } from '../waiting/index.ts';
import { wasCreatedLater } from './busy-builds.ts';

/** Says which build an app serves after another one has failed: that one replaced nothing. Best effort. */
export async function tellWhatServes(context: Context, app: string, failed: string): Promise<void> {
  const { project, progress } = context;
  const shown = await tryRequest(context, (api) => fetchApp(api, { project, app }));
  const live = shown && liveBuild(shown);
  if (!shown || live === failed) return;
  progress.note(live ? `${app} still serves build ${shortBuild(live)}` : `${app} shows no build that serves`);
}

/**
 * A build that has succeeded serves once the app shows it: that is looked up for about ten seconds, and for longer, as far as
 * the time allows, if one that was created later was ready earlier. Returns the build that serves: a later one, if that has
 * replaced it meanwhile. Throws PendingError if the one before still serves. Where the app does not show what serves, the
 * status of the build counts.
 */
export async function findServing(context: Context, app: string, build: string, maxMs: number): Promise<string> {
  let live: string | undefined;
  const look = async () => {
    const shown = await lookAfterwards(context, app);
    live = shown && liveBuild(shown);
    return live === undefined || live === build;
  };
  const isKnown = await waitForChange(look, Boolean, context.delay);
  if (isKnown || live === undefined) return build;
  const serves = live;
  if (await tryRequest(context, (api) => wasCreatedLater({ api, project: context.project }, app, serves, build))) {
    return (await findLaterThan(context, app, serves, maxMs)) ?? serves;
  }
  throw new PendingError(
    `build ${shortBuild(build)} of ${app} has succeeded, but the app still shows build ${shortBuild(serves)}`,
    {
      why: 'it may be late, or the build before still serves',
      fix: gantryCommand`apps get ${app}`,
      details: { app, build, status: 'pending', serves },
    },
  );
}

/** The build that serves, if the app is late to show it. */
async function findLaterThan(context: Context, app: string, live: string, maxMs: number): Promise<string | undefined> {
  const builds = await tryRequest(context, (api) => api(listBuilds, { project: context.project, app }));
  return builds && findLater(context, app, { builds, history: await readHistory(context, app), live }, maxMs);
}
