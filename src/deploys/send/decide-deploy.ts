import { FileChecksums } from '../../app/file-checksums.ts';
import type { CommandLine } from '../../kernel/command-line.ts';
import { GantryError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import type { Context } from '../../platform/context.ts';
import { type Build, listBuilds } from '../../platform/contract/builds.ts';
import { isRefusal, type TimeLimit, tryRequest, unless, unlessMissing } from '../../platform/waiting/index.ts';
import type { Here } from '../commit-files.ts';
import { whyOlder } from '../commit-of-build.ts';
import { type BeforeFacts, type BeforeStep, beforeTable, firstRowAsked, type ToAsk } from '../decide.ts';
import { type AppReading, readingOf, settle } from '../observe.ts';
import type { Verification } from '../verify.ts';
import type { CreateAppOptions, MadeSettings } from './app-settings.ts';
import {
  type BusyPolicy,
  busyError,
  cancelBusyBuilds,
  isBusy,
  noteBusyBuilds,
  waitForBuilds,
  whichCanStart,
} from './busy-builds.ts';
import { type Deployment, type ReadSecrets, trySecretsOf } from './deploy-record.ts';
import { type GivenPlan, whyOtherApp } from './guard.ts';
import type { LocalApp } from './local-app.ts';
import { compareWithLive, type DeployPlan, planDeploy, readDeployedApp } from './plan.ts';

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
  /** The limit of the preparation, the wait for other builds, and the wait for this one. */
  limit: TimeLimit;
  /** What was typed for it, in ms. */
  timeout?: number | undefined;
  /** What the new build must show. */
  verification: Verification;
  /** Whether an older commit than the one that serves is deployed, too. */
  older?: true | undefined;
  /** The line that makes the plan of `applyPlan` anew. */
  replan: CommandLine;
  /** Return to the build before a sick one. */
  orRollback?: true | undefined;
  /** Whether an app of another name than this folder has deployed is to be created. */
  new?: true | undefined;
  /** Set for the app of a branch. */
  preview?: string | true | undefined;
}

/** A deploy that is decided on: the app on disk, what was asked for, and what is known besides. */
export interface Intent {
  local: LocalApp;
  options: DeployAppOptions;
  here: Here;
  approved: GivenPlan | undefined;
  secrets: ReadSecrets;
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

export interface Decided {
  plan: DeployPlan;
  made: MadeSettings;
  /** What serves, if it is not sent. */
  live: Deployment | undefined;
  reading: AppReading;
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

/** What decides whether an app is sent, each found out once it is asked for. `isDone`: other builds are dealt with. */
function factsOf(context: Context, intent: Intent, isDone: boolean) {
  const { local, options, here, approved, secrets } = intent;
  const { dryRun, ifChanged = false, ifBusy } = options;
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
    return compareWithLive(context, planned, reading, secrets);
  });
  // What is sent is compared with the plan before its upload.
  const broken = once(async () => {
    if (!approved || !ifChanged || (await compared()).difference !== 'equal') return undefined;
    return whyOtherApp(context, local, approved, (await looked()).planned.made.body);
  });
  const older = once(async () => {
    const { planned, reading } = await looked();
    const found = await whyOlder(context, here, reading);
    planned.plan.older = found !== undefined;
    if (found && dryRun) context.progress.warn(`${found.message}: a deploy needs --older`);
    return dryRun ? undefined : found;
  });
  const facts: ToAsk<BeforeFacts> = {
    ifBusy: isDone || waitsLater ? 'proceed' : ifBusy,
    others: async () => ((await others()).length > 0 ? 'in progress' : 'none'),
    compares: yesNo(compares),
    serving: async () => (await looked()).reading.serving.is,
    ifChanged: yesNo(ifChanged),
    plan: async () => ((await broken()) ? 'broken' : 'holds'),
    commit: options.older ? 'not older' : async () => ((await older()) ? 'older' : 'not older'),
    difference: async () => (await compared()).difference,
    health: async () => (await compared()).health,
    verifies: yesNo(isAsked(options.verification)),
  };
  return { facts, others, looked, compared, broken, older };
}

/** Goes through the table of what comes before sending: whether the app is sent. `isDone`: other builds are dealt with. */
export async function decide(context: Context, intent: Intent, isDone: boolean): Promise<Decided> {
  const { options, here } = intent;
  const { app } = here;
  const { facts, others, looked, compared, broken, older } = factsOf(context, intent, isDone);
  const decided = async (isSent: boolean) => {
    const { planned, reading } = await looked();
    const { plan, made } = planned;
    // Of what the plan does not show, such as secrets and modes of files.
    const isCompared = options.ifChanged || (facts.compares === 'yes' && !plan.changed);
    if (!isCompared) return { plan, made, live: undefined, reading };
    const { live, because, difference } = await compared();
    plan.changed ||= difference !== 'equal';
    const would = `a deploy would ${difference === 'equal' ? 'send it again' : 'change that'}`;
    if (isSent && because) context.progress.note(`${because}: ${options.ifChanged ? 'deploying' : would}`);
    return { plan, made, live: isSent ? undefined : live, reading };
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
      if (options.ifBusy === 'proceed' && !isDone) await noteBusyBuilds(context, app, (await looked()).reading.list);
      return decided(true);
    },
    verify: isAlive,
    'stop: unchanged': isAlive,
  };
  const step = await firstRowAsked(beforeTable, facts);
  const done = await steps[step]();
  if (done instanceof GantryError) throw done;
  return done ?? decide(context, intent, isDone || step !== 'wait for the app');
}

export function isAsked({ watchMs, smokeTests }: Verification): boolean {
  return watchMs !== undefined || smokeTests.length > 0;
}

export function yesNo(is: boolean): 'yes' | 'no' {
  return is ? 'yes' : 'no';
}
