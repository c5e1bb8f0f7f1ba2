import * as v from 'valibot';
import { buildPhase } from './builds.ts';
import { assumed, endpoint, shortAppName } from './endpoint.ts';
import { listOf, nonEmptyReply, objectOf, replyObject } from './lists.ts';
import { described, maybe, optionalEnum, queryBoolean, textOrEmpty } from './scalars.ts';

const strings = v.optional(v.array(v.string()));
const text = v.optional(v.string());
const flag = v.optional(v.boolean());
const number = v.optional(v.number());

/** Body of create app (spec 2.2). Settings that the user did not set are omitted: the server has the defaults. */
export const AppCreation = v.looseObject({
  name: v.string(),
  cliVersion: text,
  platform_toml: text,
  runtime: text,
  pythonVersion: text,
  baseImage: text,
  dockerAuth: text,
  dockerfilePath: text,
  disableAuth: flag,
  useUv: flag,
  deploymentInitializationTimeout: number,
  cpu: number,
  memory: number,
  compute: strings,
  gpuCount: number,
  provider: text,
  region: text,
  minReplicaCount: number,
  maxReplicaCount: number,
  cooldownPeriodSeconds: number,
  replicaConcurrency: number,
  responseGracePeriodSeconds: number,
  scalingMetric: text,
  scalingTarget: number,
  scalingBuffer: number,
  rollOutDurationSeconds: number,
  evaluationIntervalSeconds: number,
  loadBalancingAlgorithm: text,
  computeTier: text,
  containerRuntime: text,
  entrypoint: strings,
  port: number,
  healthcheckEndpoint: text,
  readycheckEndpoint: text,
  logLevel: text,
  partialUpload: flag,
  // Not in the specification, but the official client sends these. Without them the shell commands would be lost.
  include: strings,
  exclude: strings,
  shellCommands: strings,
  preBuildCommands: strings,
  disableBuildLogs: flag,
  partnerService: text,
  modelName: text,
  language: text,
  imageVersion: text,
});
export type AppCreation = v.InferInput<typeof AppCreation>;

/** Reply of create app (spec 2.3). `uploadUrl` may be empty for a partner app, which has no upload. */
export const CreatedApp = replyObject(
  {
    buildId: textOrEmpty,
    uploadUrl: textOrEmpty,
    internalEndpoint: textOrEmpty,
    dashboardUrl: textOrEmpty,
    status: optionalEnum('pending'),
    keyName: maybe.text,
  },
  'buildId',
);
export type CreatedApp = v.InferOutput<typeof CreatedApp>;

const optionalStatus = optionalEnum('ready', 'active', 'cold', 'pending', 'deploying', 'not_ready', 'error');

/** What a list of apps has of each, as well as the details of one. */
const shownFields = {
  id: described(textOrEmpty, 'app id, <project>-<name>'),
  name: described(maybe.text, 'app name'),
  projectId: described(maybe.text, 'project'),
  region: described(maybe.text, 'region'),
  hardware: described(maybe.text, 'compute type'),
  hardwareProvider: described(maybe.text, 'cloud provider'),
  status: described(optionalStatus, 'app status; platform value, passed through'),
  createdAt: described(maybe.time, 'RFC 3339, UTC'),
  updatedAt: described(maybe.time, 'RFC 3339, UTC'),
};

/** App details (spec 2.4). Numeric settings arrive as text and are read as numbers. */
export const App = nonEmptyReply({
  ...shownFields,
  errorMessage: described(maybe.text, 'latest failure'),
  runtime: described(maybe.text, 'cortex, custom or a partner'),
  baseImage: described(maybe.text, 'base container image'),
  pythonVersion: described(maybe.text, 'Python version'),
  entrypoint: described(maybe.texts, 'start command of a custom runtime, as a list'),
  port: described(maybe.number, 'port of the app'),
  healthcheckEndpoint: described(maybe.text, 'path of the health check'),
  readycheckEndpoint: described(maybe.text, 'path of the readiness check'),
  disableAuth: described(maybe.boolean, 'whether anyone can call it without a token'),
  cpu: described(maybe.number, 'CPU cores'),
  memory: described(maybe.number, 'GB'),
  gpuCount: described(maybe.number, 'GPUs'),
  computeTier: described(maybe.text, 'interruptible or protected'),
  costPerSecondCents: described(maybe.amount, 'US cents per second for each running replica'),
  minReplicaCount: described(maybe.amount, 'minimum number of replicas'),
  maxReplicaCount: described(maybe.amount, 'maximum number of replicas'),
  cooldownPeriodSeconds: described(maybe.amount, 'how long a replica runs without requests, in seconds'),
  replicaConcurrency: described(maybe.number, 'concurrent requests per replica'),
  responseGracePeriodSeconds: described(maybe.number, 'maximum duration of a request, in seconds'),
  scalingMetric: described(maybe.text, 'metric that scaling is based on'),
  scalingTarget: described(maybe.number, 'target value of the metric'),
  scalingBuffer: described(maybe.number, 'spare replicas'),
  rollOutDurationSeconds: described(maybe.number, 'duration of a rollout, in seconds'),
  evaluationIntervalSeconds: described(maybe.number, 'interval of scaling decisions, in seconds'),
  loadBalancingAlgorithm: described(maybe.text, 'how requests are distributed to replicas'),
  deploymentInitializationTimeout: described(maybe.number, 'maximum start-up time, in seconds'),
  internalEndpoint: described(maybe.text, 'URL of the app'),
  latestBuildId: described(maybe.text, 'latest build'),
  latestCreatedBuildId: described(maybe.text, 'latest created build'),
  latestReadyBuildId: described(maybe.text, 'latest build that became ready'),
  lastBuildStatus: described(maybe.text, 'status of the latest build'),
  cerebriumVersion: maybe.text,
});
export type App = v.InferOutput<typeof App>;

/** The build that serves: the one that became ready last (spec 2.4). Undefined if none did. */
export function liveBuild({ latestReadyBuildId, latestBuildId, lastBuildStatus }: App): string | undefined {
  const hasSucceeded = lastBuildStatus && buildPhase(lastBuildStatus) === 'succeeded';
  return latestReadyBuildId || (hasSucceeded ? latestBuildId : undefined) || undefined;
}

/** Whether the status of an app says that it does not serve (docs/platform.md#apps). A word that no document has says nothing. */
export function appIsUnwell(status: string | null | undefined): boolean {
  return /error|not_?ready|delet|fail|crash|unhealthy|suspend|degrad/i.test(status ?? '');
}

/** An app in a list (spec 2.5). The inner fields of both metrics objects are not documented (docs/platform.md#apps). */
export const AppSummary = objectOf({
  ...shownFields,
  ephemeral: described(maybe.boolean, 'true if a one-off run created it'),
  cost_metrics: described(maybe.record, "this month's cost; platform value, passed through"),
  request_metrics: described(maybe.record, "this month's runs: calls and jobs; platform value, passed through"),
});
export type AppSummary = v.InferOutput<typeof AppSummary>;

/** The name of an app of a project: by its id, if the platform does not tell it. */
export function appName({ id, name }: Pick<App, 'id' | 'name'>, project: string): string {
  return name || shortAppName(project, id);
}

/** Creates or redeploys an app with an upload (spec 4.2). */
export const createApp = endpoint('POST /v2/projects/{project}/apps', { body: AppCreation, reply: CreatedApp });

/**
 * Create or redeploy a partner's app (docs/platform.md#apps): the same body as for any app, but nothing is uploaded.
 */
export const createPartnerApp = endpoint('POST /v2/projects/{project}/partner-apps', {
  body: AppCreation,
  reply: CreatedApp,
});

/** Lists apps with this month's usage (spec 4.3). */
export const listApps = endpoint('GET /v2/projects/{project}/apps', {
  query: v.object({ includeEphemeral: assumed(v.optional(queryBoolean)) }),
  reply: listOf(AppSummary, 'id'),
});

/** Reads one app (spec 4.4). */
export const getApp = endpoint('GET /v2/projects/{project}/apps/{app}', { reply: App });

/** The settings that can change without a deploy (docs/platform.md#scaling). The next deploy overwrites them. */
const AppScaling = v.pick(AppCreation, [
  'minReplicaCount',
  'maxReplicaCount',
  'cooldownPeriodSeconds',
  'responseGracePeriodSeconds',
]);

/** Change a deployed app's scaling (docs/platform.md#scaling). Sets values, so it is safe to repeat. */
export const scaleApp = endpoint('PATCH /v2/projects/{project}/apps/{app}', {
  body: AppScaling,
  reply: 'nothing',
  retryable: true,
});

/** Delete an app (docs/platform.md#apps). */
export const deleteApp = endpoint('DELETE /v2/projects/{project}/apps/{app}', { reply: 'nothing' });
