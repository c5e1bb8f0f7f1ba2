import type { Context } from '../../context.ts';
import { App, liveBuild } from '../../contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../contract/builds.ts';
import { NotFoundError } from '../../errors.ts';
import { type AwaitedBuild, findLaterReady, readHistory, waitUntilShown } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';
import { contextWith, isRefusal, tryRequest } from '../waiting/index.ts';
import { goesBefore } from './busy-builds.ts';
import { isPending } from './pending-upload.ts';
import { isBusy, isExpired } from './stuck-builds.ts';

/** The deployed app, as far as a plan is bound to it. */
export interface DeployedState {
  /** Null if it is not deployed. */
  live: Record<string, unknown> | null;
  /** The whole reply. */
  app: App | undefined;
  /** The build that serves. The app may be late to show it: a later one that is ready does. */
  serves: string | undefined;
  /** One that may serve instead: the app will show it, or it was replaced before it did. */
  mayServe: AwaitedBuild | undefined;
  /** Either of them, if the app has still the time to show it. */
  awaited: AwaitedBuild | undefined;
  /** Builds in progress. */
  builds: string[];
  /** All builds, and those that have succeeded. */
  listed: string[];
  ready: string[];
  /** Whether a build waits for its upload and was created after another one. */
  isBehind: (build: string, other: string) => boolean;
}

/**
 * Reads the builds first and the app last: a build that is created in between is the latest one of the app, so that
 * nothing can happen between the two unseen.
 */
export async function lookAtDeployed(context: Context, name: string): Promise<DeployedState> {
  const before = await readBuilds(context, name);
  const app = await readApp(context, name);
  // It may have been deleted in between.
  const listed = app ? before : await readBuilds(context, name);
  const builds = listed
    .filter((build) => isBusy(build) && !isExpired(build, context.platformNow()))
    .map(({ id }) => id);
  const ready = listed.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id);
  const shown = app && liveBuild(app);
  const history = await readHistory(context, name);
  const later = shown ? findLaterReady({ builds: listed, history, live: shown }, context.platformNow()) : undefined;
  const live = app
    ? Object.fromEntries(boundFields.map((field) => [field, (app as Record<string, unknown>)[field]]))
    : null;
  const latest = later?.mayServe?.id ?? later?.serves;
  if (live && latest !== undefined) live.latestReadyBuildId = latest;
  const isBehind = (build: string, other: string) => {
    const [own, first] = [build, other].map((each) => listed.find(({ id }) => id === each));
    return own !== undefined && first !== undefined && isPending(own.status) && !goesBefore(own, first);
  };
  const serves = later?.serves ?? shown;
  const { mayServe, awaited } = later ?? {};
  return { live, app, serves, mayServe, awaited, builds, listed: listed.map(({ id }) => id), ready, isBehind };
}

/** The same within seconds. Undefined if that fails. */
export async function lookBriefly(context: Context, name: string): Promise<DeployedState | undefined> {
  return tryRequest(context, (api) => lookAtDeployed(contextWith(context, { api }), name));
}

/** The same once the app shows what serves, or has had the time to. */
export async function lookAtServing(context: Context, name: string): Promise<DeployedState> {
  const seen = await lookAtDeployed(context, name);
  if (!seen.awaited) return seen;
  await waitUntilShown(context, name, seen.awaited);
  return lookAtServing(context, name);
}

/** Fields that change by themselves, or say nothing about what serves. */
const volatile = [
  ...['status', 'errorMessage', 'updatedAt', 'costPerSecondCents', 'lastBuildStatus'],
  ...['latestBuildId', 'latestCreatedBuildId'],
];
/** Only known fields: others may change by themselves. */
const boundFields = Object.keys(App.entries).filter((field) => !volatile.includes(field));

async function readApp({ api, project }: Context, app: string): Promise<App | undefined> {
  try {
    return await fetchApp(api, { project, app });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** None if the platform does not show them. */
async function readBuilds({ api, project }: Context, app: string): Promise<Build[]> {
  try {
    return await api(listBuilds, { project, app });
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}
