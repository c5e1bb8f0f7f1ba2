import { relative } from 'node:path';
import { throwOnError } from '../../app/app-source.ts';
import type { AppConfig } from '../../app/config.ts';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { CommandLine } from '../../kernel/command-line.ts';
import { BuildFailedError, type GantryError, NotReadyError, PendingError, type Problem } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { Build } from '../../platform/contract/builds.ts';
import { contextWith, type TimeLimit, tryRequest } from '../../platform/waiting/index.ts';
import { followBuild } from '../builds/index.ts';
import type { Here } from '../commit-files.ts';
import { type BeforeFacts, type BeforeStep, beforeSending, onceReady, type ReadyFacts } from '../decide.ts';
import { findCommit, whyOlder } from '../identity.ts';
import { type AppReading, observe, settle } from '../observe.ts';
import { type Before, lookBefore } from '../observed.ts';
import { teamStateOf } from '../team-state/index.ts';
import type { BuildVerification, Verification } from '../verify.ts';
import type { CreateAppOptions } from './app-settings.ts';
import { type Question, questionsOf, refuseUnanswered } from './ask.ts';
import {
  type BusyPolicy,
  busyError,
  cancelBusyBuilds,
  findBusyBuilds,
  StuckBuilds,
  waitForBuilds,
} from './busy-builds.ts';
import { type Deployment, type DeployOptions, type ReadSecrets, trySecretsOf } from './deploy-record.ts';
import { checkLocalSource, checkPackages, type LocalApp } from './local-app.ts';
import { type Compared, checkDrift, compareWithLive, type DeployPlan, type Planned, planDeploy } from './plan.ts';
import {
  type Plan,
  type PlannedDeploy,
  readPlanFile,
  whyNotAsPlanned,
  whyOtherApp,
  writePlanFile,
} from './plan-file.ts';
import { recordFailure, tellOnFailure } from './what-serves.ts';

interface DeployAppOptions
  extends Pick<CreateAppOptions, 'logLevel' | 'disableBuildLogs'>,
    Pick<DeployOptions, 'preview'> {
  dryRun: boolean;
  files?: true | undefined;
  /** With `dryRun`: where to write a plan. */
  savePlan?: string | undefined;
  /** A plan that the deploy must match. */
  applyPlan?: string | undefined;
  ifChanged?: true | undefined;
  ifBusy: BusyPolicy;
  keepScaling?: true | undefined;
  failOnDrift?: true | undefined;
  detach?: true | undefined;
  logs: boolean;
  /** Of the preparation, the wait for other builds, and the wait for this one. */
  limit: TimeLimit;
  /** What the new build must show. */
  verification: Verification;
  /** The same deploy, waiting for other builds. */
  inTurn: CommandLine;
  /** Deploy an older commit than the one that serves, too; and the line that says so. */
  older?: true | undefined;
  anyway: CommandLine;
  /** The line that makes the plan of `applyPlan` anew. */
  replan: CommandLine;
  /** Returns to the build before a sick one. Throws the error of that one, with what became of it. */
  rollBack?: ((error: GantryError, explained: Promise<void> | undefined) => Promise<never>) | undefined;
  /** Whether an app of another name than this folder has deployed is to be created. */
  new?: true | undefined;
  /** Asks the user. Called with what a deploy changes, unless it changes nothing. */
  confirm?: ((plan: DeployPlan, questions: readonly Question[]) => Promise<void>) | undefined;
}

/**
 * Variables that the code reads and that neither the project nor the app has as a secret. Asks nothing if the code needs none,
 * and leaves to the app what the platform does not tell.
 */
export async function checkSecrets({ seen }: Pick<LocalApp, 'seen'>, read: ReadSecrets): Promise<Problem[]> {
  const secrets = seen && seen.needed.length > 0 ? await read() : undefined;
  return secrets && seen ? seen.secretProblems(Object.keys(secrets)) : [];
}

function refuse({ progress }: Context, problems: readonly Problem[]): void {
  for (const problem of problems) if (problem.severity === 'warning') progress.warn(problem);
  throwOnError(problems);
}

/** Beside all that is asked before the upload. An emulator installs nothing. */
const unresolvable = async ({ env, target }: Context, local: LocalApp, signal: AbortSignal): Promise<Problem[]> =>
  target.platform.value === 'emulator' ? [] : checkPackages({ env, signal }, local, { timeoutMs: 5_000 });

/**
 * Compares the app with the deployed one and asks the user; `run` of the result deploys it. That returns the live deployment
 * instead if nothing has changed and `ifChanged` is set.
 */
export async function prepareDeploy(context: Context, local: LocalApp, options: DeployAppOptions) {
  // A deploy that ends early does not wait for a program that it has asked.
  const asking = new AbortController();
  try {
    return await prepare(context, local, options, AbortSignal.any([context.signal, asking.signal]));
  } finally {
    asking.abort();
  }
}

async function prepare(context: Context, local: LocalApp, options: DeployAppOptions, signal: AbortSignal) {
  const { dryRun, ifChanged, confirm, verification, limit, replan } = options;
  const readSecrets = () => trySecretsOf(context, local.project.name);
  let known: ReturnType<ReadSecrets> | undefined;
  const secrets: ReadSecrets = () => {
    known ??= readSecrets();
    return known;
  };
  refuse(context, await checkSecrets(local, secrets));
  let asked = unresolvable(context, local, signal);
  const approved = options.applyPlan === undefined ? undefined : await readPlanFile(context, options.applyPlan, replan);
  const here = { app: local.project.name, configFile: relative(context.cwd, local.project.file) };
  const stuck = new StuckBuilds(context, here.app);
  const { plan, facts, live } = await decide(context, local, options, { here, stuck, approved, secrets });
  checkDrift(context, plan, options.failOnDrift ?? false);
  const sent = { ...options, keep: plan.keep };
  const { savePlan: file } = options;
  if (file !== undefined) await writePlanFile(context, local, { options: sent, file });
  if (ifChanged && !live) {
    await checkLocalSource(context, local);
    asked = unresolvable(context, local, signal);
    refuse(context, await checkSecrets(local, secrets));
  }
  if (!live) refuse(context, await asked);
  await local.checksums.save();
  if (!live && !dryRun) {
    const isMeant = options.new === true || options.preview !== undefined;
    const questions = approved ? [] : questionsOf(context, plan, isMeant);
    refuseUnanswered(context, questions);
    await confirm?.(plan, questions);
  }

  let before: Before | undefined;
  const check = async (planned: PlannedDeploy) => {
    const broken = approved && (await whyNotAsPlanned(context, local, { plan: approved, replan }, planned));
    const older = broken || planned.created === undefined ? undefined : await whyOlderHere(context, here, options);
    const commit = older ? 'older' : 'not older';
    const step = beforeSending({ ...facts, plan: broken ? 'broken' : 'holds', commit });
    if (broken && step === 'stop: not as planned') throw broken;
    if (older && step === 'stop: older') throw older;
    if (isAsked(verification)) before = await lookBefore(context, plan.app, before);
  };
  const recheck = async () => {
    // Files may have changed during the wait, too.
    const entries = local.entries.map(({ stats: _, ...entry }) => entry);
    const again = { ...local, entries, checksums: new FileChecksums() };
    return (await decide(context, again, options, { here, stuck, approved, secrets: readSecrets }, true)).live;
  };
  const run = async () => {
    if (live) teamStateOf(context)?.shareLeft(context);
    const deployOptions = { ...sent, limit, stuck, check, secrets, recheck: ifChanged ? recheck : undefined };
    const deployment = live ?? (await (await import('./send-build.ts')).deploy(context, local, deployOptions));
    if (!live) limit.handOver();
    const done = await finish(limit.unlimited, deployment, { ...options, plan, config: local.project, before });
    return { ...done, ...(await findCommit(limit.unlimited, here, done.build)) };
  };
  return { plan, run };
}

interface Decided {
  plan: DeployPlan;
  /** When it was decided: what is looked at again before the upload replaces some. */
  facts: BeforeFacts;
  /** What serves, if it is not sent. */
  live?: Deployment | undefined;
}

/**
 * Goes through the table of what comes before sending: each act finds out what the next row needs. `hasWaited`: for other
 * builds, which may have changed what this deploy compares with.
 */
async function decide(
  context: Context,
  local: LocalApp,
  options: DeployAppOptions,
  {
    here,
    stuck,
    approved,
    secrets,
  }: { here: Here; stuck: StuckBuilds; approved: Plan | undefined; secrets: ReadSecrets },
  hasWaited = false,
): Promise<Decided> {
  const { dryRun, ifBusy, limit, inTurn, files: listFiles, keepScaling = false } = options;
  const ifChanged = !dryRun && options.ifChanged === true;
  const compareFiles = dryRun || options.confirm !== undefined || ifChanged;
  const planOptions = { compareFiles, trustRecord: ifChanged, listFiles, dryRun, keepScaling };
  const { app: name } = here;
  // Without a comparison, this deploy waits with its own build created, so that its place in the queue is known.
  const others = dryRun || hasWaited || (ifBusy === 'wait' && !ifChanged) ? 'none' : 'not asked';
  let noted: Promise<unknown> | undefined;
  let busy: readonly Build[] = [];
  let seen: { planned: Planned; reading: AppReading | undefined } | undefined;
  let compared: Compared | undefined;
  let older: GantryError | undefined;
  let broken: GantryError | undefined;
  const facts: BeforeFacts = {
    ...{ others, ifBusy, serving: 'not asked', plan: 'none', commit: 'not asked' },
    ...{ compares: yesNo(compareFiles), ifChanged: yesNo(ifChanged) },
    ...{ difference: 'not asked', health: 'not sick', verifies: yesNo(isAsked(options.verification)) },
  };
  const look = async () => {
    // Of a dry run, the comparison is the result.
    const observeApp = () =>
      dryRun ? observe(context, name) : tryRequest(context, (api) => observe(contextWith(context, { api }), name));
    const [planned, reading] = await Promise.all([
      planDeploy(context, local, planOptions),
      compareFiles ? observeApp() : undefined,
      noted,
    ]);
    seen = { planned, reading };
    facts.serving = reading ? servingFacts[reading.serving.is] : 'not known';
    return seen;
  };
  const compare = async () => {
    const { planned, reading } = seen ?? (await look());
    const sent = { ...options, keep: planned.plan.keep };
    compared = await compareWithLive(context, planned, { reading, secrets }, sent);
    // What is sent is compared with the plan before its upload.
    const isEqual = approved && compared.difference === 'equal';
    broken = isEqual ? await whyOtherApp(context, local, { plan: approved, replan: options.replan }, sent) : undefined;
    return compared;
  };
  const acts: Partial<Record<BeforeStep, () => Promise<Partial<BeforeFacts>>>> = {
    'look for others': async () => {
      const finding = findBusyBuilds(context, name, ifBusy, stuck);
      // Only noted, beside all the rest.
      if (ifBusy === 'proceed') noted = finding;
      else busy = await finding;
      return { others: busy.length > 0 ? 'in progress' : 'none' };
    },
    'stop: others': async () => {
      throw busyError(name, busy, inTurn);
    },
    'cancel others': async () => {
      await cancelBusyBuilds(context, name, busy);
      return { others: 'none' };
    },
    'wait for others': async () => {
      await waitForBuilds(context, name, { limit, stuck });
      return { others: 'none' };
    },
    'look at the app': async () => {
      await look();
      return {};
    },
    'wait for the app': async () => {
      await settle(context, name);
      // Others may have started meanwhile.
      return { serving: 'not asked', others };
    },
    'compare commits': async () => {
      const [found, { planned }] = await Promise.all([whyOlderHere(context, here, options), seen ?? look()]);
      older = found;
      planned.plan.older = older !== undefined;
      if (older && dryRun) context.progress.warn(`${older.message}: a deploy needs --older`);
      return { commit: older && !dryRun ? 'older' : 'not older' };
    },
    'stop: older': async () => {
      throw older;
    },
    compare: async () => {
      const { difference, health, serving = facts.serving } = await compare();
      return { difference, health, serving, ...(broken && { plan: 'broken' as const }) };
    },
    'stop: not as planned': async () => {
      throw broken;
    },
  };
  for (;;) {
    const step = beforeSending(facts);
    const act = acts[step];
    if (act) Object.assign(facts, await act());
    else {
      const { plan } = (seen ?? (await look())).planned;
      // Of what the plan does not show, such as secrets and modes of files.
      if (compareFiles && !plan.changed) compared ??= await compare();
      plan.changed ||= compared !== undefined && compared.difference !== 'equal';
      const isSent = ifChanged ? step === 'send' : compared?.because;
      const would = compared?.difference === 'equal' ? 'send it again' : 'change that';
      if (compared && isSent)
        context.progress.note(`${compared.because}: ${ifChanged ? 'deploying' : `a deploy would ${would}`}`);
      return { plan, facts, live: step === 'send' ? undefined : compared?.live };
    }
  }
}

async function whyOlderHere(context: Context, here: Here, { older, anyway }: DeployAppOptions) {
  return older ? undefined : whyOlder(context, here, anyway);
}

const servingFacts = { none: 'none', one: 'one', 'one-of': 'one of', unknown: 'not known' } as const;

interface Finishing extends Pick<DeployAppOptions, 'verification' | 'detach' | 'rollBack'> {
  plan: DeployPlan;
  config: AppConfig;
  before: Before | undefined;
}

/** Goes through the table of what follows once a build is ready. An unchanged build is verified, too. */
async function finish(context: Context, deployment: Deployment, options: Finishing): Promise<Deployment> {
  const { verification, detach, plan, config, before, rollBack } = options;
  const { app, build, changed, serves } = deployment;
  if (detach) return deployment;
  const minReplicas = Number(plan.setup.minReplicaCount ?? 0);
  const about = { ...verification, app, build, minReplicas, config, isNew: changed, before };
  const { status, dashboard } = deployment;
  const deployed = { reason: 'whether it is healthy was not seen to the end', goOn: verification.goOn };
  const facts: ReadyFacts = {
    ...{ serving: serves === undefined ? 'ours' : 'another', time: 'over', verifies: yesNo(isAsked(verification)) },
    ...{ health: 'not asked', orRollback: yesNo(rollBack !== undefined) },
  };
  const goOn = async () => {
    const first = onceReady(facts);
    const verifying = first === 'verify' ? (await import('../verify.ts')).verifyBuild(context, about) : undefined;
    const { finding: health, error, explained, health: seen } = (await verifying) ?? {};
    const step = health ? onceReady({ ...facts, health }) : first;
    if (step === 'stop: failed') return throwFailure(context, about);
    if (step === 'roll back' && rollBack && error) return rollBack(error, explained);
    if (step === 'stop: replaced, not verified' && serves !== undefined)
      throw await (await import('../verify.ts')).wasReplaced(context, about, serves);
    await explained;
    if (error) throw error;
    return { ...deployment, ...(seen && { health: seen }) };
  };
  return tellOnFailure(context.signal, { app, build, status, dashboard }, goOn, deployed);
}

function isAsked({ watchMs, smokeTests }: Verification): boolean {
  return watchMs !== undefined || smokeTests.length > 0;
}

function yesNo(is: boolean): 'yes' | 'no' {
  return is ? 'yes' : 'no';
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
