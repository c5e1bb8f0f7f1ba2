import * as v from 'valibot';
import { buildPhase } from './builds.ts';
import { assumed, endpoint, shortAppName } from './endpoint.ts';
import { listOf, nonEmptyReply, objectOf, replyObject } from './lists.ts';
import {
  described,
  optionalAmount,
  optionalBoolean,
  optionalEnum,
  optionalNumber,
  optionalRecord,
  optionalText,
  optionalTexts,
  optionalTime,
  queryBoolean,
  textOrEmpty,
} from './scalars.ts';

const strings = v.array(v.string());
const text = v.optional(v.string());
const flag = v.optional(v.boolean());

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
  deploymentInitializationTimeout: v.optional(v.number()),
  cpu: v.optional(v.number()),
  memory: v.optional(v.number()),
  compute: v.optional(strings),
  gpuCount: v.optional(v.number()),
  provider: text,
  region: text,
  minReplicaCount: v.optional(v.number()),
  maxReplicaCount: v.optional(v.number()),
  cooldownPeriodSeconds: v.optional(v.number()),
  replicaConcurrency: v.optional(v.number()),
  responseGracePeriodSeconds: v.optional(v.number()),
  scalingMetric: text,
  scalingTarget: v.optional(v.number()),
  scalingBuffer: v.optional(v.number()),
  rollOutDurationSeconds: v.optional(v.number()),
  evaluationIntervalSeconds: v.optional(v.number()),
  loadBalancingAlgorithm: text,
  computeTier: text,
  containerRuntime: text,
  entrypoint: v.optional(strings),
  port: v.optional(v.number()),
  healthcheckEndpoint: text,
  readycheckEndpoint: text,
  logLevel: text,
  partialUpload: flag,
  // Not in the specification, but the official client sends these. Without them the shell commands would be lost.
  include: v.optional(strings),
  exclude: v.optional(strings),
  shellCommands: v.optional(strings),
  preBuildCommands: v.optional(strings),
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
    status: optionalEnum('pending'),
    uploadUrl: textOrEmpty,
    keyName: optionalText,
    internalEndpoint: textOrEmpty,
    dashboardUrl: textOrEmpty,
  },
  'buildId',
);
export type CreatedApp = v.InferOutput<typeof CreatedApp>;

const optionalStatus = optionalEnum('ready', 'active', 'cold', 'pending', 'deploying', 'not_ready', 'error');

/** What a list of apps has of each, as well as the details of one. */
const shownFields = {
  id: described(textOrEmpty, 'app id, <project>-<name>'),
  name: described(optionalText, 'app name'),
  projectId: described(optionalText, 'project'),
  region: described(optionalText, 'region'),
  hardware: described(optionalText, 'compute type'),
  hardwareProvider: described(optionalText, 'cloud provider'),
  status: described(optionalStatus, 'app status; platform value, passed through'),
  createdAt: described(optionalTime, 'RFC 3339, UTC'),
  updatedAt: described(optionalTime, 'RFC 3339, UTC'),
};

/** App details (spec 2.4). Numeric settings arrive as text and are read as numbers. */
export const App = nonEmptyReply({
  ...shownFields,
  errorMessage: described(optionalText, 'latest failure'),
  runtime: described(optionalText, 'cortex, custom or a partner'),
  baseImage: described(optionalText, 'base container image'),
  pythonVersion: described(optionalText, 'Python version'),
  entrypoint: described(optionalTexts, 'start command of a custom runtime, as a list'),
  port: described(optionalNumber, 'port of the app'),
  healthcheckEndpoint: described(optionalText, 'path of the health check'),
  readycheckEndpoint: described(optionalText, 'path of the readiness check'),
  disableAuth: described(optionalBoolean, 'whether anyone can call it without a token'),
  cpu: described(optionalNumber, 'CPU cores'),
  memory: described(optionalNumber, 'GB'),
  gpuCount: described(optionalNumber, 'GPUs'),
  computeTier: described(optionalText, 'interruptible or protected'),
  costPerSecondCents: described(optionalAmount, 'US cents per second for each running replica'),
  minReplicaCount: described(optionalAmount, 'minimum number of replicas'),
  maxReplicaCount: described(optionalAmount, 'maximum number of replicas'),
  cooldownPeriodSeconds: described(optionalAmount, 'how long a replica runs without requests, in seconds'),
  replicaConcurrency: described(optionalNumber, 'concurrent requests per replica'),
  responseGracePeriodSeconds: described(optionalNumber, 'maximum duration of a request, in seconds'),
  scalingMetric: described(optionalText, 'metric that scaling is based on'),
  scalingTarget: described(optionalNumber, 'target value of the metric'),
  scalingBuffer: described(optionalNumber, 'spare replicas'),
  rollOutDurationSeconds: described(optionalNumber, 'duration of a rollout, in seconds'),
  evaluationIntervalSeconds: described(optionalNumber, 'interval of scaling decisions, in seconds'),
  loadBalancingAlgorithm: described(optionalText, 'how requests are distributed to replicas'),
  deploymentInitializationTimeout: described(optionalNumber, 'maximum start-up time, in seconds'),
  internalEndpoint: described(optionalText, 'URL of the app'),
  latestBuildId: described(optionalText, 'latest build'),
  latestCreatedBuildId: described(optionalText, 'latest created build'),
  latestReadyBuildId: described(optionalText, 'latest build that became ready'),
  lastBuildStatus: described(optionalText, 'status of the latest build'),
  cerebriumVersion: optionalText,
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
  ephemeral: described(optionalBoolean, 'true if a one-off run created it'),
  cost_metrics: described(optionalRecord, "this month's cost; platform value, passed through"),
  request_metrics: described(optionalRecord, "this month's runs: calls and jobs; platform value, passed through"),
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
  ...(['minReplicaCount', 'maxReplicaCount', 'cooldownPeriodSeconds', 'responseGracePeriodSeconds'] as const),
]);

/** Change a deployed app's scaling (docs/platform.md#scaling). Sets values, so it is safe to repeat. */
export const scaleApp = endpoint('PATCH /v2/projects/{project}/apps/{app}', {
  body: AppScaling,
  reply: 'nothing',
  retryable: true,
});

/** Delete an app (docs/platform.md#apps). */
export const deleteApp = endpoint('DELETE /v2/projects/{project}/apps/{app}', { reply: 'nothing' });
