import { relative } from 'node:path';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { CommandLine } from '../../kernel/command-line.ts';
import { GantryError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { contextWith, type TimeLimit, tryRequest } from '../../platform/waiting/index.ts';
import type { Here } from '../commit-files.ts';
import { whyOlder } from '../commit-of-build.ts';
import { type BeforeFacts, type BeforeStep, beforeTable, firstRowAsked, type ToAsk } from '../decide.ts';
import { observe, settle } from '../observe.ts';
import type { Verification } from '../verify.ts';
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
import { type Deployment, type ReadSecrets, trySecretsOf } from './deploy-record.ts';
import { type GivenPlan, readPlanFile, whyOtherApp, writePlanFile } from './guard.ts';
import { checkLocal, type LocalApp } from './local-app.ts';
import { checkDrift, compareWithLive, type DeployPlan, type Planned, planDeploy } from './plan.ts';

/** What was asked for. */
export interface DeployAppOptions extends Pick<CreateAppOptions, 'logLevel' | 'disableBuildLogs'> {
  configFile: string;
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
  /** What was typed for it, in ms. */
  timeout?: number | undefined;
  /** What the new build must show. */
  verification: Verification;
  /** The same deploy, waiting for other builds. */
  inTurn: CommandLine;
  /** The line that deploys an older commit than the one that serves, too; undefined if this one does. */
  anyway: CommandLine | undefined;
  /** The line that makes the plan of `applyPlan` anew. */
  replan: CommandLine;
  /** Return to the build before a sick one. */
  orRollback?: true | undefined;
  /** Whether an app of another name than this folder has deployed is to be created. */
  new?: true | undefined;
  /** Set for the app of a branch. */
  preview?: string | true | undefined;
  /** Whether the user is asked before anything is sent. */
  asks: boolean;
}

/** A deploy that is decided on: the app on disk, what was asked for, and what is known besides. */
export interface Intent {
  local: LocalApp;
  options: DeployAppOptions;
  here: Here;
  /** Builds that cannot start any more, as far as they were named already. */
  stuck: StuckBuilds;
  approved: GivenPlan | undefined;
  secrets: ReadSecrets;
}

/** The same once it is decided. */
export interface Prepared extends Intent {
  plan: DeployPlan;
  /** What serves, if it is not sent. */
  live: Deployment | undefined;
  /** To be asked before it is sent, where somebody can be asked. */
  questions: readonly Question[];
}

/** Compares with the deployed app, and decides whether the app is sent. */
export async function prepareDeploy(context: Context, local: LocalApp, options: DeployAppOptions): Promise<Prepared> {
  const { dryRun, ifChanged, applyPlan, savePlan: file, replan, failOnDrift = false } = options;
  const { project } = local;
  const { name: app } = project;
  const secrets = once(() => trySecretsOf(context, app));
  // A deploy that ends early does not wait for a program that it has asked.
  const asking = new AbortController();
  const signal = AbortSignal.any([context.signal, asking.signal]);
  try {
    const check = () => checkLocal(context, local, secrets, signal);
    // An unchanged app has no new mistakes: it is checked once it is known to have changed.
    const checked = ifChanged ? undefined : await check();
    const approved = applyPlan === undefined ? undefined : await readPlanFile(context, applyPlan, { project, replan });
    const here = { app, configFile: relative(context.cwd, project.file) };
    const intent: Intent = { local, options, here, stuck: new StuckBuilds(context, app), approved, secrets };
    const { plan, live } = await decide(context, intent, dryRun);
    checkDrift(context, plan, failOnDrift);
    if (file !== undefined) await writePlanFile(context, local, { options: { ...options, keep: plan.keep }, file });
    if (!live) await (checked ?? (await check())).end();
    await local.checksums.save();
    const isMeant = options.new === true || options.preview !== undefined;
    const questions = live || dryRun || approved ? [] : questionsOf(context, plan, isMeant);
    // Before a question about an app: nobody can create one in a project that does not exist.
    if (questions.length > 0 && plan.exists === false) await context.api(listApps, { project: context.project });
    refuseUnanswered(context, questions);
    return { ...intent, plan, live, questions };
  } finally {
    asking.abort();
  }
}

/** What serves, if it is equal now. Of a deploy that has created its build, and waited for those before it. */
export async function decideInTurn(context: Context, intent: Intent): Promise<Deployment | undefined> {
  const { local, options } = intent;
  if (!options.ifChanged) return undefined;
  // Files may have changed during the wait, too.
  const entries = local.entries.map(({ stats: _, ...entry }) => entry);
  const again = { ...local, entries, checksums: new FileChecksums() };
  const secrets = () => trySecretsOf(context, intent.here.app);
  return (await decide(context, { ...intent, local: again, secrets }, true)).live;
}

type Decided = Pick<Prepared, 'plan' | 'live'>;

/** The app on disk beside the deployed one, and what serves, if that is compared. `isNoted`: other builds are. */
async function lookAt(context: Context, { local, options, here, stuck }: Intent, compares: boolean, isNoted: boolean) {
  const { dryRun, ifChanged, ifBusy } = options;
  const { app } = here;
  const observed = (api = context.api) => observe(contextWith(context, { api }), app);
  // Of a dry run, the comparison is the result.
  const tryObserved = () => (dryRun ? observed() : tryRequest(context, observed));
  const [planned, tried] = await Promise.all([
    planDeploy(context, local, { ...options, compares }),
    compares ? tryObserved() : undefined,
    // Beside all the rest.
    isNoted ? findBusyBuilds(context, app, ifBusy, stuck) : undefined,
  ]);
  // Why the app cannot be looked at is an error, where nothing is sent without that.
  return { planned, reading: tried ?? (ifChanged && planned.plan.exists ? await settle(context, app) : undefined) };
}

/** What decides whether an app is sent, each found out once it is asked for. `isDone`: other builds are dealt with. */
function factsOf(context: Context, intent: Intent, isDone: boolean) {
  const { local, options, here, stuck, approved, secrets } = intent;
  const { dryRun, ifChanged = false, ifBusy } = options;
  const compares = dryRun || options.asks || ifChanged;
  // Without a comparison, this deploy waits with its own build created, so that its place in the queue is known.
  const waitsLater = ifBusy === 'wait' && !ifChanged;
  const others = once(() => findBusyBuilds(context, here.app, ifBusy, stuck));
  const looked = once(() => lookAt(context, intent, compares, ifBusy === 'proceed' && !isDone));
  const planned = async () => (await looked()).planned;
  const compared = once(async () => compareWithLive(context, await looked(), secrets));
  // What is sent is compared with the plan before its upload.
  const broken = once(async () => {
    if (!approved || !ifChanged || (await compared()).difference !== 'equal') return undefined;
    return whyOtherApp(context, local, approved, (await planned()).making);
  });
  const older = once(async () => whyOld(context, intent, planned()));
  const facts: ToAsk<BeforeFacts> = {
    ifBusy: isDone || waitsLater ? 'proceed' : ifBusy,
    others: async () => ((await others()).length > 0 ? 'in progress' : 'none'),
    compares: yesNo(compares),
    serving: async () => servingFacts[(await looked()).reading?.serving.is ?? 'unknown'],
    ifChanged: yesNo(ifChanged),
    plan: async () => ((await broken()) ? 'broken' : 'holds'),
    commit: async () => ((await older()) ? 'older' : 'not older'),
    difference: async () => (await compared()).difference,
    health: async () => (await compared()).health,
    verifies: yesNo(isAsked(options.verification)),
  };
  return { facts, others, planned, compared, broken, older };
}

/** The error if a newer commit serves; a dry run only warns. */
async function whyOld(context: Context, { here, options }: Intent, planned: Promise<Planned>) {
  const [found, { plan }] = await Promise.all([whyOlder(context, here, options.anyway), planned]);
  plan.older = found !== undefined;
  if (!options.dryRun) return found;
  if (found) context.progress.warn(`${found.message}: a deploy needs --older`);
  return undefined;
}

/** Goes through the table of what comes before sending. `isAlone`: it waits for no other builds. `isDone`: it has dealt with them. */
async function decide(context: Context, intent: Intent, isAlone: boolean, isDone = isAlone): Promise<Decided> {
  const { options, here, stuck } = intent;
  const { app } = here;
  const { limit, inTurn } = options;
  const { facts, others, planned, compared, broken, older } = factsOf(context, intent, isDone);
  const decided = async (isSent: boolean) => {
    const { plan } = await planned();
    // Of what the plan does not show, such as secrets and modes of files.
    const isCompared = options.ifChanged || (facts.compares === 'yes' && !plan.changed);
    if (!isCompared) return { plan, live: undefined };
    const { live, because, difference } = await compared();
    plan.changed ||= difference !== 'equal';
    const would = `a deploy would ${difference === 'equal' ? 'send it again' : 'change that'}`;
    if (isSent && because) context.progress.note(`${because}: ${options.ifChanged ? 'deploying' : would}`);
    return { plan, live: isSent ? undefined : live };
  };
  const isAlive = () => decided(false);
  const steps: Record<BeforeStep, () => Promise<Decided | GantryError | undefined>> = {
    'stop: others': async () => busyError(app, await others(), inTurn),
    'stop: older': older,
    'stop: not as planned': broken,
    'cancel others': async () => void (await cancelBusyBuilds(context, app, await others())),
    'wait for others': async () => void (await waitForBuilds(context, limit, stuck)),
    'wait for the app': async () => void (await settle(context, app)),
    send: () => decided(true),
    verify: isAlive,
    'stop: unchanged': isAlive,
  };
  const step = await firstRowAsked(beforeTable, facts);
  const done = await steps[step]();
  if (done instanceof GantryError) throw done;
  // Others may have started while the app was waited for.
  return done ?? decide(context, intent, isAlone, step !== 'wait for the app' || isAlone);
}

const servingFacts = { none: 'none', one: 'one', 'one-of': 'one of', unknown: 'not known' } as const;

export function isAsked({ watchMs, smokeTests }: Verification): boolean {
  return watchMs !== undefined || smokeTests.length > 0;
}

export function yesNo(is: boolean): 'yes' | 'no' {
  return is ? 'yes' : 'no';
}
