import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { ConflictError, NotFoundError, UsageError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { recordLook } from '../history/index.ts';
import { settle } from '../observe.ts';
import { scalingOf } from '../send/index.ts';
import { servingBuild } from '../serving.ts';
import { type Chosen, chooseServing, type RollbackOptions } from './choose-build.ts';
import { type Onto, type RolledBack, redeploy, startRedeploy } from './redeploy.ts';
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
  const { limit, app: from, seen } = started;
  const { context } = limit;
  const choice = await chooseServing(context, from, seen, gantryCommand`deploy --name ${to}`);
  if (!force) refuseSick(from, choice);
  const onto = await lookAtOther(context, app);
  const build = `build ${shortBuild(choice.target.id)} of ${from} again as ${app}`;
  const way = { configFile: '', logs, question: `Deploy ${build}?`, deed: `deploy ${build}` };
  const again: Work['again'] = (answered) => gantryCommand`promote ${from} ${app} ${answered}`;
  const work: Work = { app, title: 'promotion', done: 'promoted', again };
  return untilStopped(unlimited, work, () => redeploy(started, choice, onto, way));
}

function refuseSick(app: string, { history, target }: Chosen): void {
  if (!history.isSick(target.id)) return;
  const { reason = 'it was rolled back' } = history.sickness(target.id) ?? {};
  throw new ConflictError(`build ${shortBuild(target.id)} of ${app} was found sick`, {
    why: reason,
    fix: 'deploy a version that is well, or to promote it all the same',
    retryWith: ['--force'],
    details: { app, build: target.id, reason },
  });
}

/** The app that a build of another one is deployed as. It is there: what it is scaled to is kept. */
async function lookAtOther(context: Context, name: string): Promise<Onto> {
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
