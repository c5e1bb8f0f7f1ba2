import { findCommit } from '../../../deploys/commit-of-build.ts';
import { noCommit, readHistory, type WithCommit } from '../../../deploys/history/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { ago, count, dollars, durationCell } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type Cell, type FactRows, factGroup, keyValueTable, stackViews } from '../../../kernel/output/table.ts';
import { type App, liveBuild } from '../../../platform/contract/apps.ts';
import { buildHasFailed, buildPhase } from '../../../platform/contract/builds.ts';
import { shortAppName } from '../../../platform/contract/endpoint.ts';
import { fetchApp } from '../../../platform/replies/index.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { boolean, document, integer, list, number, passThrough, text } from '../../result-schema.ts';
import { commitShape, commitText } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => appArgument(command),
  run: async (context, given, { configFile }) => {
    const { api, project } = context;
    const here = { app: shortAppName(project, given), configFile };
    const [found, history] = await Promise.all([
      fetchApp(api, { project, app: given }),
      readHistory(context, here.app),
    ]);
    const build = liveBuild(found);
    return { ...found, ...(build === undefined ? noCommit : await findCommit(context, here, build, history)) };
  },
  view: appView,
  next: ({ lastBuildStatus }, _, [app]) =>
    buildHasFailed(lastBuildStatus ?? '')
      ? [{ line: gantryCommand`explain ${String(app)}`, when: 'to see why the latest build failed' }]
      : [],
  effect: 'reads',
  json: document(
    passThrough({
      id: text('app id, <project>-<name>'),
      name: text('app name'),
      projectId: text('project'),
      status: text('app status; platform value, passed through'),
      errorMessage: text('latest failure'),
      createdAt: text('RFC 3339, UTC'),
      updatedAt: text('RFC 3339, UTC'),
      runtime: text('cortex, custom or a partner'),
      baseImage: text('base container image'),
      pythonVersion: text('Python version'),
      entrypoint: list(text('name'), 'start command of a custom runtime, as a list'),
      port: integer('port of the app'),
      healthcheckEndpoint: text('path of the health check'),
      readycheckEndpoint: text('path of the readiness check'),
      disableAuth: boolean('whether anyone can call it without a token'),
      hardware: text('compute type'),
      hardwareProvider: text('cloud provider'),
      region: text('region'),
      cpu: number('CPU cores'),
      memory: number('GB'),
      gpuCount: integer('GPUs'),
      computeTier: text('interruptible or protected'),
      costPerSecondCents: number('US cents per second for each running replica'),
      minReplicaCount: integer('minimum number of replicas'),
      maxReplicaCount: integer('maximum number of replicas'),
      cooldownPeriodSeconds: number('how long a replica runs without requests, in seconds'),
      replicaConcurrency: integer('concurrent requests per replica'),
      responseGracePeriodSeconds: number('maximum duration of a request, in seconds'),
      scalingMetric: text('metric that scaling is based on'),
      scalingTarget: number('target value of the metric'),
      scalingBuffer: number('spare replicas'),
      rollOutDurationSeconds: number('duration of a rollout, in seconds'),
      evaluationIntervalSeconds: number('interval of scaling decisions, in seconds'),
      loadBalancingAlgorithm: text('how requests are distributed to replicas'),
      deploymentInitializationTimeout: number('maximum start-up time, in seconds'),
      internalEndpoint: text('URL of the app'),
      latestBuildId: text('latest build'),
      latestCreatedBuildId: text('latest created build'),
      latestReadyBuildId: text('latest build that became ready'),
      lastBuildStatus: text('status of the latest build'),
      ...commitShape,
      cerebriumVersion: text('version of the client that deployed the app'),
    }),
  ),
  examples: ['apps get web', 'apps get web --json=status,latestReadyBuildId'],
});

function appView(app: App & WithCommit): View {
  return stackViews(
    hasRecovered(app) ? undefined : failure(app),
    factGroup('state', state(app)),
    factGroup('hardware', hardware(app)),
    factGroup('scaling', scaling(app)),
    factGroup('runtime', runtime(app)),
    factGroup('builds', builds(app)),
  );
}

function failure(app: App): View | undefined {
  const message = app.errorMessage;
  if (!message) return undefined;
  return (page) => keyValueTable([['last error', page.style.red(message)]])(page);
}

/** The platform keeps the message of a failed build after later ones have succeeded. */
function hasRecovered({ lastBuildStatus }: App): boolean {
  return lastBuildStatus ? buildPhase(lastBuildStatus) === 'succeeded' : false;
}

const state = (app: App): FactRows => [
  ['name', app.name],
  ['id', app.id],
  ['status', statusCell(app.status)],
  ['endpoint', app.internalEndpoint],
  [
    'authentication',
    app.disableAuth === undefined ? undefined : app.disableAuth ? 'none: anyone can call it' : 'required',
  ],
  ['created', ago(app.createdAt)],
  ['updated', ago(app.updatedAt)],
];

const hardware = (app: App): FactRows => [
  ['compute', [app.hardware, app.gpuCount ? `x ${app.gpuCount}` : ''].filter(Boolean).join(' ')],
  ['cpu', app.cpu && count(app.cpu, 'core')],
  ['memory', app.memory && `${app.memory} GB`],
  ['provider', app.hardwareProvider],
  ['region', app.region],
  ['tier', app.computeTier],
  ...cost(app.costPerSecondCents),
];

const scaling = (app: App): FactRows => [
  ['replicas', `${app.minReplicaCount ?? '?'} to ${app.maxReplicaCount ?? '?'}`],
  ['concurrency', app.replicaConcurrency && `${count(app.replicaConcurrency, 'request')} per replica`],
  ['cooldown', seconds(app.cooldownPeriodSeconds)],
  ['grace period', seconds(app.responseGracePeriodSeconds)],
  ['metric', [app.scalingMetric, app.scalingTarget].filter(Boolean).join(' ')],
  ['buffer', app.scalingBuffer],
  ['load balancing', app.loadBalancingAlgorithm],
];

const runtime = (app: App): FactRows => [
  ['kind', app.runtime],
  ['python', app.pythonVersion],
  ['base image', app.baseImage],
  ['entrypoint', app.entrypoint?.join(' ')],
  ['port', app.port],
  ['health check', app.healthcheckEndpoint],
  ['ready check', app.readycheckEndpoint],
];

const builds = (app: App & WithCommit): FactRows => [
  ['latest build', app.latestBuildId],
  ['latest build status', statusCell(app.lastBuildStatus)],
  ['latest ready build', app.latestReadyBuildId],
  ['commit', commitText(app)],
  ['error of an earlier build', hasRecovered(app) ? app.errorMessage : undefined],
];

function seconds(value: number | null | undefined): Cell {
  return value === null || value === undefined ? undefined : durationCell(value * 1000);
}

/** Cents per second mean little to people. A month is a twelfth of a year. */
function cost(centsPerSecond: number | null | undefined): FactRows {
  if (!centsPerSecond) return [];
  const costOf = (seconds: number) => dollars(centsPerSecond * seconds);
  const day = 86_400;
  return [
    ['cost', `${costOf(3600)} per hour, ${costOf(day)} per day, ${costOf((365 / 12) * day)} per month`],
    ['cost per second', `${centsPerSecond} US cents, for each running replica`],
  ];
}
