import { relative } from 'node:path';
import { throwOnError } from '../../app/app-source.ts';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { CommandLine } from '../../kernel/command-line.ts';
import { GantryError, type Problem } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { contextWith, type TimeLimit, tryRequest } from '../../platform/waiting/index.ts';
import type { Here } from '../commit-files.ts';
import { type BeforeStep, beforeTable, firstRowAsked } from '../decide.ts';
import { whyOlder } from '../identity.ts';
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
import { checkLocalSource, checkPackages, type LocalApp } from './local-app.ts';
import { type Compared, checkDrift, compareWithLive, type DeployPlan, planDeploy } from './plan.ts';
import { type GivenPlan, readPlanFile, whyOtherApp, writePlanFile } from './plan-file.ts';

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
  /** Deploy an older commit than the one that serves, too; and the line that says so. */
  older?: true | undefined;
  anyway: CommandLine;
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
    refuse(context, await checkSecrets(local, secrets));
    let asked = unresolvable(context, local, signal);
    const approved = applyPlan === undefined ? undefined : await readPlanFile(context, applyPlan, { project, replan });
    const here = { app, configFile: relative(context.cwd, project.file) };
    const intent: Intent = { local, options, here, stuck: new StuckBuilds(context, app), approved, secrets };
    const { plan, live } = await decide(context, intent, dryRun);
    checkDrift(context, plan, failOnDrift);
    if (file !== undefined) await writePlanFile(context, local, { options: { ...options, keep: plan.keep }, file });
    if (ifChanged && !live) {
      await checkLocalSource(context, local);
      asked = unresolvable(context, local, signal);
      refuse(context, await checkSecrets(local, secrets));
    }
    if (!live) refuse(context, await asked);
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

/** Goes through the table of what comes before sending. `isAlone`: it waits for no other builds. `isDone`: it has dealt with them. */
async function decide(context: Context, intent: Intent, isAlone: boolean, isDone = isAlone): Promise<Decided> {
  const { local, options, here, stuck, approved, secrets } = intent;
  const { dryRun, ifChanged = false, ifBusy, limit, files: listFiles, keepScaling = false } = options;
  const { app: name } = here;
  const compareFiles = dryRun || options.asks || ifChanged;
  const findBusy = once(() => findBusyBuilds(context, name, ifBusy, stuck));
  // Only noted, beside all the rest.
  const noted = ifBusy === 'proceed' && !isDone && findBusy();
  // Without a comparison, this deploy waits with its own build created, so that its place in the queue is known.
  const waitsLater = ifBusy === 'proceed' || (ifBusy === 'wait' && !ifChanged);
  const busy = async () => (isDone || waitsLater ? [] : findBusy());
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
    return whyOtherApp(context, local, approved, (await look()).sent);
  });
  const whyOld = once(async () => {
    const order = orderOf(intent);
    const [older, { planned }] = await Promise.all([order && whyOlder(context, order.here, order.anyway), look()]);
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
  // Of what the plan does not show, such as secrets and modes of files.
  const isCompared = (plan: DeployPlan) => ifChanged || (compareFiles && !plan.changed);
  const decided = async (isSent: boolean) => {
    const { plan } = (await look()).planned;
    const { live, ...compared } = isCompared(plan) ? await compare() : notCompared;
    sayWhy(context, plan, { ...compared, ifChanged, isSent });
    return { plan, live: isSent ? undefined : live };
  };
  const isAlive = () => decided(false);
  const steps: Record<BeforeStep, () => Promise<Decided | GantryError | undefined>> = {
    'stop: others': async () => busyError(name, await busy(), options.inTurn),
    'stop: older': whyOld,
    'stop: not as planned': whyBroken,
    'cancel others': async () => void (await cancelBusyBuilds(context, name, await busy())),
    'wait for others': async () => void (await waitForBuilds(context, name, { limit, stuck })),
    'wait for the app': async () => void (await settle(context, name)),
    send: () => decided(true),
    verify: isAlive,
    'stop: unchanged': isAlive,
  };
  const done = await steps[step]();
  if (done instanceof GantryError) throw done;
  // Others may have started while the app was waited for.
  return done ?? decide(context, intent, isAlone, step !== 'wait for the app' || isAlone);
}

interface Why extends Pick<Compared, 'difference' | 'because'> {
  ifChanged: boolean;
  isSent: boolean;
}

/** What a comparison has found that the plan does not show. */
function sayWhy({ progress }: Context, plan: DeployPlan, { difference, because, ifChanged, isSent }: Why): void {
  plan.changed ||= difference !== 'equal';
  if (because === '' || (ifChanged && !isSent)) return;
  const would = `a deploy would ${difference === 'equal' ? 'send it again' : 'change that'}`;
  progress.note(`${because}: ${ifChanged ? 'deploying' : would}`);
}

const notCompared = { difference: 'equal', because: '', live: undefined } as const;

/** Whose commit must not be older than the one that serves; undefined if it may be. */
export function orderOf({ here, options: { older, anyway } }: Pick<Intent, 'here' | 'options'>) {
  return older ? undefined : { here, anyway };
}

const servingFacts = { none: 'none', one: 'one', 'one-of': 'one of', unknown: 'not known' } as const;

export function isAsked({ watchMs, smokeTests }: Verification): boolean {
  return watchMs !== undefined || smokeTests.length > 0;
}

export function yesNo(is: boolean): 'yes' | 'no' {
  return is ? 'yes' : 'no';
}
