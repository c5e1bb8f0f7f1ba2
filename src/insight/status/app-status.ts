import { resolve } from 'node:path';
import { readAppName } from '../../app/read-app-name.ts';
import { countErrors, findJobs, Jobs, searchRuns } from '../../calls/runs/index.ts';
import { fetchBuild } from '../../deploys/builds/index.ts';
import { readHistory, recordLook } from '../../deploys/history/index.ts';
import { type BuildCommit, findCommit, type Here } from '../../deploys/identity.ts';
import { compareHere, type DifferenceHere } from '../../deploys/send/index.ts';
import { type ExitName, NotFoundError } from '../../kernel/errors.ts';
import { targetText } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { type App, liveBuild } from '../../platform/contract/apps.ts';
import { isRunning, listContainers } from '../../platform/contract/containers.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { explainFailure } from '../explain/index.ts';
import { Parts, silent, type Unknown } from './parts.ts';
import { readServiceStatus, type ServiceStatus } from './service-status.ts';

/** The state of one app. A part that is null either does not exist or is not known: `unknown` says why. */
export interface AppStatus {
  /** Project and platform, in the words of every command. */
  target: string;
  app: string;
  /** The platform's word; null if the app is not deployed. */
  status: string | null;
  /** The build that serves, and what the history of this machine has found of it. */
  live: ({ build: string; createdAt: string | null; found: string | null } & BuildCommit) | null;
  /** How this folder differs from it; null if the app is not that of this folder. */
  here: DifferenceHere | null;
  replicas: { running: number; min: number | null; max: number | null } | null;
  lastHour: { calls: number; errors: number } | null;
  /** Of all replicas that run now. */
  costPerHourCents: number | null;
  failure: { build: string | null; run: string | null; title: string; fix: string | null } | null;
  platform: ServiceStatus | null;
  unknown: Unknown;
  /** That of the error if nothing of the app is known. */
  exit: ExitName;
}

/** Reads the state of an app with at most four requests at once. Throws NotFoundError only for an app that was named. */
export async function readAppStatus(context: Context, name: string, configFile: string): Promise<AppStatus> {
  const { target, signal, cwd } = context;
  const isHere = (await readAppName(resolve(cwd, configFile), configFile)) === name;
  const quiet = silent(context);
  const parts = new Parts(signal);
  const asked = await parts.read('live', () => readApp(quiet, name));
  if (asked instanceof NotFoundError && !isHere) throw asked;
  const status = emptyStatus(targetText(target), name);
  if (asked === null || asked instanceof NotFoundError) {
    const platform = await parts.read('platform', () => readServiceStatus(quiet));
    if (asked === null) {
      parts.missing(['replicas', 'lastHour', 'costPerHourCents', 'failure', ...(isHere ? ['here'] : [])], 'live');
    }
    return { ...status, platform, unknown: parts.unknown, exit: parts.exitOf('live') };
  }
  const app = shortAppName(context.project, asked.id || name);
  const [[platform, live], [containers, here], lastHour, failure] = await Promise.all([
    inTurn(
      () => parts.read('platform', () => readServiceStatus(quiet)),
      () => parts.read('live', () => readLive(quiet, { app, configFile }, asked)),
    ),
    inTurn(
      () => parts.read('replicas', () => countRunning(quiet, app)),
      () => (isHere ? parts.read('here', () => compareHere(quiet, configFile)) : null),
    ),
    parts.read('lastHour', () => readLastHour(quiet, app)),
    parts.read('failure', () => readFailure(quiet, app, configFile)),
  ]);
  const { costPerSecondCents, minReplicaCount: min = null, maxReplicaCount: max = null } = asked;
  if (containers === null) parts.missing(['costPerHourCents'], 'replicas');
  else if (typeof costPerSecondCents !== 'number')
    parts.unknown.costPerHourCents = 'the platform does not tell the price';
  const isPriced = containers !== null && typeof costPerSecondCents === 'number';
  return {
    ...status,
    ...{ app, status: asked.status ?? null, live, here, lastHour, failure, platform, unknown: parts.unknown },
    replicas: containers === null ? null : { running: containers, min, max },
    costPerHourCents: isPriced ? costPerSecondCents * 3_600 * containers : null,
  };
}

function emptyStatus(target: string, app: string) {
  const none = { status: null, live: null, here: null, replicas: null, lastHour: null };
  return { target, app, ...none, costPerHourCents: null, failure: null, exit: 'ok' as ExitName };
}

/** The error itself for an app that is not deployed: that is known, too. */
async function readApp({ api, project }: Context, app: string): Promise<App | NotFoundError> {
  return fetchApp(api, { project, app }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return error;
    throw error;
  });
}

async function inTurn<A, B>(first: () => Promise<A>, second: () => Promise<B> | B): Promise<[A, B]> {
  const one = await first();
  return [one, await second()];
}

async function readLive(context: Context, here: Here, asked: App): Promise<AppStatus['live']> {
  const { api, project } = context;
  const { app } = here;
  const build = liveBuild(asked);
  if (build === undefined) return null;
  const [history, { createdAt }] = await Promise.all([
    // What only reads for a model writes no file.
    context.isForModel ? readHistory(context, app) : recordLook(context, app, asked),
    fetchBuild(api, { project, app, build }),
  ]);
  const commit = await findCommit(context, here, build);
  return { build, createdAt: createdAt ?? null, ...commit, found: history.markOf(build) ?? null };
}

async function countRunning({ api, project }: Context, app: string): Promise<number> {
  const containers = (await api(listContainers, { project, app })) ?? [];
  const replicas = new Jobs().see({ containers }).replicas(containers);
  return replicas.filter((each) => isRunning(each)).length;
}

/** The latest thousand runs tell how many fail. */
async function readLastHour(context: Context, app: string): Promise<AppStatus['lastHour']> {
  const until = context.platformNow();
  const range = { since: until - 3_600_000, until, filters: {}, asyncOnly: false, limit: 1_000 };
  const [{ runs, total }, jobs] = await Promise.all([searchRuns(context, { app, ...range }), findJobs(context, app)]);
  const calls = jobs.calls(runs);
  return { calls: Math.max(total, runs.length) - (runs.length - calls.length), errors: countErrors(calls).failed };
}

async function readFailure(context: Context, app: string, configFile: string): Promise<AppStatus['failure']> {
  const { build, run, cause, title, fix } = await explainFailure(context, { app, configFile, callsOnly: true });
  return cause === null ? null : { build, run, title, fix };
}
