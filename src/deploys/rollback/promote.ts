import { closestName } from '../../kernel/closest-name.ts';
import { type Fix, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { ConflictError, InputNeededError, NotFoundError, UsageError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { unlessMissing } from '../../platform/waiting/index.ts';
import { findAppNames } from '../apps.ts';
import { type AppHistory, type BuildCommit, recordEvent } from '../history/index.ts';
import { type Settled, settleDeployed } from '../observe.ts';
import { scalingOf } from '../send/index.ts';
import { chooseServing, type RollbackOptions, sicknessOf } from './choose-build.ts';
import { planOf, type RolledBack, redeploy, startRedeploy } from './redeploy.ts';
import { untilStopped, type Work } from './rollback.ts';

/** Deploys the build of an app that serves as another app of the project. Throws ConflictError for one that was found sick. */
export async function promote(
  unlimited: Context,
  given: string,
  to: string,
  { logs, typedMs, force }: Pick<RollbackOptions, 'logs' | 'typedMs' | 'force'>,
): Promise<RolledBack> {
  const app = shortAppName(unlimited.project, to);
  if (app === shortAppName(unlimited.project, given)) throw new UsageError(`${app} cannot be promoted to itself`);
  const started = await startRedeploy(unlimited, given, 'promotion', typedMs);
  const { limit, app: from, reading } = started;
  const { context } = limit;
  const choice = await chooseServing(context, from, reading, (commit) => withoutArchive(from, app, commit));
  if (!force) refuseSick(from, reading, choice.target.id);
  const onto = await readOther(context, app, from);
  if (!force && serveSame(reading, onto)) {
    context.progress.note(`${app} serves these files already, as they were sent to ${from}`);
    return { ...planOf(context, app, choice, onto), build: onto.live ?? null };
  }
  if (!force) await askIfOther(context, reading, onto, `${app} is another app than ${from}, which would replace it`);
  const build = `build ${shortBuild(choice.target.id)} of ${from} again as ${app}`;
  const { region } = onto.app;
  const keep = { ...scalingOf(onto.app), name: app, ...(region && { region }) };
  const way = { ...choice, onto, keep, configFile: '', logs, question: `Deploy ${build}?`, deed: `deploy ${build}` };
  const again: Work['again'] = (flags) => gantryCommand`promote ${from} ${app} ${flags}`;
  const work: Work = { app, title: 'promotion', done: 'promoted', again };
  const promoted = await untilStopped(unlimited, work, () => redeploy(started, way));
  // What is known of the files goes with them.
  const sickness = reading.history.sickness(choice.target.id);
  if (sickness && promoted.build !== null) {
    const { verdict, reason, watchedMs, seen, watchMs } = sickness;
    await recordEvent(unlimited, app, 'verdict', { build: promoted.build, verdict, reason, watchedMs, seen, watchMs });
  }
  return promoted;
}

/** What is in a folder may be another version than what was tried. */
function withoutArchive(from: string, to: string, { commit, dirty }: BuildCommit): Fix {
  if (commit && !dirty)
    return sentence`deploy the same commit: git worktree add DIR ${commit}, and in that folder ${gantryCommand`deploy --name ${to}`}`;
  const keep = gantryCommand`config set team-state default:/.gantry`;
  return sentence`let a machine that deploys keep its archives for others: ${keep}; then deploy ${from} once more`;
}

/** Whether the same was sent for both builds, and the one that serves is not known to be sick. */
function serveSame(from: Settled, { history: other, live }: Settled): boolean {
  const promoted = from.history.sent(from.live);
  const same = other.sent(live);
  const isEqual = promoted?.filesDigest === same?.filesDigest && promoted?.settingsDigest === same?.settingsDigest;
  return promoted !== undefined && live !== undefined && isEqual && !other.isSick(live);
}

/** Asks before another app is replaced, which the names of both in their config files prove: one of these may be mistyped. */
async function askIfOther({ prompt }: Context, from: Settled, to: Settled, message: string): Promise<void> {
  const ours = namesOf(from.history);
  const theirs = namesOf(to.history);
  const isProven = from.history.sent(from.live)?.inFile && to.history.sent(to.live)?.inFile;
  // A stage may have a config file of its own, with a name that begins like the other one.
  const isStage = ours.some((ourName) => theirs.some((name) => ourName.startsWith(name) || name.startsWith(ourName)));
  if (!isProven || isStage) return;
  if (prompt.isPossible) return prompt.confirm(`${message}. Replace it?`);
  const why = `their config files name them ${ours.join(', ')} and ${theirs.join(', ')}`;
  throw new InputNeededError(message, { why, fix: 'to replace it all the same', retryWith: ['--force'] });
}

function namesOf({ events }: AppHistory): string[] {
  const names = events.flatMap((event) => (event.event === 'sent' && event.inFile) || []);
  return [...new Set(names)];
}

function refuseSick(app: string, { history }: Settled, live: string): void {
  const { message, why } = sicknessOf(app, history, live) ?? {};
  if (message === undefined) return;
  throw new ConflictError(message, {
    why,
    fix: 'deploy a version that is well, or to promote it all the same',
    retryWith: ['--force'],
    details: { app, build: live, reason: why },
  });
}

/** The app that a build of another one is deployed as. It is there: what it is scaled to is kept. */
async function readOther(context: Context, name: string, from: string): Promise<Settled> {
  const reading = await unlessMissing(settleDeployed(context, name));
  if (reading) return reading;
  const names = ((await findAppNames(context)) ?? []).filter((each) => each !== from);
  const meant = closestName(name, names);
  const fix = /[/:]/.test(name)
    ? sentence`for another project, deploy the same commit there: ${gantryCommand`deploy -p OTHER`}`
    : gantryCommand`deploy --name ${name} --new`;
  const suggestion = meant ? `: did you mean ${meant}?` : '';
  throw new NotFoundError(`app ${name} not found in ${context.project}${suggestion}`, {
    why: 'a build is promoted to an app that is there, in the same project',
    fix: meant ? gantryCommand`promote ${from} ${meant}` : fix,
    details: { app: name },
  });
}
