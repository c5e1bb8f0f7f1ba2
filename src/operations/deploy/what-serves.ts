import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { shortBuild } from '../../output/format.ts';
import { fetchApp } from '../replies/index.ts';
import { tryRequest } from '../waiting/index.ts';

/** Says which build an app serves after another one has failed: that one replaced nothing. Best effort. */
export async function tellWhatServes(context: Context, app: string, failed: string): Promise<void> {
  const { project, progress } = context;
  const shown = await tryRequest(context, (api) => fetchApp(api, { project, app }));
  const live = shown && liveBuild(shown);
  if (!shown || live === failed) return;
  progress.note(
    live ? `${app} still serves build ${shortBuild(live)}` : `${app} serves nothing: it has no ready build`,
  );
}
