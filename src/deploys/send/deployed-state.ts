import type { Context } from '../../platform/context.ts';
import { App } from '../../platform/contract/apps.ts';
import { type AppReading, observe } from '../observe.ts';
import { servingBuild } from '../serving.ts';
import { goesBefore } from './busy-builds.ts';
import { isBusy, isExpired, isPending } from './stuck-builds.ts';

/** The deployed app, as far as a plan is bound to it. */
export interface DeployedState extends Pick<AppReading, 'app'> {
  /** Null if it is not deployed. */
  live: Record<string, unknown> | null;
  /** Builds in progress. */
  builds: string[];
  /** All builds. */
  listed: string[];
  /** Whether a build waits for its upload and was created after another one. */
  isBehind: (build: string, other: string) => boolean;
}

export async function lookAtDeployed(context: Context, name: string): Promise<DeployedState> {
  return stateOf(await observe(context, name));
}

function stateOf({ app, at, list, serving }: AppReading): DeployedState {
  const live = app
    ? Object.fromEntries(boundFields.map((field) => [field, (app as Record<string, unknown>)[field]]))
    : null;
  const bound = serving.is === 'one-of' ? serving.builds.join(' ') : servingBuild(serving);
  if (live && bound !== undefined) live.latestReadyBuildId = bound;
  const isBehind = (build: string, other: string) => {
    const [own, first] = [build, other].map((each) => list.find(({ id }) => id === each));
    return own !== undefined && first !== undefined && isPending(own.status) && !goesBefore(own, first);
  };
  const builds = list.filter((build) => isBusy(build) && !isExpired(build, at)).map(({ id }) => id);
  return { app, live, builds, listed: list.map(({ id }) => id), isBehind };
}

/** Fields that change by themselves, or say nothing about what serves. */
const volatile = [
  ...['status', 'errorMessage', 'updatedAt', 'costPerSecondCents', 'lastBuildStatus'],
  ...['latestBuildId', 'latestCreatedBuildId'],
];
/** Only known fields: others may change by themselves. */
const boundFields = Object.keys(App.entries).filter((field) => !volatile.includes(field));
