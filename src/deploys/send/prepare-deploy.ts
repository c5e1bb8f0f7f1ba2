import { relative } from 'node:path';
import { throwOnError } from '../../app/app-source.ts';
import type { AppConfig } from '../../app/config.ts';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { CommandLine } from '../../kernel/command-line.ts';
import { type GantryError, PendingError, type Problem } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { contextWith, type TimeLimit, tryRequest } from '../../platform/waiting/index.ts';
import { followBuild } from '../builds/index.ts';
import type { Here } from '../commit-files.ts';
import { type BeforeStep, beforeTable, firstRowAsked, readyTable } from '../decide.ts';
import { findCommit, whyOlder } from '../identity.ts';
import { observe, settle } from '../observe.ts';
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
import { checkDrift, compareWithLive, type DeployPlan, planDeploy } from './plan.ts';
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

/** Variables that are no secret of the project or the app. Asks nothing if the code needs none. */
export async function checkSecrets({ seen }: Pick<LocalApp, 'seen'>, read: ReadSecrets): Promise<Problem[]> {
  if (!seen?.needed.length) return [];
  const secrets = await read();
  return secrets ? seen.secretProblems(Object.keys(secrets)) : [];
}

function refuse({ progress }: Context, problems: readonly Problem[]): void {
  for (const problem of problems) if (problem.severity === 'warning') progress.warn(problem);
  throwOnError(problems);
}

/** Beside all that is asked before the upload. An emulator installs nothing. */
const unresolvable = async ({ env, target }: Context, local: LocalApp, signal: AbortSignal): Promise<Problem[]> =>
  target.platform.value === 'emulator' ? [] : checkPackages({ env, signal }, local, { timeoutMs: 5_000 });

/** Compares with the deployed app and asks the user; `run` deploys, or returns what is equal and serves. */
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
  const { dryRun, ifChanged, confirm, verification, limit, replan, failOnDrift = false } = options;
  const readSecrets = () => trySecretsOf(context, local.project.name);
  const secrets = once(readSecrets);
  refuse(context, await checkSecrets(local, secrets));
  let asked = unresolvable(context, local, signal);
  const approved = options.applyPlan === undefined ? undefined : await readPlanFile(context, options.applyPlan, replan);
  const here = { app: local.project.name, configFile: relative(context.cwd, local.project.file) };
  const stuck = new StuckBuilds(context, here.app);
  const { plan, live } = await decide(context, local, options, { here, stuck, approved, secrets });
  checkDrift(context, plan, failOnDrift);
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
    // Before a question about an app: nobody can create one in a project that does not exist.
    if (questions.length > 0 && plan.exists === false) await context.api(listApps, { project: context.project });
    refuseUnanswered(context, questions);
    await confirm?.(plan, questions);
  }

  let before: Before | undefined;
  const check = async (planned: PlannedDeploy) => {
    const broken = approved && (await whyNotAsPlanned(context, local, { plan: approved, replan }, planned));
    const error = broken ?? (planned.created === undefined ? undefined : await whyOlderHere(context, here, options));
    if (error) throw error;
    if (isAsked(verification)) before = await lookBefore(context, plan.app, before);
  };
  const recheck = async () => {
    // Files may have changed during the wait, too.
    const entries = local.entries.map(({ stats: _, ...entry }) => entry);
    const again = { ...local, entries, checksums: new FileChecksums() };
    return (await decide(context, again, options, { here, stuck, approved, secrets: readSecrets, isInTurn: true }))
      .live;
  };
  const run = async () => {
    if (live) teamStateOf(context)?.shareLeft(context);
    const turn = options.ifBusy === 'wait' ? { stuck, recheck: ifChanged && recheck } : undefined;
    const deployOptions = { ...sent, limit, check, secrets, turn };
    const deployment = live ?? (await (await import('./send-build.ts')).deploy(context, local, deployOptions));
    if (!live) limit.handOver();
    const done = await finish(limit.unlimited, deployment, { ...options, plan, config: local.project, before });
    return { ...done, ...(await findCommit(limit.unlimited, here, done.build)) };
  };
  return { plan, run };
}

interface Decided {
  plan: DeployPlan;
  /** What serves, if it is not sent. */
  live?: Deployment | undefined;
}

/** What a deploy knows besides the app and its flags. */
interface Deciding {
  here: Here;
  stuck: StuckBuilds;
  approved: Plan | undefined;
  secrets: ReadSecrets;
  /** It has created its build, and waited for those before it: what it compares with may have changed. */
  isInTurn?: true;
}

/** Goes through the table of what comes before sending. `isAlone`: it waits for no other builds, or has dealt with them. */
async function decide(
  context: Context,
  local: LocalApp,
  options: DeployAppOptions,
  deciding: Deciding,
  isAlone = options.dryRun || deciding.isInTurn,
): Promise<Decided> {
  const { dryRun, ifBusy, limit, inTurn, files: listFiles, keepScaling = false, replan } = options;
  const { here, stuck, approved, secrets } = deciding;
  const { app: name } = here;
  const ifChanged = !dryRun && options.ifChanged === true;
  const compareFiles = dryRun || options.confirm !== undefined || ifChanged;
  const findBusy = once(() => findBusyBuilds(context, name, ifBusy, stuck));
  // Only noted, beside all the rest.
  const noted = ifBusy === 'proceed' && !isAlone && findBusy();
  // Without a comparison, this deploy waits with its own build created, so that its place in the queue is known.
  const waitsLater = ifBusy === 'proceed' || (ifBusy === 'wait' && !ifChanged);
  const busy = async () => (isAlone || waitsLater ? [] : findBusy());
  // Of a dry run, the comparison is the result.
  const observeApp = () =>
    dryRun ? observe(context, name) : tryRequest(context, (api) => observe(contextWith(context, { api }), name));
  const look = once(async () => {
    const planOptions = { compareFiles, trustRecord: ifChanged, listFiles, dryRun, keepScaling };
    const [planned, tried] = await Promise.all([
      planDeploy(context, local, planOptions),
      compareFiles ? observeApp() : undefined,
      noted,
    ]);
    // Why the app cannot be looked at is an error, where nothing is sent without that.
    const reading = tried ?? (ifChanged && planned.plan.exists ? await settle(context, name) : undefined);
    return { planned, reading, sent: { ...options, keep: planned.plan.keep } };
  });
  const compare = once(async () => {
    const { planned, reading, sent } = await look();
    return compareWithLive(context, planned, { reading, secrets }, sent);
  });
  // What is sent is compared with the plan before its upload.
  const whyBroken = once(async () => {
    if (!approved || !ifChanged || (await compare()).difference !== 'equal') return undefined;
    return whyOtherApp(context, local, { plan: approved, replan }, (await look()).sent);
  });
  const whyOld = once(async () => {
    const [older, { planned }] = await Promise.all([whyOlderHere(context, here, options), look()]);
    planned.plan.older = older !== undefined;
    if (older && dryRun) context.progress.warn(`${older.message}: a deploy needs --older`);
    return dryRun ? undefined : older;
  });
  const step = await firstRowAsked(beforeTable, {
    others: async () => ((await busy()).length > 0 ? 'in progress' : 'none'),
    ifBusy,
    serving: async () => servingFacts[(await look()).reading?.serving.is ?? 'unknown'],
    compares: yesNo(compareFiles),
    ifChanged: yesNo(ifChanged),
    plan: async () => ((await whyBroken()) ? 'broken' : 'holds'),
    commit: async () => ((await whyOld()) ? 'older' : 'not older'),
    difference: async () => (await compare()).difference,
    health: async () => (await compare()).health,
    verifies: yesNo(isAsked(options.verification)),
  });
  const stops: Partial<Record<BeforeStep, () => Promise<GantryError | undefined>>> = {
    'stop: others': async () => busyError(name, await busy(), inTurn),
    'stop: older': whyOld,
    'stop: not as planned': whyBroken,
  };
  const error = await stops[step]?.();
  if (error) throw error;
  const waits: Partial<Record<BeforeStep, () => Promise<unknown>>> = {
    'cancel others': async () => cancelBusyBuilds(context, name, await busy()),
    'wait for others': () => waitForBuilds(context, name, { limit, stuck }),
    'wait for the app': () => settle(context, name),
  };
  const wait = waits[step];
  if (wait) {
    await wait();
    // Others may have started while the app was waited for.
    return decide(context, local, options, deciding, step !== 'wait for the app' || undefined);
  }
  const { plan } = (await look()).planned;
  // Of what the plan does not show, such as secrets and modes of files.
  const compared = ifChanged || (compareFiles && !plan.changed) ? await compare() : undefined;
  const { difference = 'equal', because = '', live } = compared ?? {};
  plan.changed ||= difference !== 'equal';
  const would = difference === 'equal' ? 'send it again' : 'change that';
  const isSent = step === 'send';
  if (because !== '' && (isSent || !ifChanged))
    context.progress.note(`${because}: ${ifChanged ? 'deploying' : `a deploy would ${would}`}`);
  return { plan, live: isSent ? undefined : live };
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
  const minReplicas = Number(plan.setup.minReplicaCount);
  const about = { ...verification, app, build, minReplicas, config, isNew: changed, before };
  const { status, dashboard } = deployment;
  const deployed = { reason: 'whether it is healthy was not seen to the end', goOn: verification.goOn };
  const verify = once(async () => (await import('../verify.ts')).verifyBuild(context, about));
  const goOn = async () => {
    const step = await firstRowAsked(readyTable, {
      serving: serves === undefined ? 'ours' : 'another',
      verifies: yesNo(isAsked(verification)),
      health: async () => (await verify()).finding,
      orRollback: yesNo(rollBack !== undefined),
    });
    if (step === 'stop: failed') return throwFailure(context, about);
    if (step === 'stop: replaced, not verified' && serves !== undefined)
      throw await (await import('../verify.ts')).wasReplaced(context, about, serves);
    if (step === 'stop: live' || step === 'stop: replaced') return deployment;
    const { error, explained, health } = await verify();
    if (step === 'roll back' && rollBack && error) return rollBack(error, explained);
    await explained;
    if (error) throw error;
    return { ...deployment, ...(health && { health }) };
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
    await recordFailure(context, app, build, error);
    throw error;
  }
  throw new PendingError(`build ${shortBuild(build)} of ${app} was shown as failed, and is not any more`);
}

/** How long the log of a build that has failed is waited for. */
const failureMs = 30_000;
