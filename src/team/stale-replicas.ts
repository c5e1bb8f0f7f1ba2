import { whyNotUsable } from '../deploys/archives/index.ts';
import { allApps, readHistory } from '../deploys/history/index.ts';
import { shortList, toMs } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { appName, listApps, liveBuild } from '../platform/contract/apps.ts';
import { type Container, isDown, listContainers } from '../platform/contract/containers.ts';
import { getAppSecrets } from '../platform/contract/secrets.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { tryRequest } from '../platform/waiting/index.ts';

/** The secrets of an app, or of the project without one. */
export interface SecretScope {
  app?: string | undefined;
}

/** When one of these secrets last got the value that it has, or went, by what is on record, in ms; undefined if it is not. */
export async function lastChange(context: Context, { app }: SecretScope, names: string[]): Promise<number | undefined> {
  const { events } = await readHistory(context, app ?? allApps);
  const last = events.findLast(
    (event) => event.event === 'secrets' && event.names.some((name) => names.includes(name)),
  );
  return last && Date.parse(last.at);
}

/** Best effort: what runs since before a change of secrets, or the apps of the project that do; and which can be restarted. */
export async function findStale(
  context: Context,
  { app }: SecretScope,
  changedAt: number | undefined,
  secrets: string[],
) {
  const isKnown = changedAt !== undefined;
  const stale =
    isKnown && (await tryRequest(context, (api) => runningSince({ context, api }, app, changedAt, secrets)));
  if (!stale || stale.stale.length === 0) return { stale: [], restartable: [] };
  const what = app ? `replicas of ${app} that started before this change` : 'replicas of apps of the project';
  context.progress.warn(`${what} keep the old secrets: ${shortList(stale.stale, 3)}`);
  return stale;
}

async function runningSince(
  { context, api }: { context: Context; api: Context['api'] },
  app: string | undefined,
  before: number,
  secrets: string[],
) {
  const { project } = context;
  // One that has nothing but jobs has no replica.
  const buildOf = async (app: string) => liveBuild(await fetchApp(api, { project, app }));
  const oldOf = async (app: string) => {
    const old = oldReplicas(await api(listContainers, { project, app }), before);
    return old.length > 0 && (await buildOf(app)) !== undefined ? old : [];
  };
  if (app) return { stale: await oldOf(app), restartable: [app] };
  const getsThem = async (app: string) => hasNotAll(await api(getAppSecrets, { project, app }), secrets);
  // An app is ready without a replica, too.
  const ready = (await api(listApps, { project })).filter(({ status }) => /^(ready|active)$/.test(status ?? ''));
  const names = ready.map((each) => appName(each, project));
  const stale = await filtered(names, async (name) => (await oldOf(name)).length > 0 && getsThem(name));
  const isKept = async (name: string) => !(await whyNotUsable(context, name, (await buildOf(name)) ?? ''));
  return { stale, restartable: await filtered(stale, isKept) };
}

function oldReplicas(containers: readonly Container[], before: number): string[] {
  const isOld = (each: Container) => !isDown(each) && !(toMs(each.containerStartTimestamp) > before);
  return containers.filter(isOld).map(({ containerId }) => containerId);
}

/** Asks for one after the other. */
async function filtered(names: readonly string[], isWanted: (name: string) => Promise<boolean>): Promise<string[]> {
  const wanted: string[] = [];
  for (const name of names) if (await isWanted(name)) wanted.push(name);
  return wanted;
}

/** A secret of the app takes precedence. */
const hasNotAll = (values: object, secrets: readonly string[]) =>
  !secrets.every((secret) => Object.hasOwn(values, secret));
