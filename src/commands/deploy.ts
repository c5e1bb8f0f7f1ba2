import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { buildPhase } from '../contract/builds.ts';
import { GantryError, InterruptedError } from '../errors.ts';
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
import { deployPlanView } from '../views/deploy-plan.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('--config-file <file>', 'the config file; its folder is the app', 'cerebrium.toml')
      .option('--name <name>', 'app name, instead of the one in the file')
      .option('--dry-run', 'show what would be sent and changed, and stop')
      .option('--detailed-exit-code', 'with --dry-run: exit 3 when something would change')
      .option('--detach', 'return once everything is uploaded; the build goes on')
      .option('--no-logs', 'do not show the log of the build')
      .option('--disable-build-logs', 'ask the platform to keep no log of the build')
      .option('--log-level <level>', 'log level of the app: INFO or DEBUG')
      .option('--timeout <duration>', 'stop waiting after this long (1h if left out)', durationFlag)
      .option('--events', 'print one JSON object per line as things happen'),
  run: async (context, options): Promise<DeployPlan | Deployment> => {
    const { settings, prompt } = context;
    const local = await readLocalApp(context, options);
    const asking = prompt.isPossible && !options.dryRun;
    const dryRun = options.dryRun === true;
    const plan = await planDeploy(context, local, { compareFiles: dryRun || asking, dryRun });
    if (options.dryRun) return plan;
    if (asking) await agree(context, plan);

    const region = chooseRegion(settings.region, local.project.hardware.region);
    return reported(context, plan, () =>
      deploy(context, local, {
        ...options,
        region,
        detach: options.detach === true,
        timeoutMs: options.timeout ?? 3_600_000,
      }),
    );
  },
  exit: (value, { detailedExitCode }) => (detailedExitCode && 'changes' in value && value.changes ? 'changes' : 'ok'),
  view: (value) => ('changes' in value ? deployPlanView(value) : endpoint(value)),
  json: {
    app: 'app name',
    project: 'project',
    runtime: 'cortex, custom or a partner',
    build: 'build id',
    status: 'how the build ended (with --detach: where it stands)',
    endpoint: 'address of the app',
    dashboard: 'its page in the dashboard',
    files: 'files sent (--dry-run: added, changed, removed)',
    bytes: 'size of the archive',
    durationsMs: 'pack, upload, build',
    exists: '--dry-run: whether the app is deployed already',
    public: '--dry-run: whether anyone may call it',
    setup: '--dry-run: hardware and replicas, defaults included',
    settings: '--dry-run: settings that would change',
    send: '--dry-run: number, size and largest of the files',
    warnings: '--dry-run: what is odd about the app',
    failedBuild: '--dry-run: how the last build failed, if it did',
    changes: '--dry-run: whether anything would change',
  },
  examples: [
    'deploy',
    'deploy --dry-run',
    'deploy --name web-staging --detach',
    'deploy --json=endpoint,build',
    'deploy --dry-run --detailed-exit-code',
  ],
});

/** On a terminal, shows the plan and asks; Enter means yes. Without a terminal, the command itself is the consent. */
async function agree({ progress, prompt }: Context, plan: DeployPlan): Promise<void> {
  progress.note(deployPlanView(plan));
  await prompt.confirm('Deploy?', { byDefault: true });
}

/** Runs the deploy and tells GitHub Actions how it ended, well or badly. */
async function reported({ env, progress, secrets }: Context, { app }: DeployPlan, work: () => Promise<Deployment>) {
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

function endpoint(done: Deployment): View {
  return () => done.endpoint;
}

/** How to go on, in a form that fits what was deployed. */
function nextStep({ app, build, status, runtime, endpoint, dashboard }: Deployment): View {
  const calls: Record<string, string> = {
    cortex: `call a function of main.py: POST ${endpoint}/<function>`,
    custom: `call your server: ${endpoint}/<path>`,
  };
  return ({ style }) =>
    [
      buildPhase(status) === 'succeeded'
        ? `${style.bold(`${app} is live`)}, build ${build}`
        : `build ${build} is ${status}; follow it: gantry builds follow ${app} ${build}`,
      endpoint
        ? (calls[runtime] ?? `call it: ${endpoint}`)
        : `the platform did not tell its address: gantry apps get ${app}`,
      dashboard && style.dim(`dashboard ${dashboard}`),
    ]
      .filter(Boolean)
      .join('\n');
}
