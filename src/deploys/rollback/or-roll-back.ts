import { type Fix, gantryCommand } from '../../kernel/command-line.ts';
import { abortError, GantryError, PendingError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { whyNotUsable } from '../archives/index.ts';
import { recordLook } from '../history/index.ts';
import { observe } from '../observe.ts';
import { servingBuild } from '../serving.ts';
import { teamStateOf } from '../team-state/index.ts';
import { NothingBeforeError, type RollbackOptions } from './choose-build.ts';
import { briefly, DeployedMeanwhileError, type RolledBack, returnToBuild } from './rollback.ts';

/** What became of the app after its new build was found unhealthy. */
interface RollbackOutcome {
  outcome: 'rolled-back' | 'failed' | 'pending' | 'no-earlier-build' | 'deployed-meanwhile' | 'interrupted';
  serves: string | null;
  restored?: string;
  message: string;
  /** What to type, if it is not what the failed deploy says. */
  fix?: Fix | undefined;
}

/** Says early if there would be nothing to roll back to. */
export async function warnUnlessKept(context: Context, app: string, live: string | null): Promise<void> {
  const why = live === null ? undefined : await whyNotUsable(context, app, live);
  if (live === null || why === undefined) return;
  context.progress.warn({
    severity: 'warning',
    message: `--or-rollback cannot return to build ${shortBuild(live)} of ${app}`,
    why: `there is no archive of it to deploy: ${why}`,
    ...(teamStateOf(context) === undefined && { fix: gantryCommand`config set team-state default:/.gantry` }),
  });
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

/** Returns to the build before if a new one was found sick. The deploy fails in any case; its error says which build serves. */
export async function orRollBack(
  context: Context,
  options: Pick<RollbackOptions, 'configFile' | 'logs' | 'typedMs'>,
  error: GantryError,
): Promise<never> {
  const { app = '', build = '', reason = '' } = detailsOf(error);
  const sick = { build, reason };
  const { fix, ...rollback } = await returnToBuild(context, app, { ...options, sick }).then(
    ({ build: made, restored, serves }) => rolledBack(restored, made ?? '', serves),
    (failure: unknown) => endOf(context, app, failure, build),
  );
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
  const look = await briefly(context, async (bounded) => {
    const { app: shown, serving } = await observe(bounded, app);
    return { now: servingBuild(serving), history: shown && (await recordLook(bounded, app, shown)) };
  });
  const { now, history } = look ?? {};
  const serves = now ?? null;
  const truth = now === undefined ? 'what serves is not known' : `build ${shortBuild(now)} serves`;
  const { build: made, status } = detailsOf(error);
  const done = now === undefined ? undefined : history?.openRollback(now);
  if (isInterrupted) {
    const isDone = made !== undefined && now === made;
    const isOpen = !isDone && made !== undefined && status !== 'canceled';
    const more = isOpen ? `, and build ${shortBuild(made)} may replace it` : ', and nothing was rolled back';
    const message = isDone ? `the rollback of ${app} has succeeded, ${truth}` : truth + more;
    const goOn = isOpen ? gantryCommand`logs ${app} --build ${made} -f` : gantryCommand`rollback ${app}`;
    const fix = now === undefined ? gantryCommand`apps get ${app}` : isDone ? undefined : goOn;
    return { outcome: 'interrupted', serves, message, fix };
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
