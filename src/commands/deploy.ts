import { defineCommand, type NextCommand } from '../command.ts';
import { gantryCommand } from '../command-line.ts';
import type { Context } from '../context.ts';
import { buildPhase } from '../contract/builds.ts';
import { GantryError, InterruptedError, platformExits } from '../errors.ts';
import { durationFlag } from '../flags/values.ts';
import {
  chooseRegion,
  type Deployment,
  type DeployPlan,
  deploy,
  planDeploy,
  readLocalApp,
} from '../operations/deploy/index.ts';
import { writeGithubOutputs } from '../output/github-outputs.ts';
import type { View } from '../output/page.ts';
import {
  anything,
  boolean,
  document,
  integer,
  list,
  nullable,
  number,
  object,
  record,
  text,
} from '../result-schema.ts';
import { deployPlanView } from '../views/deploy-plan.ts';

/** The result of a dry run. */
const planFields = {
  dryRun: boolean('true for a dry run: nothing was sent'),
  app: text('app name'),
  project: text('project'),
  runtime: text('cortex, custom or a partner'),
  exists: nullable(boolean('with --dry-run: whether the app is already deployed; null if unknown')),
  public: boolean('with --dry-run: whether anyone can call it without a token'),
  setup: record(anything('value'), 'with --dry-run: hardware and replicas, including defaults'),
  settings: list(
    object({
      setting: text('key in the config file'),
      from: anything('deployed value'),
      to: anything('new value'),
      byDefault: boolean('whether the file leaves it to its default'),
    }),
    'with --dry-run: settings that would change',
  ),
  fileChanges: nullable(
    object(
      {
        added: list(text('path'), 'new files'),
        changed: list(text('path'), 'changed files'),
        removed: list(text('path'), 'removed files'),
        unchanged: integer('number of files'),
      },
      'with --dry-run: changed files; null if there is nothing to compare with',
    ),
  ),
  send: object(
    {
      files: integer('number of files'),
      bytes: integer('total size'),
      largest: list(object({ path: text('path'), bytes: integer('size') }), 'largest files'),
    },
    'with --dry-run: what would be sent',
  ),
  warnings: list(anything('a problem, as in gantry check'), 'with --dry-run: warnings about the app'),
  failedBuild: nullable(text('with --dry-run: status of the last build if it failed')),
  changed: boolean('with --dry-run: whether anything would change'),
};

export default defineCommand({
  configure: (command) =>
    command
      .option('--config-file <file>', 'config file; its folder is the app folder', 'cerebrium.toml')
      .option('--name <name>', 'override the app name of the config file')
      .option('--dry-run', 'show what would be sent and changed')
      .option('--detailed-exit-code', 'with --dry-run: exit with 3 if anything would change')
      .option('--detach', 'return after the upload; the build continues')
      .option('--no-logs', 'do not show the build log')
      .option('--disable-build-logs', 'ask the platform not to keep a build log')
      .option('--log-level <level>', 'app log level: INFO or DEBUG')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--events', 'print progress as JSON lines'),
  run: async (context, options): Promise<DeployPlan | Deployment> => {
    const { settings, prompt } = context;
    const local = await readLocalApp(context, options);
    const shouldConfirm = prompt.isPossible && !options.dryRun;
    const dryRun = options.dryRun === true;
    const plan = await planDeploy(context, local, { compareFiles: dryRun || shouldConfirm, dryRun });
    if (options.dryRun) return plan;
    if (shouldConfirm) await confirmPlan(context, plan);

    const region = chooseRegion(settings.region, local.project.hardware.region);
    return reportOutcome(context, plan, () =>
      deploy(context, local, {
        ...options,
        region,
        detach: options.detach === true,
        timeoutMs: options.timeout ?? 3_600_000,
      }),
    );
  },
  exit: (value, { detailedExitCode }) => (detailedExitCode && 'dryRun' in value && value.changed ? 'changes' : 'ok'),
  view: (value) => ('dryRun' in value ? deployPlanView(value) : () => value.endpoint),
  json: document(
    {
      app: text('app name'),
      project: text('project'),
      runtime: text('cortex, custom or a partner'),
      build: text('build id'),
      status: text('final status of the build (with --detach: current status)'),
      endpoint: text('URL of the app'),
      dashboard: text('URL of the app in the dashboard'),
      files: integer('number of files sent'),
      bytes: integer('size of the archive'),
      packMs: number('duration of packing, in ms'),
      uploadMs: number('duration of the upload, in ms'),
      buildMs: number('time waited for the build, in ms'),
    },
    planFields,
  ),
  next: nextCommands,
  effect: 'changes',
  exits: [...platformExits, 'changes', 'pending', 'project', 'build-failed', 'not-ready'],
  examples: [
    'deploy',
    'deploy --dry-run',
    'deploy --name web-staging --detach',
    'deploy --json=endpoint,build',
    'deploy --dry-run --detailed-exit-code',
  ],
});

/** Asks on a terminal only: without one, running the command is the consent. */
async function confirmPlan({ progress, prompt }: Context, plan: DeployPlan): Promise<void> {
  progress.note(deployPlanView(plan));
  await prompt.confirm('Deploy?', { byDefault: true });
}

/** Runs the deploy and reports its outcome to GitHub Actions. */
async function reportOutcome(
  { env, progress, secrets }: Context,
  { app }: DeployPlan,
  work: () => Promise<Deployment>,
) {
  try {
    const done = await work();
    const { build, status, endpoint, dashboard } = done;
    writeGithubOutputs(env, { app, 'build-id': build, status, endpoint, 'dashboard-url': dashboard }, secrets);
    progress.note(nextStep(done));
    return done;
  } catch (error) {
    const { build = '', status = error instanceof InterruptedError ? 'cancelled' : 'failed' } = (
      error instanceof GantryError ? (error.facts.details ?? {}) : {}
    ) as { build?: string; status?: string };
    writeGithubOutputs(env, { app, 'build-id': build, status, endpoint: '', 'dashboard-url': '' }, secrets);
    throw error;
  }
}

function nextCommands(value: DeployPlan | Deployment, { configFile }: { configFile: string }): NextCommand[] {
  if ('dryRun' in value) {
    const flags = configFile === 'cerebrium.toml' ? [] : ['--config-file', configFile];
    return value.changed ? [{ line: gantryCommand`deploy ${flags}`, when: 'to deploy it' }] : [];
  }
  const { app, build, status, runtime } = value;
  if (buildPhase(status) !== 'succeeded') {
    return [{ line: gantryCommand`builds follow ${app} ${build}`, when: 'to follow it' }];
  }
  const logs = { line: gantryCommand`logs ${app}`, when: 'to see its log' };
  return runtime === 'cortex'
    ? [{ line: gantryCommand`invoke ${app}`, when: 'to call its function run' }, logs]
    : [logs];
}

/** How to call what was deployed. */
function nextStep({ app, build, status, runtime, endpoint, dashboard }: Deployment): View {
  const calls: Record<string, string> = {
    cortex: `call a function of main.py: POST ${endpoint}/<function>`,
    custom: `call your server: ${endpoint}/<path>`,
  };
  return ({ style }) =>
    [
      buildPhase(status) === 'succeeded'
        ? `${style.bold(`${app} is live`)}, build ${build}`
        : `build ${build} is ${status}`,
      endpoint
        ? (calls[runtime] ?? `call it: ${endpoint}`)
        : `the platform returned no endpoint; see gantry apps get ${app}`,
      dashboard && style.dim(`dashboard ${dashboard}`),
    ]
      .filter(Boolean)
      .join('\n');
}
