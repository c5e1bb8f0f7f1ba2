import { type Fix, gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { isKnown } from '../../deploys/facts.ts';
import { settle } from '../../deploys/observe.ts';
import { type Serving, servingBuild } from '../../deploys/serving.ts';
import { abortError, GantryError, NotReadyError, PendingError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { whyNotUsable } from '../archives/index.ts';
import { type Deployment, StuckBuilds } from '../deploy/index.ts';
import { fetchApp } from '../replies/index.ts';
import { teamStateOf } from '../team-state/index.ts';
import { findBuildBefore, type KnownBuilds, laterBuilds, readBuilds, warnOfDoubts } from './choose-build.ts';
import { readDespiteInterrupt } from './interruption.ts';
import { DeployedMeanwhileError } from './meanwhile.ts';
import { type RollbackOptions, rollback } from './rollback.ts';

/** What became of the app after its new build was found unhealthy. */
interface RollbackOutcome {
  outcome: 'rolled-back' | 'failed' | 'pending' | 'no-earlier-build' | 'deployed-meanwhile' | 'interrupted';
  /** The build that serves; null if that is not known. */
  serves: string | null;
  /** The build that was deployed again. */
  restored?: string;
  message: string;
  /** What to type, if it is not what the failed deploy says. */
  fix?: Fix;
}

/** Says early if there would be nothing to roll back to. */
export async function warnUnlessKept(context: Context, app: string, live: string | null): Promise<void> {
  const why = live === null ? undefined : await whyNotUsable(context, app, live);
  if (live === null || why === undefined) return;
  context.progress.warn({
    severity: 'warning',
    message: `--or-rollback cannot return to build ${shortBuild(live)} of ${app}`,
    why: `there is no archive of it to deploy: ${why}`,
    ...(teamStateOf(context) === undefined && { fix: shareWithTeam }),
  });
}

const shareWithTeam = gantryCommand`config set team-state default:/.gantry`;

/**
 * Deploys, and returns to the build before if the new one is found unhealthy. The deploy fails in any case; its error
 * says which build serves.
 */
export async function orRollBack(
  context: Context,
  options: AfterDeployOptions,
  deploy: () => Promise<Deployment>,
): Promise<Deployment> {
  try {
    return await deploy();
  } catch (error) {
    const { app, build, verdict, reason } = (
      error instanceof NotReadyError ? (error.facts.details ?? {}) : {}
    ) as Details;
    if (!(error instanceof NotReadyError) || app === undefined || build === undefined || verdict !== 'sick')
      throw error;
    const rollback = await rollBack(context, { app, build, reason }, options);
    const isInterrupted = rollback.outcome === 'interrupted';
    const end = isInterrupted ? abortError(context.signal) : error;
    end.message = isInterrupted ? `${end.message}: ${rollback.message}` : `${end.message}; ${rollback.message}`;
    // What serves by now decides: a rollback that has succeeded needs none.
    if (rollback.fix) end.facts.fix = rollback.fix;
    const { fix: _, ...told } = rollback;
    end.facts.details = { ...error.facts.details, rollback: told };
    throw end;
  }
}

type AfterDeployOptions = Pick<RollbackOptions, 'configFile' | 'logs' | 'typedMs'>;

interface Details {
  app?: string;
  build?: string;
  verdict?: string;
  reason?: string;
}

async function rollBack(
  context: Context,
  { app, build, reason }: { app: string; build: string; reason?: string | undefined },
  options: AfterDeployOptions,
): Promise<RollbackOutcome> {
  let target: string | undefined;
  try {
    const { builds, list, serving } = await settle(context, app);
    const known = await readBuilds(context, app, isKnown(builds) ? list : undefined);
    const other = await findLaterDeploy(context, app, build, known, serving);
    if (other) return other;
    const before = findBuildBefore(known, build);
    await warnOfDoubts(context, app, known, before);
    if (!before.build) {
      const message = `there is no build to return to: build ${shortBuild(build)} still serves`;
      return { outcome: 'no-earlier-build', serves: build, message };
    }
    target = before.build.id;
    const scaling = known.history.settingsOf(target);
    const all = { ...options, build: target, replaces: build, force: false, isConfirmed: true, scaling, reason };
    const { build: made, serves = made, restored } = await rollback(context, app, all);
    const replaced = serves === made ? '' : `, as build ${shortBuild(made ?? '')}, which was replaced`;
    return {
      outcome: 'rolled-back',
      serves,
      restored,
      message: `rolled back to build ${shortBuild(restored)}${replaced}: build ${shortBuild(serves ?? '')} serves`,
    };
  } catch (error) {
    if (context.signal.aborted) return interrupted(context, app, build);
    if (!(error instanceof GantryError)) throw error;
    if (error instanceof DeployedMeanwhileError) {
      return { outcome: 'deployed-meanwhile', serves: error.serves, message: error.message };
    }
    const reason = error.facts.why ? `${error.message} (${error.facts.why})` : error.message;
    const serves = await readLive(context, app);
    const truth = serves === null ? '' : `: build ${shortBuild(serves)} serves`;
    // It may have become ready since.
    if (target !== undefined && serves !== null && serves === error.facts.details?.build) {
      const message = `rolled back to build ${shortBuild(target)}${truth}`;
      return { outcome: 'rolled-back', serves, restored: target, message };
    }
    if (error instanceof PendingError) {
      const message = `the rollback was not seen to its end: ${reason}${serves === null ? '' : `; until then, build ${shortBuild(serves)} serves`}`;
      return { outcome: 'pending', serves, message, ...(error.facts.fix && { fix: error.facts.fix }) };
    }
    return { outcome: 'failed', serves, message: `the rollback failed: ${reason}${truth}` };
  }
}

/** Says what serves: the sick build, unless the one that replaces it was faster. */
async function interrupted(context: Context, app: string, build: string): Promise<RollbackOutcome> {
  const serves = await readDespiteInterrupt(context, app);
  const [truth, fix] =
    serves === null
      ? ['and what serves now is not known', gantryCommand`apps get ${app}`]
      : serves === build
        ? ['and still serves', gantryCommand`rollback ${app}`]
        : [`and build ${shortBuild(serves)} serves now`, gantryCommand`builds list ${app}`];
  const message = `build ${shortBuild(build)} of ${app} was found sick, ${truth}`;
  return { outcome: 'interrupted', serves, message, fix };
}

/** Somebody else deployed while this build was watched: that is not rolled back. */
async function findLaterDeploy(
  context: Context,
  app: string,
  build: string,
  known: KnownBuilds,
  serving: Serving,
): Promise<RollbackOutcome | undefined> {
  const outcome = 'deployed-meanwhile';
  const serves = servingBuild(serving) ?? null;
  if (serves !== null && serves !== build) {
    const message = `build ${shortBuild(serves)} was deployed meanwhile and serves: nothing rolled back`;
    return { outcome, serves, message };
  }
  const [later] = await new StuckBuilds(context, app).without(laterBuilds(known, build));
  if (!later) return undefined;
  return {
    outcome,
    serves,
    message: `another build, ${shortBuild(later.id)}, is in progress: nothing rolled back`,
  };
}

async function readLive({ api, project }: Pick<Context, 'api' | 'project'>, app: string): Promise<string | null> {
  try {
    return liveBuild(await fetchApp(api, { project, app })) ?? null;
  } catch (error) {
    if (error instanceof GantryError) return null;
    throw error;
  }
}
