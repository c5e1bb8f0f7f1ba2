import type { Context } from '../../context.ts';
import { App } from '../../contract/apps.ts';
import { buildPhase } from '../../contract/builds.ts';
import { type AppReading, observe, settle } from '../../deploys/observe.ts';
import { servingBuild } from '../../deploys/serving.ts';
import { contextWith, tryRequest } from '../waiting/index.ts';
import { goesBefore } from './busy-builds.ts';
import { isPending } from './pending-upload.ts';
import { isBusy, isExpired } from './stuck-builds.ts';

/** The deployed app, as far as a plan is bound to it. */
export interface DeployedState extends Pick<AppReading, 'app' | 'serving'> {
  /** Null if it is not deployed. */
  live: Record<string, unknown> | null;
  /** The build that serves; undefined if that is not known. */
  serves: string | undefined;
  /** Builds in progress. */
  builds: string[];
  /** All builds, and those that have succeeded. */
  listed: string[];
  ready: string[];
  /** Whether a build waits for its upload and was created after another one. */
  isBehind: (build: string, other: string) => boolean;
}

export async function lookAtDeployed(context: Context, name: string): Promise<DeployedState> {
  return stateOf(await observe(context, name));
}

/** The same within seconds. Undefined if that fails. */
export async function lookBriefly(context: Context, name: string): Promise<DeployedState | undefined> {
  return tryRequest(context, (api) => lookAtDeployed(contextWith(context, { api }), name));
}

/** The same once the app shows what serves, or has had the time to. */
export async function lookAtServing(context: Context, name: string): Promise<DeployedState> {
  return stateOf(await settle(context, name));
}

function stateOf({ app, at, list, serving }: AppReading): DeployedState {
  const live = app
    ? Object.fromEntries(boundFields.map((field) => [field, (app as Record<string, unknown>)[field]]))
    : null;
  const serves = servingBuild(serving);
  const bound = serving.is === 'one-of' ? serving.builds.join(' ') : serves;
  if (live && bound !== undefined) live.latestReadyBuildId = bound;
  const isBehind = (build: string, other: string) => {
    const [own, first] = [build, other].map((each) => list.find(({ id }) => id === each));
    return own !== undefined && first !== undefined && isPending(own.status) && !goesBefore(own, first);
  };
  const builds = list.filter((build) => isBusy(build) && !isExpired(build, at)).map(({ id }) => id);
  const ready = list.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id);
  return { app, serving, live, serves, builds, listed: list.map(({ id }) => id), ready, isBehind };
}

/** Fields that change by themselves, or say nothing about what serves. */
const volatile = [
  ...['status', 'errorMessage', 'updatedAt', 'costPerSecondCents', 'lastBuildStatus'],
  ...['latestBuildId', 'latestCreatedBuildId'],
];
/** Only known fields: others may change by themselves. */
const boundFields = Object.keys(App.entries).filter((field) => !volatile.includes(field));
