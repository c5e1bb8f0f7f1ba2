import { type Fix, gantryCommand } from '../../kernel/command-line.ts';
import { abortError, GantryError, PendingError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { cleanupSignal, contextUntil, unless } from '../../platform/waiting/index.ts';
import { recordEvent, recordLook } from '../history/index.ts';
import { type AppReading, observe } from '../observe.ts';
import { DeployedMeanwhileError, wasCreated, whichCanStart } from '../send/index.ts';
import { mayReplace, servingBuild } from '../serving.ts';
import { type Chosen, chooseBuild, keptScaling, NothingBeforeError, type RollbackOptions } from './choose-build.ts';
import { planOf, type Redeploy, type RolledBack, redeploy, startRedeploy } from './redeploy.ts';

/** What became of the app after its new build was found unhealthy. */
interface RollbackOutcome {
  outcome: 'rolled-back' | 'failed' | 'pending' | 'no-earlier-build' | 'deployed-meanwhile' | 'interrupted';
  serves: string | null;
  restored?: string;
  message: string;
  /** What to type, if it is not what the failed deploy says. */
  fix?: Fix | undefined;
}

/** Rolls back by hand. */
export function rollback(context: Context, app: string, options: RollbackOptions): Promise<RolledBack> {
  return untilStopped(context, rollbackOf(app), () => returnToBuild(context, app, options));
}

/** A command that deploys a build again, for what is said if it is interrupted. */
export interface Work {
  app: string;
  title: Redeploy['title'];
  done: string;
  /** Its line, to be typed again. */
  again: (flags: { '--yes'?: true }) => Fix;
  /** The new build, once it serves and only replicas of before are waited for. */
  made?: string | null;
}

const rollbackOf = (app: string): Work => ({
  app,
  title: 'rollback',
  done: 'rolled back',
  again: (flags) => gantryCommand`rollback ${app} ${flags}`,
});

/** An interruption after the build was created says what serves: the new build may have been faster. */
export async function untilStopped<Result>(context: Context, work: Work, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const { build = work.made, status } = detailsOf(error);
    if (!context.signal.aborted || !build) throw error;
    const { message, fix, serves } = await endOf(context, work, error);
    throw retold(abortError(context.signal), `: ${message}`, fix, { app: work.app, build, status, serves });
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
    (failure: unknown) => endOf(context, rollbackOf(app), failure, build),
  );
  // An interruption ends the wait for the log, and changes nothing of what has become of the app.
  await explained?.().catch((failure: unknown) => {
    if (!context.signal.aborted) throw failure;
  });
  const details = { ...error.facts.details, rollback };
  if (!context.signal.aborted) throw retold(error, `; ${rollback.message}`, fix, details);
  const sickness = `build ${shortBuild(build)} of ${app} was found sick`;
  throw retold(abortError(context.signal), `: ${sickness}; ${rollback.message}`, fix, details);
}

async function returnToBuild(unlimited: Context, given: string, options: RollbackOptions): Promise<RolledBack> {
  const { typedMs, sick, fromGit } = options;
  const started = await startRedeploy(unlimited, given, 'rollback', typedMs);
  const { app, reading } = started;
  const { context } = started.limit;
  if (sick) await checkServes(context, app, reading, sick.build);
  const onto = sick ? { ...reading, live: sick.build } : reading;
  const choice = await chooseBuild(context, app, onto, options);
  const { live } = onto;
  const { target } = choice;
  if (target.id === live) return closeRollback(unlimited, planOf(context, app, choice, onto), choice);
  const build = `build ${shortBuild(target.id)}`;
  return redeploy(started, {
    ...options,
    ...choice,
    onto,
    keep: keptScaling(onto, choice, options),
    // Nobody is asked for the way back from a sick build.
    question: sick ? undefined : `Roll back ${app} to ${build}?`,
    deed: `deploy ${build} of ${app} again`,
    recorded: live === undefined ? undefined : { from: live, to: target.id, reason: sick?.reason ?? '', fromGit },
  });
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

/** A sick build is rolled back if it serves, and if nothing that was created later is about to. */
async function checkServes(context: Context, app: string, reading: AppReading, sick: string): Promise<void> {
  const serves = servingBuild(reading.serving);
  if (serves !== undefined && serves !== sick) throw new DeployedMeanwhileError(app, serves, 'serves now', reading);
  const since = reading.list.filter(({ id }) => id !== sick && mayReplace(reading, id, sick));
  const [later] = await whichCanStart(context, app, since);
  if (later) throw new DeployedMeanwhileError(app, later.id, wasCreated, reading);
}

interface Ending {
  of: abstract new (...args: never[]) => Error;
  outcome: RollbackOutcome['outcome'];
  /** What is said before the message of the error, and between that and what serves. */
  intro: string;
  outro: string;
}

/** What an error means for the app. */
const endings: readonly Ending[] = [
  { of: DeployedMeanwhileError, outcome: 'deployed-meanwhile', intro: '', outro: '' },
  { of: NothingBeforeError, outcome: 'no-earlier-build', intro: '', outro: ': ' },
  { of: PendingError, outcome: 'pending', intro: 'the rollback was not seen to its end: ', outro: '; until then, ' },
  { of: Error, outcome: 'failed', intro: 'the rollback failed: ', outro: ': ' },
];

/** How a rollback has ended that did not return, by what serves now: its build may have been faster. */
async function endOf(context: Context, work: Work, error: unknown, sick?: string): Promise<RollbackOutcome> {
  const { app } = work;
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
  if (isInterrupted) return interruptedEnd(context, work, detailsOf(error), { now, truth });
  // It may have become ready since.
  if (done && done.from === sick) return rolledBack(done.to, done.as);
  const { message, facts } = error as GantryError;
  const { outcome, intro, outro } = endings.find(({ of }) => error instanceof of) as Ending;
  const why = facts.why ? ` (${facts.why})` : '';
  const told = `${intro}${message}${why}${outro && now !== undefined ? outro + truth : ''}`;
  return { outcome, serves, message: told, fix: outcome === 'pending' ? facts.fix : undefined };
}

function interruptedEnd(
  { prompt }: Context,
  { app, title, done, again, made: live }: Work,
  { build: made = '', status }: ReturnType<typeof detailsOf>,
  { now, truth }: { now: string | undefined; truth: string },
): RollbackOutcome {
  const line = again(prompt.isConfirmed ? { '--yes': true } : {});
  const rows: [isSo: boolean, message: string, fix: Fix | undefined][] = [
    [live === now, `${truth}, and replicas of earlier builds may be left`, gantryCommand`apps containers ${app}`],
    [made === '' || status === 'canceled', `${truth}, and nothing was ${done}`, line],
    [made === now, `the ${title} of ${app} has succeeded, ${truth}`, undefined],
    [true, `${truth}, and build ${shortBuild(made)} may replace it`, gantryCommand`logs ${app} --build ${made} -f`],
  ];
  const [, message, fix] = rows.find(([isSo]) => isSo) as (typeof rows)[number];
  const unseen = now === undefined ? gantryCommand`apps get ${app}` : fix;
  return { outcome: 'interrupted', serves: now ?? null, message, fix: unseen };
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
