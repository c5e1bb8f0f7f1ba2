import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AppConfig } from '../../app/config.ts';
import { readAppName } from '../../app/read-app-name.ts';
import { type SampleCall, sampleArguments, sampleCallOf } from '../../app/sample-call.ts';
import {
  type Deployment,
  type DeployPlan,
  deployApp,
  deploymentFields,
  findApps,
  movedRegion,
  type Packed,
  type Prepared,
  packApp,
  prepareDeploy,
  readLocalApp,
  rememberTarget,
  worstExit,
} from '../../deploys/send/index.ts';
import { CommandLine, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { makeFolder } from '../../kernel/disk/index.ts';
import {
  type ExitName,
  GantryError,
  InterruptedError,
  NotFoundError,
  PendingError,
  throwIfAborted,
  UsageError,
} from '../../kernel/errors.ts';
import { inLane } from '../../kernel/once.ts';
import { annotatedProblems, causeOf, type FailureReason } from '../../kernel/output/failure.ts';
import { count } from '../../kernel/output/format.ts';
import { writeGithubOutputs } from '../../kernel/output/github-outputs.ts';
import type { View } from '../../kernel/output/page.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import { isFolderEmulator, targetText } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { buildPhase } from '../../platform/contract/builds.ts';
import { TimeLimit } from '../../platform/waiting/index.ts';
import { checkOutput } from '../../storage/output-files.ts';
import { defineCommand, type NextCommand } from '../command.ts';
import { type DeployFlags, deployAgain, deployFlags, flagsOfOne, planAgain } from '../flags/deploy.ts';
import { settingArguments } from '../mcp/setting-arguments.ts';
import {
  anything,
  boolean,
  document,
  integer,
  object,
  objects,
  optional,
  text,
  warningsShape,
} from '../result-schema.ts';
import { deployPlanView } from '../views/deploy-plan.ts';
import { type DeployedApps, deployedAppsView, deploymentView } from '../views/deployment.ts';
import { deployPlanFields } from '../views/deployment-fields.ts';
import { fileDecisionsView, packedFields } from '../views/file-decisions.ts';

const deployedAppsFields = {
  apps: objects('with folders: what became of each app', {
    folder: text('folder of the app'),
    app: text('app name'),
    exitCode: integer('exit code of its deploy'),
    deployment: optional(object(deploymentFields)),
    plan: optional(object(deployPlanFields)),
    error: optional(anything('why it failed, as in the JSON of a failed deploy')),
    warnings: optional(warningsShape),
  }),
  changed: boolean('with folders: whether anything has changed, or with --dry-run would change'),
};

export default defineCommand({
  configure: deployFlags,
  beforeStart: async (cwd, folders, { configFile, name }) => {
    const { loadAppConfig } = await import('../../app/config.ts');
    if (folders.length === 0) await loadAppConfig(resolve(cwd, configFile), { name, shownAs: configFile, root: cwd });
  },
  run: async (unlimited, folders, options): Promise<DeployOutcome | RawOutput> => {
    if (options.install) {
      const { letInstall } = await import('../../local/emulator/index.ts');
      await letInstall(unlimited, options);
    }
    if (folders.length > 0) return outcomeOfApps(await deployApps(unlimited, folders, options), options);
    const { output } = options;
    if (output !== undefined) return outcomeOfPacking(await packApp(unlimited, { ...options, output }));
    return options.dryRun ? deployOne(unlimited, options) : withOutputs(unlimited, options);
  },
  exit: ({ exit }) => exit,
  view: ({ text }) => text,
  data: ({ document }) => document,
  json: document(deploymentFields, deployPlanFields, deployedAppsFields, packedFields),
  formOf: ({ dryRun, output }, [folders]) => {
    if ((folders as string[]).length > 0) return document(deployedAppsFields);
    return document(output ? packedFields : dryRun ? deployPlanFields : deploymentFields);
  },
  next: ({ next }) => next,
  effect: 'changes',
  exits: ['changes', 'pending', 'build-failed', 'not-ready'],
  examples: [
    'deploy',
    'deploy --local --install',
    'deploy --if-changed --if-busy wait --watch --or-rollback',
    'deploy --dry-run --files',
    'deploy --preview --ttl 7d',
    'deploy --name web-staging --new --detach',
    'deploy --json=endpoint,build',
    'deploy --dry-run --detailed-exit-code',
    'deploy --watch --smoke /health --or-rollback',
    'deploy --dry-run -o app.zip',
    'deploy --dry-run --save-plan gantry-plan.json',
    'deploy --apply-plan gantry-plan.json',
  ],
});

/** What a deploy has come to, and how that is told. */
interface DeployOutcome {
  document: DeployPlan | Deployment | DeployedApps | Packed;
  text: View | string;
  exit: ExitName | number;
  next: NextCommand[];
}

/** Load, plan and ask, send, watch and verify, say. `known`: gets the name of the app. */
async function deployOne(
  unlimited: Context,
  options: DeployFlags,
  known: { app?: string | undefined } = {},
): Promise<DeployOutcome> {
  const { dryRun = false, timeout: typedMs, watch, savePlan } = options;
  // That of several apps is a folder, which is created.
  if (savePlan !== undefined) checkOutput(unlimited, savePlan, 'plan');
  // It compares in any case, and does not stop there.
  const ifChanged = dryRun ? undefined : options.ifChanged;
  const failure = dryRun ? 'the plan was not ready' : 'deploy did not get as far as the build';
  const limit = new TimeLimit(unlimited, { typedMs, failure });
  const { context } = limit;
  const smokeTests = options.smoke?.map((await import('../../deploys/smoke.ts')).parseSmokeTest) ?? [];
  const previews = options.preview ? await import('../../deploys/previews/index.ts') : undefined;
  const preview = await previews?.planPreview(context, { ...options, preview: options.preview ?? true });
  const outputs = [options.savePlan, options.applyPlan];
  const reading = { ...options, ...preview?.app, outputs, isPlan: dryRun };
  const local = await readLocalApp(context, reading);
  known.app = local.config.name;
  if (smokeTests.length > 0) await (await import('../../deploys/smoke.ts')).checkSmokeTests(smokeTests, local.config);
  const { maxHourly, keepScaling = false } = options;
  if (maxHourly !== undefined) {
    const { checkHourlyBound } = await import('../../insight/cost/index.ts');
    await checkHourlyBound(context, local.config, { maxHourly, keepScaling });
  }
  const prepared = await prepareDeploy(context, local, {
    ...options,
    dryRun,
    ifChanged,
    logs: !unlimited.progress.isQuiet,
    limit,
    replan: planAgain(options),
    verification: {
      watchMs: watch === true ? defaultWatchMs : watch,
      smokeTests,
      goOn: deployAgain(options, { ifChanged: true }),
      calling: async () => deployAgain(options, { ifChanged: true, smoke: [await smokeOf(local.config)] }),
    },
  });
  if (dryRun) return outcomeOfPlan(prepared.plan, options);
  if (context.prompt.isPossible && !prepared.live) await confirmPlan(context, prepared);
  await preview?.record();
  const deployment = await deployApp(prepared);
  await tell(unlimited, prepared, deployment);
  const { runtime, root } = local.config;
  // What has not changed was called before.
  const isCallable = deployment.changed && runtime === 'cortex';
  return outcomeOfDeploy(deployment, isCallable ? await sampleCallOf(root) : undefined);
}

function outcomeOfPacking(packed: Awaited<ReturnType<typeof packApp>>): DeployOutcome | RawOutput {
  if ('send' in packed) {
    const terminalFix = sentence`${gantryCommand`deploy --dry-run -o -`} > ../app.zip`;
    return new RawOutput(packed.send, { untrusted: 'bytes', terminalFix });
  }
  const text = packed.selection ? fileDecisionsView(packed.selection) : packed.file;
  return { document: packed, text, exit: 'ok', next: [] };
}

function outcomeOfPlan(plan: DeployPlan, options: DeployFlags): DeployOutcome {
  const exit = options.detailedExitCode && plan.changed ? 'changes' : 'ok';
  return { document: plan, text: deployPlanView(plan), exit, next: afterPlans(options, [plan]) };
}

function outcomeOfApps(deployed: DeployedApps, options: DeployFlags): DeployOutcome {
  const { apps } = deployed;
  const failed = apps.flatMap(({ folder, error }) => (error ? [folder] : []));
  const goOn = {
    line: deployAgain(options, { ifChanged: true }, failed),
    when: 'to deploy the failed ones once they are fixed',
  };
  const plans = apps.flatMap(({ plan }) => plan ?? []);
  // What would not change is not deployed again; each plan that was saved is applied.
  const planned = apps.flatMap(({ folder, plan }) => (plan?.changed || options.savePlan ? [folder] : []));
  const toDeploy = failed.length > 0 ? [] : afterPlans(options, plans, planned);
  return {
    document: deployed,
    text: deployedAppsView(deployed),
    exit: worstExit(apps.map(({ exitCode }) => exitCode)),
    next: options.dryRun ? toDeploy : failed.length > 0 ? [goOn] : [],
  };
}

function outcomeOfDeploy(deployment: Deployment, call: SampleCall | undefined): DeployOutcome {
  const { app, build, status, endpoint } = deployment;
  const logs = { line: gantryCommand`logs ${app}`, when: 'to see its log' };
  const following = { line: gantryCommand`logs ${app} --build ${build} -f`, when: 'to follow it' };
  const calling = call ? [{ line: gantryCommand`invoke ${app} ${sampleArguments(call)}`, when: 'to call it' }] : [];
  const next = buildPhase(status) === 'succeeded' ? [...calling, logs] : [following];
  return { document: deployment, text: endpoint, exit: 'ok', next };
}

/** What deploys what was planned. What moves an app is asked for; nobody may be there to be asked. */
function afterPlans(options: DeployFlags, plans: readonly DeployPlan[], folders: string[] = []): NextCommand[] {
  const older = options.older || plans.some((plan) => plan.older) || undefined;
  const { argv } = deployAgain(options, { older }, folders);
  const { savePlan } = options;
  if (savePlan !== undefined)
    return [{ line: new CommandLine([...argv, '--apply-plan', savePlan]), when: 'to apply the plan' }];
  const yes = plans.some(movedRegion) ? ['--yes'] : [];
  const isNeeded = plans.some(({ changed }) => changed);
  return isNeeded ? [{ line: new CommandLine([...argv, ...yes]), when: 'to deploy it' }] : [];
}

const defaultWatchMs = 120_000;

/** What a healthy app may answer: a function with made-up arguments, or a path. */
async function smokeOf({ runtime, root, custom }: AppConfig): Promise<string> {
  const call = runtime === 'cortex' ? await sampleCallOf(root) : undefined;
  if (!call) return custom?.healthcheck_endpoint ?? custom?.readycheck_endpoint ?? '/';
  const { function: name, parameters } = call;
  return Object.keys(parameters).length === 0 ? name : `${name}=${JSON.stringify(parameters)}`;
}

const deploysAtOnce = 4;

/** Each app is deployed as by a command line of its own. On a terminal, all of their plans are shown first. */
async function deployApps(context: Context, folders: string[], options: DeployFlags): Promise<DeployedApps> {
  const { cwd, progress, prompt, signal, target } = context;
  const { name, events, output, savePlan, applyPlan } = options;
  if (name ?? events ?? output) {
    const [folder = '.', ...others] = folders;
    const alone = new CommandLine(['gantry', 'deploy', '-C', folder, ...flagsOfOne(options, {})]);
    const fix = others.length > 0 ? 'name one app' : alone;
    throw new UsageError('--name, --output and --events are for one app', { fix });
  }
  if (applyPlan !== undefined && !existsSync(resolve(cwd, applyPlan)))
    throw new NotFoundError(`no plans in ${applyPlan}: there is no such folder`, { fix: planAgain(options, folders) });
  const { callCommand } = await import('../mcp/call.ts');
  const apps = await findApps(context, folders, options.configFile);
  const named = `project ${targetText(target)}`;
  const deployEach = async (flags: DeployFlags): Promise<DeployedApps> => {
    const done: DeployedApps['apps'][number][] = [];
    await inLane(deploysAtOnce, apps.entries(), async ([at, { folder, app }]) => {
      // Said above, for all of them.
      const onLine = (line: string) => line === named || progress.relay(`${app}: ${line}`);
      const { code, stdout } = await callCommand(context, lineOf(context, { folder, app }, flags), { signal, onLine });
      const { next: _, ...shown } = JSON.parse(`${stdout}`);
      if (shown.error) for (const problem of annotatedProblems(shown)) progress.annotate(problem, folder);
      const result = shown.error ? shown : { [flags.dryRun ? 'plan' : 'deployment']: shown };
      done[at] = { folder, app, exitCode: code, ...result };
    });
    return { apps: done, changed: done.some(({ deployment, plan }) => (deployment ?? plan)?.changed === true) };
  };
  context.interruption.message = `stopping ${count(apps.length, 'deploy')}`;
  if (savePlan !== undefined) makeFolder(resolve(cwd, savePlan));
  if (prompt.isPossible && !prompt.isConfirmed && !options.dryRun && !isFolderEmulator(target)) {
    progress.note(deployedAppsView(await deployEach({ ...options, dryRun: true })));
    await prompt.confirm(`Deploy ${count(apps.length, 'app')}?`, { byDefault: true });
  }
  const deployed = await deployEach(options);
  throwIfAborted(signal);
  return deployed;
}

function lineOf(context: Context, { folder, app }: { folder: string; app: string }, flags: DeployFlags): string[] {
  const { cwd, prompt, progress } = context;
  const planOf = (place?: string) => place && join(resolve(cwd, place), `${app}.json`);
  const appFlags = flagsOfOne(flags, { savePlan: planOf(flags.savePlan), applyPlan: planOf(flags.applyPlan) });
  const asked = [prompt.isConfirmed ? '--yes' : [], progress.isQuiet ? '--quiet' : []].flat();
  const configFile = flags.configFile === 'cerebrium.toml' ? [] : ['--config-file', flags.configFile];
  // As it was typed, if it was typed in this folder: it is in each command that is shown.
  const at = ['-C', context.flags.cwd === undefined ? folder : resolve(cwd, folder), ...configFile];
  return ['deploy', ...settingArguments(context), ...at, ...appFlags, ...asked, '--json'];
}

/** Asks on a terminal only: without one, running the command is the consent, as it is on the emulator of this folder. */
async function confirmPlan({ target, progress, prompt }: Context, { plan, questions }: Prepared) {
  if (isFolderEmulator(target)) return;
  progress.note(deployPlanView(plan));
  for (const { text } of questions) await prompt.confirm(text);
  const question = plan.changed ? 'Deploy?' : 'Nothing has changed. Deploy again?';
  if (questions.length === 0) await prompt.confirm(question, { byDefault: true });
}

/** What is deployed: this folder and a pipeline are told. */
async function tell(context: Context, { options }: Prepared, done: Deployment): Promise<void> {
  const { env, progress, secrets } = context;
  const { app, build, status, endpoint, dashboard, notStarted } = done;
  await remember(context, app, options);
  const built = { 'build-id': build, status, 'build-status': status };
  writeGithubOutputs(env, { app, ...built, endpoint, 'dashboard-url': dashboard }, secrets);
  progress.note(deploymentView(done));
  if (!notStarted) return;
  const calls = notStarted.calls === 'simulated' ? 'simulated' : 'refused with 501';
  const message = `${app} was not started: its calls are ${calls}`;
  progress.warn({ severity: 'warning', message, why: notStarted.reason });
}

/** The folder remembers how to start the emulator again that it went to. */
async function remember(context: Context, app: string, { preview }: { preview?: unknown }): Promise<void> {
  const { platform, address } = context.target;
  const isEmulator = platform.value === 'emulator';
  const emulator = isEmulator && (await import('../../local/emulator/index.ts')).findEmulatorAt(context, address);
  await rememberTarget(context, {
    app,
    isPreview: Boolean(preview),
    ...(emulator && { dataFolder: emulator.dataFolder ?? null }),
  });
}

/** However else it ends, before anything is sent or after: they are told, too. */
async function withOutputs(context: Context, options: DeployFlags): Promise<DeployOutcome> {
  const { cwd, env, secrets } = context;
  const { configFile, name } = options;
  const facts = { app: name };
  try {
    return await deployOne(context, options, facts);
  } catch (error) {
    const { details = {}, why, fix } = error instanceof GantryError ? error.facts : {};
    const { build = '', status = '', verdict, dashboard = '', log = [], ...told } = details as DeployFailure;
    const named = facts.app ?? (await readAppName(resolve(cwd, configFile), configFile));
    const app = typeof named === 'string' ? named : '';
    // The app exists there, and is looked for there.
    if (build !== '') await remember(context, app, options);
    const { message } = error as Error;
    const cause = causeOf(message, { ...(log.length === 0 && { reason: why }), ...told });
    const built = { 'build-id': build, status: outcomeOf(error, status, verdict), 'build-status': status };
    const outputs = { app, ...built, endpoint: '', 'dashboard-url': dashboard };
    writeGithubOutputs(env, outputs, secrets, { message, ...cause, fix: cause.fix ?? fix?.toString(), log });
    throw error;
  }
}

/** How a deploy ended without success: the status of its build only if that is why. */
function outcomeOf(error: unknown, status: string, verdict: string | undefined): string {
  if (verdict !== undefined) return verdict === 'sick' ? 'failed' : verdict;
  if (buildPhase(status) === 'failed') return status;
  if (error instanceof InterruptedError) return 'interrupted';
  if (error instanceof PendingError) return 'pending';
  return status === '' ? 'failed' : 'unknown';
}

interface DeployFailure extends FailureReason {
  build?: string;
  status?: string;
  /** On a build that was watched or called. */
  verdict?: string;
  dashboard?: string;
  log?: string[];
}
