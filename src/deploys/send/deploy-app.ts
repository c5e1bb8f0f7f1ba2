import { relative } from 'node:path';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { CommandLine } from '../../kernel/command-line.ts';
import { ConflictError, GantryError, InputNeededError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { readFolderTarget } from '../../platform/config/folder-target.ts';
import { isFolderEmulator } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { type Build, listBuilds } from '../../platform/contract/builds.ts';
import { isRefusal, tryRequest, unless, unlessMissing } from '../../platform/waiting/index.ts';
import type { Here } from '../commit-files.ts';
import { findCommit, whyOlder } from '../commit-of-build.ts';
import { type BeforeFacts, type BeforeStep, beforeTable, firstRowAsked, readyTable, type ToAsk } from '../decide.ts';
import { type AppReading, readingOf, settle } from '../observe.ts';
import { teamStateOf } from '../team-state/index.ts';
import type { Verification } from '../verify.ts';
import { type ReadSecrets, trySecretsOf } from './app-secrets.ts';
import type { MadeSettings } from './app-settings.ts';
import {
  type BusyPolicy,
  busyError,
  cancelBusyBuilds,
  isBusy,
  noteBusyBuilds,
  waitForBuilds,
  whichCanStart,
} from './busy-builds.ts';
import type { Deployment } from './deploy-record.ts';
import { tellOnFailure } from './failed-build.ts';
import type { GivenPlan, Guard } from './guard.ts';
import { checkToSend, type LocalApp } from './local-app.ts';
import {
  type Compared,
  checkDrift,
  compareWithLive,
  type DeployPlan,
  type PlanOptions,
  planDeploy,
  readDeployedApp,
} from './plan.ts';
import type { SendOptions, Sent } from './send-build.ts';

/** What was asked for. */
export interface DeployAppOptions
  extends Omit<PlanOptions, 'compares'>,
    Pick<SendOptions, 'detach' | 'logs' | 'limit'> {
  configFile: string;
  /** With `dryRun`: where to write a plan. */
  savePlan?: string | undefined;
  /** A plan that the deploy must match. */
  applyPlan?: string | undefined;
  ifBusy: BusyPolicy;
  failOnDrift?: true | undefined;
  /** What was typed for it, in ms. */
  timeout?: number | undefined;
  /** What the new build must show. */
  verification: Verification;
  /** Whether an older commit than the one that serves is deployed, too. */
  older?: true | undefined;
  /** The dry run with the same flags, which makes a plan. Without a readable plan in `applyPlan`, it is proposed. */
  replan: CommandLine;
  /** Return to the build before a sick one. */
  orRollback?: true | undefined;
  /** Whether an app of another name than this folder has deployed is to be created. */
  new?: true | undefined;
  /** Set for the app of a branch. */
  preview?: string | true | undefined;
}

/** The app on disk, what was asked for, and what is known besides. */
interface Intent {
  local: LocalApp;
  options: DeployAppOptions;
  here: Here;
  approved: GivenPlan | undefined;
  secrets: ReadSecrets;
}

interface Decided {
  plan: DeployPlan;
  made: MadeSettings;
  /** What serves, if it is not sent. */
  live: Deployment | undefined;
  reading: AppReading;
}

/** What a deploy asks for besides its own yes, since it is more than a new version of the app. */
interface Question {
  text: string;
  /** `--yes` is an answer. */
  takesYes: boolean;
  /** Where nobody can be asked. */
  refusal: GantryError;
}

/** A deploy that is decided on. */
export interface Prepared extends Intent, Decided {
  /** What is asked before it is sent, where somebody can be asked. */
  questions: readonly Question[];
}

/** What few deploys have. */
const plans = () => import('./guard.ts');

/** Compares with the deployed app, and decides whether the app is sent. */
export async function prepareDeploy(context: Context, local: LocalApp, options: DeployAppOptions): Promise<Prepared> {
  const { dryRun, ifChanged, applyPlan, savePlan: file, replan, failOnDrift = false } = options;
  const { config } = local;
  const { name: app } = config;
  const secrets = once(() => trySecretsOf(context, app));
  // A deploy that ends early does not wait for a program that it has asked.
  const asking = new AbortController();
  const signal = AbortSignal.any([context.signal, asking.signal]);
  try {
    const check = () => checkToSend(context, local, secrets, signal);
    // An unchanged app has no new mistakes: it is checked once it is known to have changed.
    const checked = ifChanged ? undefined : await check();
    const given = { config, replan };
    const approved =
      applyPlan === undefined ? undefined : await (await plans()).readPlanFile(context, applyPlan, given);
    const here = { app, configFile: relative(context.cwd, config.file) };
    const intent: Intent = { local, options, here, approved, secrets };
    const { plan, made, live, reading } = await decide(context, intent, dryRun ? 'proceed' : options.ifBusy);
    checkDrift(context, plan, failOnDrift);
    if (file !== undefined) await (await plans()).writePlanFile(context, local, made.body, reading, { file, replan });
    if (!live) await (checked ?? (await check())).end();
    await local.checksums.save();
    const isMeant = options.new === true || options.preview !== undefined;
    const questions = live || dryRun || approved ? [] : questionsOf(context, plan, isMeant);
    // Before a question about an app: nobody can create one in a project that does not exist.
    if (questions.length > 0 && plan.exists === false) await context.api(listApps, { project: context.project });
    refuseUnanswered(context, questions);
    return { ...intent, plan, made, live, reading, questions };
  } finally {
    asking.abort();
  }
}

type ListBuilds = () => ReturnType<typeof readBuilds>;

/** The builds of an app. Why they are not listed is an error where nothing is decided without them. */
async function readBuilds(context: Context, { options, here }: Intent): Promise<readonly Build[] | undefined> {
  const { dryRun, ifChanged, ifBusy } = options;
  const ask = (api: Context['api']) => api(listBuilds, { project: context.project, app: here.app });
  if (ifBusy !== 'proceed') return (await unlessMissing(ask(context.api))) ?? [];
  return dryRun || ifChanged ? unless(isRefusal, ask(context.api)) : tryRequest(context, ask);
}

/** The app on disk beside the deployed one, and what serves. Builds first, the app last: see `observe`. */
async function lookAt(context: Context, { local, options, here }: Intent, compares: boolean, listed: ListBuilds) {
  const list = await listed();
  const deployed = await readDeployedApp(context, here.app, options);
  const { app, exists } = deployed;
  // One that is not there has no builds, and of one that cannot be read nothing says what serves.
  const none = exists === false ? [] : undefined;
  const reading = readingOf(context, exists ? app : undefined, exists === null ? undefined : (list ?? none));
  return { planned: await planDeploy(context, local, deployed, { ...options, compares }), reading };
}

/** What decides whether an app is sent, each found out once it is asked for. */
function factsOf(context: Context, intent: Intent, ifBusy: BusyPolicy) {
  const { local, options, here, approved, secrets } = intent;
  const { dryRun, ifChanged = false } = options;
  const compares = dryRun || context.prompt.isPossible || ifChanged;
  // Without a comparison, this deploy waits with its own build created, so that its place in the queue is known.
  const waitsLater = ifBusy === 'wait' && !ifChanged;
  const listed = once(() => readBuilds(context, intent));
  // Those that cannot start any more are canceled with the others.
  const others = once(async () => {
    const builds = (await listed()) ?? [];
    return ifBusy === 'cancel' ? builds.filter(isBusy) : whichCanStart(context, here.app, builds);
  });
  const looked = once(() => lookAt(context, intent, compares, listed));
  const compared = once(async () => {
    const { planned, reading } = await looked();
    return compareWithLive(context, planned, reading, secrets, isAsked(options.verification));
  });
  // What is sent is compared with the plan before its upload.
  const broken = once(async () => {
    if (!approved || !ifChanged || (await compared()).difference !== 'equal') return undefined;
    return (await plans()).whyOtherApp(context, local, approved, (await looked()).planned.made);
  });
  const older = once(async () => (options.older ? undefined : whyOlder(context, here, (await looked()).reading)));
  const facts: ToAsk<BeforeFacts> = {
    ifBusy: waitsLater ? 'proceed' : ifBusy,
    others: async () => ((await others()).length > 0 ? 'in progress' : 'none'),
    compares: yesNo(compares),
    serving: async () => (await looked()).reading.serving.is,
    ifChanged: yesNo(ifChanged),
    plan: async () => ((await broken()) ? 'broken' : 'holds'),
    // A dry run is not stopped by it, only warned.
    commit: dryRun ? 'not older' : async () => ((await older()) ? 'older' : 'not older'),
    difference: async () => (await compared()).difference,
    health: async () => (await compared()).health,
    verifies: yesNo(isAsked(options.verification)),
  };
  return { facts, others, looked, compared, broken, older };
}

/** Goes through the table of what comes before sending: whether the app is sent. `ifBusy`: proceed, once others are dealt with. */
async function decide(context: Context, intent: Intent, ifBusy: BusyPolicy): Promise<Decided> {
  const { options, here } = intent;
  const { app } = here;
  const { facts, others, looked, compared, broken, older } = factsOf(context, intent, ifBusy);
  const decided = async (isSent: boolean) => {
    const { planned, reading } = await looked();
    const { plan, made } = planned;
    // Of what the plan does not show, such as secrets and modes of files.
    const isCompared = options.ifChanged || (facts.compares === 'yes' && !plan.changed);
    const comparison = isCompared ? await compared() : undefined;
    if (isSent && comparison?.because) tellWhySent(context, comparison, options);
    const why = options.dryRun ? await older() : undefined;
    if (why) context.progress.warn(`${why.message}: a deploy needs --older`);
    const wholePlan = { ...plan, older: why !== undefined, ...(comparison && whatDiffers(plan, comparison)) };
    return { plan: wholePlan, made, live: isSent ? undefined : comparison?.live, reading };
  };
  const isAlive = () => decided(false);
  const steps: Record<BeforeStep, () => Promise<Decided | GantryError | undefined>> = {
    'stop: others': async () => busyError(app, await others()),
    'stop: older': older,
    'stop: not as planned': broken,
    'cancel others': async () => void (await cancelBusyBuilds(context, app, await others())),
    'wait for others': async () => void (await waitForBuilds(context, options.limit, app)),
    'wait for the app': async () => void (await settle(context, app)),
    send: async () => {
      if (options.ifBusy === 'proceed' && !options.dryRun) {
        await noteBusyBuilds(context, app, (await looked()).reading.list);
      }
      return decided(true);
    },
    verify: isAlive,
    'stop: unchanged': isAlive,
  };
  const step = await firstRowAsked(beforeTable, facts);
  const done = await steps[step]();
  if (done instanceof GantryError) throw done;
  return done ?? decide(context, intent, step === 'wait for the app' ? ifBusy : 'proceed');
}

/** What a plan has of this comparison. */
function whatDiffers(plan: DeployPlan, { because, difference }: Compared) {
  return { changed: plan.changed || difference !== 'equal', because: because || null };
}

function tellWhySent({ progress }: Context, comparison: Compared, { ifChanged }: DeployAppOptions): void {
  const { because, difference, health } = comparison;
  const would = `a deploy would ${difference === 'equal' ? 'send it again' : 'change that'}`;
  // Nothing will show whether it is well this time.
  const tell = health === 'sick' ? progress.warn : progress.note;
  tell(`${because}: ${ifChanged ? 'deploying' : would}`);
}

/** The region that an app would move to, and where it is. */
export function movedRegion({ settings }: Pick<DeployPlan, 'settings'>) {
  return settings.find(({ setting }) => setting === 'hardware.region');
}

/** `isMeant`: whether a new app is what the user wants, by `--new`, `--preview` or a plan. */
function questionsOf({ settings, cwd, target }: Context, plan: DeployPlan, isMeant: boolean): Question[] {
  const { app } = plan;
  const questions: Question[] = [];
  if (isFolderEmulator(target)) return questions;
  const move = movedRegion(plan);
  if (move) {
    questions.push({
      text: `Move ${app} from ${move.from} to ${move.to}? Its volumes stay in ${move.from}.`,
      takesYes: true,
      refusal: new ConflictError(`${app} is in ${move.from}, and this deploy would move it to ${move.to}`, {
        why: `each region has its own volumes: what the app has stored stays where it is; --region ${move.from} leaves the app there`,
        fix: 'to move it',
        retryWith: ['--yes'],
        details: { app, ...move },
      }),
    });
  }
  const last = readFolderTarget(settings.folders, cwd)?.app || undefined;
  if (plan.exists === false && last !== undefined && last !== app && !isMeant) {
    questions.push({
      text: `Create ${app}? This folder has deployed ${last}.`,
      takesYes: false,
      refusal: new InputNeededError(`this folder has deployed ${last}, and ${app} would be a new app`, {
        fix: `to create it (to deploy ${last}, correct the name)`,
        retryWith: ['--new'],
        details: { app, last },
      }),
    });
  }
  return questions;
}

/** Throws the refusal of a question that nobody has answered and nobody can be asked. */
function refuseUnanswered({ prompt }: Context, questions: readonly Question[]): void {
  if (prompt.isPossible) return;
  const open = questions.find(({ takesYes }) => !(takesYes && prompt.isConfirmed));
  if (open) throw open.refusal;
}

/** Carries out what was prepared: sends the app unless it serves, verifies it, and returns to the build before a sick one. */
export async function deployApp(prepared: Prepared): Promise<Deployment> {
  const { plan, live, here, options } = prepared;
  const { limit, orRollback, detach } = options;
  const { context, unlimited } = limit;
  if (orRollback) await (await import('../rollback/index.ts')).warnUnlessKept(context, plan.app, plan.build);
  if (live) teamStateOf(context)?.shareLeft(context);
  const sent = live ? { deployment: live } : await send(context, prepared);
  const done = detach ? sent.deployment : await verify(unlimited, prepared, sent);
  return { ...done, ...(await findCommit(unlimited, here, done.build)) };
}

/** Packs, creates a build, waits for its turn, looks again, uploads, and follows the build. */
async function send(context: Context, prepared: Prepared): Promise<Sent> {
  const { local, made, here, options, approved, secrets } = prepared;
  const { ifBusy, limit, verification } = options;
  const guard: Guard = async (sending) => {
    const broken = approved && (await (await plans()).whyNotAsPlanned(context, approved, sending));
    return broken ?? (sending.created && !options.older ? whyOlder(context, here) : undefined);
  };
  const sent = await (await import('./send-app.ts')).sendApp(context, local, made, {
    ...options,
    secrets,
    turn: ifBusy === 'wait' ? () => decideInTurn(context, prepared) : undefined,
    guard,
    isVerified: isAsked(verification),
  });
  limit.handOver();
  return sent;
}

/** Goes through the table of what follows once a build is ready. An unchanged build is verified, too. */
async function verify(context: Context, prepared: Prepared, { deployment, before }: Sent): Promise<Deployment> {
  const { local, plan, options } = prepared;
  const { verification, orRollback, configFile, logs, timeout: typedMs } = options;
  const { app, build, changed, serves, status, dashboard } = deployment;
  const minReplicas = Number(plan.setup.minReplicaCount);
  const sent = { app, build, config: local.config, seen: local.seen, minReplicas, isNew: changed };
  const about = { ...verification, ...sent, serves, before, orRollback };
  const verified = once(async () => (await import('../verify.ts')).verifyBuild(context, about));
  const goOn = async () => {
    const step = await firstRowAsked(readyTable, {
      serving: serves === undefined ? 'ours' : 'another',
      verifies: yesNo(isAsked(verification)),
      health: async () => (await verified()).finding,
      orRollback: yesNo(orRollback === true),
    });
    if (step === 'stop: live' || step === 'stop: replaced') return deployment;
    const { error, explained, health } = await verified();
    if (step === 'roll back') {
      const { orRollBack } = await import('../rollback/index.ts');
      return orRollBack(context, { configFile, logs, typedMs }, error as GantryError, explained);
    }
    await explained?.();
    if (error) throw error;
    return { ...deployment, ...(health && { health }) };
  };
  return tellOnFailure(context.signal, { app, build, status, dashboard }, goOn, verification.goOn);
}

/** What serves, if it is equal now. Of a deploy that has created its build, and waited for those before it. */
async function decideInTurn(context: Context, intent: Intent): Promise<Deployment | undefined> {
  const { local, options } = intent;
  if (!options.ifChanged) return undefined;
  // Files may have changed during the wait, too.
  const entries = local.entries.map(({ stats: _, ...entry }) => entry);
  const again = { ...local, entries, checksums: new FileChecksums() };
  const secrets = () => trySecretsOf(context, intent.here.app);
  return (await decide(context, { ...intent, local: again, secrets }, 'proceed')).live;
}

function isAsked({ watchMs, smokeTests }: Verification): boolean {
  return watchMs !== undefined || smokeTests.length > 0;
}

function yesNo(is: boolean): 'yes' | 'no' {
  return is ? 'yes' : 'no';
}
