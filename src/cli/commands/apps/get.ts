import { findCommit } from '../../../deploys/commit-of-build.ts';
import { commitShape, noCommit, readHistory, type WithCommit } from '../../../deploys/history/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { ago, count, dollars, durationCell } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type Cell, type FactRows, factGroup, keyValueTable, stackViews } from '../../../kernel/output/table.ts';
import { App, liveBuild } from '../../../platform/contract/apps.ts';
import { buildHasFailed, buildPhase } from '../../../platform/contract/builds.ts';
import { shortAppName } from '../../../platform/contract/endpoint.ts';
import { fetchApp } from '../../../platform/replies/index.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { document, passThrough, sentFields } from '../../result-schema.ts';
import { commitText } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => appArgument(command),
  run: async (context, given, { configFile }) => {
    const { api, project } = context;
    const here = { app: shortAppName(project, given), configFile };
    const [app, history] = await Promise.all([fetchApp(api, { project, app: given }), readHistory(context, here.app)]);
    const build = liveBuild(app);
    return { ...app, ...(build === undefined ? noCommit : await findCommit(context, here, build, history)) };
  },
  view: appView,
  next: ({ lastBuildStatus }, _, [app]) =>
    buildHasFailed(lastBuildStatus ?? '')
      ? [{ line: gantryCommand`explain ${String(app)}`, when: 'to see why the latest build failed' }]
      : [],
  effect: 'reads',
  json: document(passThrough({ ...sentFields(App), ...commitShape })),
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
