import { noCommit, readHistory } from '../../../deploys/history/index.ts';
import { findCommit } from '../../../deploys/identity.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { liveBuild } from '../../../platform/contract/apps.ts';
import { buildHasFailed } from '../../../platform/contract/builds.ts';
import { shortAppName } from '../../../platform/contract/endpoint.ts';
import { fetchApp } from '../../../platform/replies/index.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { boolean, document, integer, list, number, passThrough, text } from '../../result-schema.ts';
import { appView } from '../../views/app.ts';
import { commitShape } from '../../views/build.ts';

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
