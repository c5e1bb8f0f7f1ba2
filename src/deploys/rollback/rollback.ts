import { type Fix, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { abortError, GantryError, NotFoundError, PendingError, UsageError } from '../../kernel/errors.ts';
import { duration, fileSummary, shortBuild, shortList, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import { ownStatus } from '../../platform/contract/builds.ts';
import { type Container, isDown, listContainers } from '../../platform/contract/containers.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import {
  cleanupSignal,
  contextUntil,
  Deadline,
  pollUntil,
  TimeLimit,
  throwUnlessTransient,
  unless,
} from '../../platform/waiting/index.ts';
import { recordEvent, recordLook } from '../history/index.ts';
import { type AppReading, observe, settle } from '../observe.ts';
import {
  compareSent,
  DeployedMeanwhileError,
  type Deployment,
  inProgress,
  type SettingChange,
  scalingOf,
  wasCreated,
  whichCanStart,
} from '../send/index.ts';
import { mayReplace, servingBuild } from '../serving.ts';
import { type Chosen, changedScaling, chooseBuild, NothingBeforeError, type RollbackOptions } from './choose-build.ts';
import { type Proof, proofTexts, proveFiles, type RollbackSource, type SourceFacts, withSource } from './source.ts';

type Made = Pick<Deployment, 'app' | 'project' | 'status' | 'endpoint' | 'dashboard' | 'changed'>;

/** An earlier build of an app that was deployed again, as the command prints it. */
export interface RolledBack extends Made, SourceFacts {
  replaced: string | null;
  restored: string;
  /** The new build, made of the files of the earlier one, now or by an earlier rollback; null if there is none. */
  build: string | null;
  serves?: string | undefined;
  /** What the settings of the app become again, under the platform's names. */
  settings: Pick<SettingChange, 'setting' | 'from' | 'to'>[];
  proof: Proof | null;
}

/** Deploys an earlier build again, once it is proven that its files are the same. Throws ConflictError if they differ. */
export async function returnToBuild(unlimited: Context, given: string, options: RollbackOptions): Promise<RolledBack> {
  const { typedMs, sick, fromGit, force, logs, again } = options;
  const { what = 'rollback', onto = given } = again ?? {};
  const limit = new TimeLimit(unlimited, { typedMs, failure: `${what} did not get as far as the build` });
  const { context } = limit;
  const from = shortAppName(context.project, given);
  const app = shortAppName(context.project, onto);
  if (app === from && what === 'promotion') throw new UsageError(`${app} cannot be promoted to itself`);
  const read = await settle(context, from);
  if (sick) await checkServes(context, from, read, sick.build);
  const choice = await chooseBuild(context, from, read, options);
  const { target, history } = choice;
  const own = { seen: read, keep: keptScaling(choice, options) };
  const place = { ...choice, ...(what === 'promotion' ? await lookAtOther(context, app) : own) };
  const { app: deployed, live, seen, keep } = place;
  if (choice.isLive) return closeRollback(unlimited, planOf(context, app, place), choice);
  const facts = { to: target.id, reason: sick?.reason ?? '', fromGit };
  const recorded = live === undefined || again ? undefined : { from: live, ...facts };
  return withSource(context, from, { ...choice, keep }, options, async (source) => {
    const proof = force ? null : await proveFiles(context, from, target.id, source);
    const settings = compareSent(source.body, deployed, history.firstSettingsOf(target.id));
    const plan = { ...planOf(context, app, place), ...source.facts, settings, proof, changed: true };
    for (const { id } of inProgress(seen))
      context.progress.note(`build ${shortBuild(id)} of ${app} is in progress; this ${what} does not wait for it`);
    sayPlan(context, plan, source, choice, what);
    sayCommits(context, place.history.sent(live)?.commit, plan.commit);
    await approve(context, plan, { from, what, isAutomatic: sick !== undefined });
    const guard = { seen: { reading: seen, live } };
    const { deployment } = await source.deploy({ logs, limit, guard, rollback: recorded });
    const remainingMs = limit.handOver();
    const { build: as, serves, status, endpoint, dashboard } = deployment;
    if (recorded) await recordEvent(unlimited, app, 'rolled-back', { ...recorded, as });
    sayEnd(context, deployment, target.id);
    if (what === 'restart') await untilReplaced(unlimited, app, as, seen, remainingMs);
    return { ...plan, build: as, status, endpoint, dashboard, serves };
  });
}

/** Nobody is asked for the way back from a sick build. */
async function approve(
  { prompt, willChange }: Context,
  plan: RolledBack,
  { from, what, isAutomatic }: { from: string; what: string; isAutomatic: boolean },
): Promise<void> {
  const { app, restored } = plan;
  const build = `build ${shortBuild(restored)}`;
  const again = `${build} of ${from} again${what === 'promotion' ? ` as ${app}` : ''}`;
  const question = what === 'rollback' ? `Roll back ${app} to ${build}?` : `Deploy ${again}?`;
  if (!isAutomatic) await prompt.confirm(question);
  willChange(`deploy ${again}`, { ...plan, status: null });
}

function sayCommits({ progress }: Context, was: string | null | undefined, is: string | null): void {
  if (was && is && was !== is) progress.note(`commit ${was.slice(0, 12)} -> ${is.slice(0, 12)}`);
}

function sayEnd({ progress }: Context, { app, build, serves }: Deployment, target: string): void {
  const restored = `build ${shortBuild(build)} with the files of ${shortBuild(target)}`;
  progress.note(
    serves === undefined
      ? `${app} is live, ${restored}`
      : `${restored} has succeeded and was replaced: build ${shortBuild(serves)} of ${app} serves`,
  );
}

/** How the app stays scaled. */
function keptScaling({ app, history, target }: Chosen, { restoreScaling, sick }: RollbackOptions) {
  if (restoreScaling) return scalingOf(history.firstSettingsOf(target.id));
  return changedScaling(history, target.id, (sick && history.settingsOf(target.id)) ?? app);
}

/** The app that a build of another one is deployed as. It is there: what it is scaled to is kept. */
async function lookAtOther(context: Context, name: string) {
  const seen = await settle(context, name);
  const { app } = seen;
  if (!app) {
    throw new NotFoundError(`app ${name} not found in ${context.project}`, {
      why: 'a build is promoted to an app that is there, in the same project',
      fix: /[/:]/.test(name)
        ? sentence`for another project, deploy the same commit there: ${gantryCommand`deploy -p OTHER`}`
        : gantryCommand`deploy --name ${name} --new`,
      details: { app: name },
    });
  }
  const history = await recordLook(context, name, app);
  const keep = { ...scalingOf(app), name, ...(app.region && { region: app.region }) };
  return { seen, app, history, live: servingBuild(seen.serving) ?? liveBuild(app), keep };
}

/** There is nothing to do. If an earlier rollback did it, its end is on record from now on: typed again, it goes further back. */
async function closeRollback(context: Context, plan: RolledBack, { done }: Chosen): Promise<RolledBack> {
  if (!done) return plan;
  const { app } = plan;
  const { from: replaced, to: restored, as: build, reason } = done;
  const steps = `${shortBuild(replaced)} -> ${shortBuild(restored)}`;
  context.progress.note(`rollback of ${app}: ${steps} has succeeded before, as build ${shortBuild(build)}`);
  const closed = { ...plan, replaced, restored, build };
  context.willChange(`record that build ${shortBuild(build)} of ${app} has replaced ${shortBuild(replaced)}`, closed);
  await recordEvent(context, app, 'rolled-back', { from: replaced, to: restored, as: build, reason });
  return closed;
}

/** Once, before it asks: from where to where, what serves until then, and how long that may take. */
function sayPlan(
  { progress }: Context,
  { app, replaced, restored, proof, settings, files, resolvedAnew }: RolledBack,
  { origin, bytes }: RollbackSource,
  { target }: Chosen,
  title: string,
): void {
  const replacing = replaced === null ? 'no build' : `build ${shortBuild(replaced)}`;
  const what = `${fileSummary(files, bytes)} of ${origin}${proof ? `, ${proofTexts[proof]}` : ''}`;
  const steps = replaced === restored ? '' : ` -> ${shortBuild(restored)}`;
  progress.note(`${title} of ${app}: ${replacing}${steps}, ${what}`);
  const tookMs = toMs(target.updatedAt) - toMs(target.createdAt);
  const took = tookMs > 0 ? `; deploying ${shortBuild(restored)} took ${duration(tookMs)}` : '';
  if (replaced !== null) progress.note(`${app} stays on ${shortBuild(replaced)} until the new build is ready${took}`);
  for (const { setting, from, to } of settings) progress.note(`setting ${setting}: ${String(from)} -> ${String(to)}`);
  const anew = resolvedAnew.map(({ kind, requirement }) => requirement + (kind === 'pip' ? '' : ` (${kind})`));
  if (anew.length > 0) progress.note(`installed again, perhaps in other versions: ${shortList(anew, maxShown)}`);
}

/** How many names are shown of what is resolved anew. */
const maxShown = 8;

function planOf({ project }: Context, app: string, { app: shown, live, target }: Chosen): RolledBack {
  const status = ownStatus(target.status);
  return {
    app,
    project,
    replaced: live ?? null,
    restored: target.id,
    build: null,
    status,
    endpoint: shown.internalEndpoint ?? '',
    dashboard: '',
    source: null,
    commit: null,
    archive: null,
    files: 0,
    settings: [],
    resolvedAnew: [],
    proof: null,
    changed: false,
  };
}

/** A sick build is rolled back if it serves, and if nothing that was created later is about to. */
async function checkServes(context: Context, app: string, seen: AppReading, sick: string): Promise<void> {
  const serves = servingBuild(seen.serving);
  if (serves !== undefined && serves !== sick) throw new DeployedMeanwhileError(app, serves, 'serves now', seen);
  const since = seen.list.filter(({ id }) => id !== sick && mayReplace(seen, id, sick));
  const [later] = await whichCanStart(context, app, since);
  if (later) throw new DeployedMeanwhileError(app, later.id, wasCreated, seen);
}

/** Waits until no replica of before is left, also none that only ends its calls. Throws PendingError. */
async function untilReplaced(context: Context, app: string, build: string, seen: AppReading, maxMs: number) {
  const { project, progress } = context;
  const fix = gantryCommand`apps containers ${app}`;
  const before = new Set(seen.list.map(({ id }) => id));
  let left: string[] = [];
  const polling = {
    poll: (api: Context['api']) => api(listContainers, { project, app }),
    pauses: { firstMs: 2_000, maxMs: 2_000, growth: 1 },
    deadline: new Deadline(context, maxMs, () => {
      const message = `build ${shortBuild(build)} of ${app} serves, but replicas of earlier builds are left`;
      const why = left.slice(0, 3).join(', ');
      return new PendingError(message, { why, fix, details: { app, build, replicas: left } });
    }),
    onFailure: (error: unknown, silentMs: number) =>
      void throwUnlessTransient(error, silentMs, { name: `the replicas of ${app}`, fix, details: { app, build } }),
  };
  const step = progress.step(`Waiting until no replica of ${app} from before is left`);
  await pollUntil(context, polling, (listed) => {
    // A container without a build is that of a job.
    const isOld = (each: Container) => before.has(each.buildId ?? '') && !isDown(each);
    left = listed.filter(isOld).map(({ containerId }) => containerId);
    return left.length === 0 || undefined;
  }).finally(step.clear);
}

/** What became of the app after its new build was found unhealthy. */
interface RollbackOutcome {
  outcome: 'rolled-back' | 'failed' | 'pending' | 'no-earlier-build' | 'deployed-meanwhile' | 'interrupted';
  serves: string | null;
  restored?: string;
  message: string;
  /** What to type, if it is not what the failed deploy says. */
  fix?: Fix | undefined;
}

/** Rolls back by hand. An interruption after the build was created says what serves: the new build may have been faster. */
export async function rollback(context: Context, app: string, options: RollbackOptions): Promise<RolledBack> {
  try {
    return await returnToBuild(context, app, options);
  } catch (error) {
    const { build, status } = detailsOf(error);
    if (!context.signal.aborted || build === undefined) throw error;
    const { message, fix, serves } = await endOf(context, app, error);
    throw retold(abortError(context.signal), `: ${message}`, fix, { app, build, status, serves });
  }
}

/** The deploy fails in any case; its error says what serves. `explained`: waits for the log, which is read meanwhile. */
export async function orRollBack(
  context: Context,
  options: Pick<RollbackOptions, 'configFile' | 'logs' | 'typedMs'>,
  error: GantryError,
  explained: (() => Promise<void>) | undefined,
): Promise<never> {
  const { app = '', build = '', reason = '' } = detailsOf(error);
  const sick = { build, reason };
  const { fix, ...rollback } = await returnToBuild(context, app, { ...options, sick }).then(
    ({ build: made, restored, serves }) => rolledBack(restored, made ?? '', serves),
    (failure: unknown) => endOf(context, app, failure, build),
  );
  await explained?.();
  const details = { ...error.facts.details, rollback };
  if (rollback.outcome !== 'interrupted') throw retold(error, `; ${rollback.message}`, fix, details);
  const found = `build ${shortBuild(build)} of ${app} was found sick`;
  throw retold(abortError(context.signal), `: ${found}; ${rollback.message}`, fix, details);
}

type Ending = [kind: abstract new (...args: never[]) => Error, outcome: RollbackOutcome['outcome'], string, string];

/** What an error means for the app, and what is said around it: first, and before what serves. */
const endings: readonly Ending[] = [
  [DeployedMeanwhileError, 'deployed-meanwhile', '', ''],
  [NothingBeforeError, 'no-earlier-build', '', ': '],
  [PendingError, 'pending', 'the rollback was not seen to its end: ', '; until then, '],
  [Error, 'failed', 'the rollback failed: ', ': '],
];

/** How a rollback has ended that did not return, by what serves now: its build may have been faster. */
async function endOf(context: Context, app: string, error: unknown, sick?: string): Promise<RollbackOutcome> {
  const isInterrupted = context.signal.aborted;
  if (!isInterrupted && !(error instanceof GantryError)) throw error;
  // Within seconds, also after Ctrl-C.
  const bounded = contextUntil(context, cleanupSignal());
  const look = async () => {
    const { app: shown, serving } = await observe(bounded, app);
    return { now: servingBuild(serving), history: shown && (await recordLook(bounded, app, shown)) };
  };
  const { now, history } = (await unless((failure) => failure instanceof GantryError, look())) ?? {};
  const done = history?.openRollback(now);
  const serves = now ?? null;
  const truth = now === undefined ? 'what serves is not known' : `build ${shortBuild(now)} serves`;
  const { build: made = '', status } = detailsOf(error);
  if (isInterrupted) {
    const rows: [isSo: boolean, message: string, fix: Fix | undefined][] = [
      [made === '' || status === 'canceled', `${truth}, and nothing was rolled back`, gantryCommand`rollback ${app}`],
      [made === now, `the rollback of ${app} has succeeded, ${truth}`, undefined],
      [true, `${truth}, and build ${shortBuild(made)} may replace it`, gantryCommand`logs ${app} --build ${made} -f`],
    ];
    const [, message, fix] = rows.find(([isSo]) => isSo) as (typeof rows)[number];
    return { outcome: 'interrupted', serves, message, fix: now === undefined ? gantryCommand`apps get ${app}` : fix };
  }
  // It may have become ready since.
  if (done && done.from === sick) return rolledBack(done.to, done.as);
  const { message, facts } = error as GantryError;
  const [, outcome, begin, then] = endings.find(([kind]) => error instanceof kind) as Ending;
  const why = facts.why ? ` (${facts.why})` : '';
  const told = `${begin}${message}${why}${then && now !== undefined ? then + truth : ''}`;
  return { outcome, serves, message: told, fix: outcome === 'pending' ? facts.fix : undefined };
}

function rolledBack(restored: string, made: string, serves = made): RollbackOutcome {
  const replaced = serves === made ? '' : `, as build ${shortBuild(made)}, which was replaced`;
  const message = `rolled back to build ${shortBuild(restored)}${replaced}: build ${shortBuild(serves)} serves`;
  return { outcome: 'rolled-back', serves, restored, message };
}

type Detail = 'app' | 'build' | 'status' | 'reason';

function detailsOf(error: unknown): Partial<Record<Detail, string>> {
  return ((error instanceof GantryError && error.facts.details) || {}) as Partial<Record<Detail, string>>;
}

/** What serves by now decides what to do: a rollback that has succeeded needs nothing. */
function retold(error: GantryError, more: string, fix: Fix | undefined, details: Record<string, unknown>): GantryError {
  error.message += more;
  if (fix) error.facts.fix = fix;
  error.facts.details = details;
  return error;
}
