import { whyNotUsable } from '../deploys/archives/index.ts';
import { allApps, readHistory } from '../deploys/history/index.ts';
import { shortList, toMs } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { appName, listApps, liveBuild } from '../platform/contract/apps.ts';
import { type Container, isDown, listContainers } from '../platform/contract/containers.ts';
import { getAppSecrets } from '../platform/contract/secrets.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { tryRequest } from '../platform/waiting/index.ts';
import type { SecretScope } from './secrets.ts';

/** When one of these secrets last got the value that it has, or went, by what is on record, in ms; undefined if it is not. */
export async function lastChange(context: Context, { app }: SecretScope, names: string[]): Promise<number | undefined> {
  const { events } = await readHistory(context, app ?? allApps);
  const last = events.findLast(
    (event) => event.event === 'secrets' && event.names.some((name) => names.includes(name)),
  );
  return last && Date.parse(last.at);
}

interface Stale {
  stale: string[];
  /** The apps that `apps restart` can restart from here. */
  restartable: string[];
}

/** Best effort: what runs of the app since before a change, or which apps of the project do that get these secrets of it. */
export async function findStale(
  context: Context,
  { app }: SecretScope,
  changedAt: number | undefined,
  secrets: string[],
): Promise<Stale> {
  const isKnown = changedAt !== undefined;
  const found =
    isKnown && (await tryRequest(context, (api) => runningSince({ context, api }, app, changedAt, secrets)));
  if (!found || found.stale.length === 0) return { stale: [], restartable: [] };
  const what = app ? `replicas of ${app} that started before this change` : 'replicas of apps of the project';
  context.progress.warn(`${what} keep the old secrets: ${shortList(found.stale, 3)}`);
  return found;
}

async function runningSince(
  { context, api }: { context: Context; api: Context['api'] },
  app: string | undefined,
  before: number,
  secrets: string[],
): Promise<Stale> {
  const { project } = context;
  const isOld = (each: Container) => !isDown(each) && !(toMs(each.containerStartTimestamp) > before);
  const replicasOf = async (app: string) =>
    (await api(listContainers, { project, app })).filter(isOld).map(({ containerId }) => containerId);
  if (app) return { stale: await replicasOf(app), restartable: [app] };
  const found: Stale = { stale: [], restartable: [] };
  for (const listed of await api(listApps, { project })) {
    const name = appName(listed, project);
    // An app is ready without a replica, too.
    if (!/^(ready|active)$/.test(listed.status ?? '') || (await replicasOf(name)).length === 0) continue;
    const own = await api(getAppSecrets, { project, app: name });
    if (secrets.every((secret) => Object.hasOwn(own, secret))) continue;
    found.stale.push(name);
    const build = liveBuild(await fetchApp(api, { project, app: name }));
    if (!build || !(await whyNotUsable(context, name, build))) found.restartable.push(name);
  }
  return found;
}
