import type { CommandLine } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Before, lookBefore } from '../../deploys/look.ts';
import type { BuildVerification, Verification } from '../../deploys/verify.ts';
import { BuildFailedError, NotReadyError, PendingError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { followBuild } from '../builds/index.ts';
import { teamStateOf } from '../team-state/index.ts';
import type { TimeLimit } from '../waiting/index.ts';
import { type BusyPolicy, resolveBusyBuilds } from './busy-builds.ts';
import { checkPlan, type PlannedDeploy } from './check-plan.ts';
import type { CreateAppOptions } from './create-app-body.ts';
import type { Deployment, DeployOptions } from './deploy-options.ts';
import { lookAtDeployed, lookAtServing, lookBriefly } from './deployed-state.ts';
import { KnownBuild } from './known-build.ts';
import { checkLocalSource, type LocalApp } from './local-app.ts';
import { fileChecksums } from './packing-options.ts';
import { approveMove, checkDrift, type DeployPlan, type PlanOptions, planDeploy } from './plan.ts';
import { readPlanFile, writePlanFile } from './plan-file.ts';
import { recordFailure } from './record-failure.ts';
import { StuckBuilds } from './stuck-builds.ts';
import { findLiveDeployment } from './unchanged-deployment.ts';

export interface DeployAppOptions
  extends Pick<CreateAppOptions, 'logLevel' | 'disableBuildLogs'>,
    Pick<DeployOptions, 'preview'> {
  dryRun: boolean;
  /** List every file and why it is sent or not. */
  files?: true | undefined;
  /** With `dryRun`: where to write a plan. */
  savePlan?: string | undefined;
  /** A plan that the deploy must match. */
  applyPlan?: string | undefined;
  ifChanged?: true | undefined;
  ifBusy: BusyPolicy;
  keepScaling?: true | undefined;
  failOnDrift?: true | undefined;
  /** What all replicas may cost in an hour, in US dollars. */
  maxHourly?: number | undefined;
  detach?: true | undefined;
  logs: boolean;
  /** Of the preparation, the wait for other builds, and the wait for this one. */
  limit: TimeLimit;
  /** What the new build must show. */
  verification: Verification;
  /** The same deploy, waiting for other builds. */
  inTurn: CommandLine;
  /** Whether the next build is to be rolled back to this one if it is sick. */
  orRollback?: true | undefined;
  /** Compress every file again. */
  repack?: true | undefined;
  /** Asks the user. Called with what a deploy changes, unless it changes nothing. */
  confirm?: ((plan: DeployPlan) => Promise<void>) | undefined;
}

export interface PreparedDeploy {
  plan: DeployPlan;
  /** Deploys. Returns the live deployment instead if nothing has changed and `ifChanged` is set. */
  run: () => Promise<Deployment>;
}

/** Compares the app with the deployed one and asks the user; `run` of the result deploys it. */
export async function prepareDeploy(
  context: Context,
  local: LocalApp,
  options: DeployAppOptions,
): Promise<PreparedDeploy> {
  const { dryRun, ifBusy, limit, confirm } = options;
  const { files: listFiles, ifChanged = false, keepScaling = false, failOnDrift = false, repack } = options;
  if (options.maxHourly !== undefined) {
    const { checkHourlyBound } = await import('../cost/index.ts');
    await checkHourlyBound(context, local.project, { maxHourly: options.maxHourly, keepScaling });
  }
  const approved = options.applyPlan === undefined ? undefined : await readPlanFile(context, options.applyPlan);
  const compareFiles = dryRun || confirm !== undefined || ifChanged;
  const checksums = fileChecksums(context, local, repack);
  const trustRecord = ifChanged && !dryRun;
  const planOptions = { compareFiles, checksums, trustRecord, listFiles, dryRun, keepScaling };
  const stuck = new StuckBuilds(context, local.project.name);
  const plan = await planInTurn(context, local, { ...options, stuck }, planOptions);
  checkDrift(context, plan, failOnDrift);
  const sent = { ...options, keep: plan.keep, isVerified: isAsked(options.verification) };
  if (options.savePlan !== undefined) await writePlanFile(context, local, sent, options.savePlan);
  const live = ifChanged && !dryRun ? await findLiveDeployment(context, local, plan, sent, checksums) : undefined;
  if (live && options.orRollback) await (await import('./send-build.ts')).keepLive(context, local, sent, live);
  if (ifChanged && !live) await checkLocalSource(context, local);
  await checksums.save();
  if (!live && !dryRun) {
    if (!approved) approveMove(context, plan);
    await confirm?.(plan);
  }

  const recheck = async () => {
    // Files may have changed during the wait, too.
    const now = { ...local, entries: local.entries.map(({ stats: _, ...entry }) => entry) };
    const fresh = { ...planOptions, compareFiles: true, checksums: fileChecksums(context, now, repack) };
    await lookAtServing(context, plan.app);
    return findLiveDeployment(context, now, await planDeploy(context, now, fresh), sent, fresh.checksums);
  };
  let before: Before | undefined;
  const check = async (planned: PlannedDeploy) => {
    if (approved) await checkPlan(context, local, approved, planned);
    if (isAsked(options.verification)) before = await lookBefore(context, plan.app, before);
  };
  const run = async () => {
    if (live) {
      teamStateOf(context)?.shareLeft(context);
      return verified(limit.unlimited, live, plan, local, options);
    }
    const deployOptions: DeployOptions = {
      ...sent,
      ifBusy,
      limit,
      stuck,
      check,
      recheck: ifChanged ? recheck : undefined,
    };
    const { deploy } = await import('./send-build.ts');
    const deployment = await deploy(context, local, deployOptions);
    limit.handOver();
    return verified(limit.unlimited, deployment, plan, local, options, before);
  };
  return { plan, run };
}

/**
 * Plans once other builds are dealt with: they may change what this deploy compares with. Where it compares files and the app
 * is late, plans again once the app shows what serves.
 */
async function planInTurn(
  context: Context,
  local: LocalApp,
  options: DeployAppOptions & { stuck: StuckBuilds },
  planOptions: PlanOptions,
): Promise<DeployPlan> {
  const { dryRun, ifBusy, ifChanged, limit, stuck, inTurn } = options;
  // Without a comparison, this deploy waits with its own build created, so that its place in the queue is known.
  const isQueued = ifBusy === 'wait' && !ifChanged;
  const { name } = local.project;
  const resolved = dryRun || isQueued ? undefined : resolveBusyBuilds(context, name, ifBusy, { limit, stuck, inTurn });
  if (ifBusy !== 'proceed') await resolved;
  // Of a dry run, the comparison is the result.
  const look = dryRun ? lookAtDeployed : lookBriefly;
  const [plan, seen] = await Promise.all([
    planDeploy(context, local, planOptions),
    planOptions.compareFiles ? look(context, name) : undefined,
    resolved,
  ]);
  if (seen?.serving.is !== 'one-of') return plan;
  await lookAtServing(context, name);
  // Others may have started meanwhile.
  return planInTurn(context, local, options, planOptions);
}

function isAsked({ watchMs, smokeTests }: Verification): boolean {
  return watchMs !== undefined || smokeTests.length > 0;
}

/** A build may fail after it has succeeded and served: the app goes back to the one before it then. */
async function throwFailure(context: Context, { app, build, config }: BuildVerification): Promise<never> {
  try {
    await followBuild(context, { app, build, config, logs: false, timeoutMs: failureMs, startedBefore: true });
  } catch (error) {
    const hasFailed = error instanceof BuildFailedError || error instanceof NotReadyError;
    if (hasFailed) await recordFailure(context, app, build, error);
    throw error;
  }
  throw new PendingError(`build ${shortBuild(build)} of ${app} was shown as failed, and is not any more`);
}

/** How long the log of a build that has failed is waited for. */
const failureMs = 30_000;

/** An unchanged build is verified, too. */
async function verified(
  context: Context,
  deployment: Deployment,
  { setup }: DeployPlan,
  { project: config }: LocalApp,
  { verification, detach }: DeployAppOptions,
  before?: Before,
): Promise<Deployment> {
  const { app, build, changed } = deployment;
  if (!isAsked(verification) || detach) return deployment;
  const minReplicas = Number(setup.minReplicaCount ?? 0);
  const verifying = { ...verification, app, build, minReplicas, config, isNew: changed, before };
  const reason = 'whether it is healthy was not seen to the end';
  const known = new KnownBuild(context.signal, { ...deployment, reason }, verification.goOn);
  const { verifyBuild } = await import('../../deploys/verify.ts');
  const health = await known.during(async () => {
    const found = await verifyBuild(context, verifying);
    return found === 'failed' ? throwFailure(context, verifying) : found;
  });
  return { ...deployment, ...(health && { health }) };
}
