import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { PendingError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { lookAfterwards } from '../history/index.ts';
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
 * A build that has succeeded serves once the app shows it: that is looked up for about ten seconds. Returns the build that
 * serves: a later one, if that has replaced it meanwhile. Throws PendingError if the one before still serves. Where the app
 * does not show what serves, the status of the build counts.
 */
export async function findServing(context: Context, app: string, build: string): Promise<string> {
  let live: string | undefined;
  const look = async () => {
    const shown = await lookAfterwards(context, app);
    live = shown && liveBuild(shown);
    return live === undefined || live === build;
  };
  const isKnown = await waitForChange(look, Boolean, context.delay);
  if (isKnown || live === undefined) return build;
  const serves = live;
  if (await tryRequest(context, () => wasCreatedLater(context, app, serves, build))) return serves;
  throw new PendingError(
    `build ${shortBuild(build)} of ${app} has succeeded, but the app still shows build ${shortBuild(serves)}`,
    {
      why: 'it may be late, or the build before still serves',
      fix: gantryCommand`apps get ${app}`,
      details: { app, build, status: 'pending', serves },
    },
  );
}
