import { UsageError } from '../../kernel/errors.ts';
import { duration, fileSummary, shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { TimeLimit } from '../../platform/waiting/index.ts';
import { recordEvent, recordLook } from '../history/index.ts';
import { settle } from '../observe.ts';
import { compareSent, type Deployment, othersInProgress, type SettingChange, scalingOf } from '../send/index.ts';
import { servingBuild } from '../serving.ts';
import { type Chosen, changedScaling, chooseBuild, type RollbackOptions } from './choose-build.ts';
import { checkServes, checkUnchanged, untilReplaced } from './others.ts';
import { type Proof, proofTexts, proveFiles, type RollbackSource, type SourceFacts, withSource } from './source.ts';

type Made = Pick<Deployment, 'app' | 'project' | 'status' | 'endpoint' | 'dashboard' | 'changed'>;

/** An earlier build of an app that was deployed again, as the command prints it. */
export interface RolledBack extends Made, SourceFacts {
  /** The build that served before; null if none did. */
  replaced: string | null;
  /** The earlier build. */
  restored: string;
  chosenBy: Chosen['chosenBy'];
  /** The new build, made of the files of the earlier one, now or by an earlier rollback; null if there is none. */
  build: string | null;
  /** A build created later that has replaced it meanwhile. */
  serves?: string;
  /** What the settings of the app become again, under the platform's names. */
  settings: Pick<SettingChange, 'setting' | 'from' | 'to'>[];
  /** What shows that the files are those of the earlier build. */
  proof: Proof | null;
}

/** Deploys an earlier build again, once it is proven that its files are the same. Throws ConflictError if they differ. */
export async function returnToBuild(unlimited: Context, given: string, options: RollbackOptions): Promise<RolledBack> {
  const { typedMs, sick, fromGit, restoreScaling, force, logs, again } = options;
  const { onto } = again ?? {};
  const what = !again ? 'rollback' : onto === undefined ? 'restart' : 'promotion';
  const limit = new TimeLimit(unlimited, { typedMs, failure: `${what} did not get as far as the build` });
  const { context } = limit;
  const [from, app] = [given, onto ?? given].map((name) => shortAppName(context.project, name)) as [string, string];
  if (app === from && onto !== undefined) throw new UsageError(`${app} cannot be promoted to itself`);
  const read = await settle(context, from);
  if (sick) await checkServes(context, from, read, sick.build);
  const choice = await chooseBuild(context, from, read, options);
  const { target, history } = choice;
  const place = { ...choice, seen: read, ...(onto !== undefined && (await lookAtOther(context, app))) };
  const { app: deployed, live, seen } = place;
  if (choice.do === 'nothing') return closeRollback(unlimited, planOf(context, app, place), choice);
  const record = async (event: 'rolling-back' | 'rolled-back', as: string) => {
    const facts = { to: target.id, as, reason: sick?.reason ?? '', ...(fromGit !== undefined && { fromGit }) };
    if (live !== undefined && !again) await recordEvent(unlimited, app, event, { from: live, ...facts });
  };
  const made = history.firstSettingsOf(target.id);
  const scaling = (sick && history.settingsOf(target.id)) ?? deployed;
  const keep = restoreScaling ? scalingOf(made ?? {}) : changedScaling(history, target.id, scaling);
  const { region } = deployed;
  const asOther = onto !== undefined && { ...scalingOf(deployed), name: app, ...(region && { region }) };
  return withSource(context, from, { ...choice, keep: asOther || keep }, options, async (source) => {
    const proof = force ? null : await proveFiles(context, from, target.id, source);
    const settings = compareSent(source.body, deployed, made);
    const plan = { ...planOf(context, app, place), ...source.facts, settings, proof, changed: true };
    for (const { id } of othersInProgress(seen, []).first) {
      context.progress.note(`build ${shortBuild(id)} of ${app} is in progress; this ${what} does not wait for it`);
    }
    sayPlan(context, plan, source, choice, what);
    const [was, is] = [place.history.sent(live ?? '')?.commit, plan.commit];
    if (was && is && was !== is) context.progress.note(`commit ${was.slice(0, 12)} -> ${is.slice(0, 12)}`);
    const once = `build ${shortBuild(target.id)} of ${from} again${onto === undefined ? '' : ` as ${app}`}`;
    if (!sick || choice.chosenBy === 'order')
      await context.prompt.confirm(again ? `Deploy ${once}?` : `Roll back ${app} to build ${shortBuild(target.id)}?`);
    const guess = choice.chosenBy === 'order' ? ', chosen by the order of builds' : '';
    context.willChange(`deploy ${once}${guess}`, plan);
    const deployment = await source.deploy({
      detach: false,
      logs,
      limit,
      check: async ({ created, hasLost }) => {
        if (created === undefined) return;
        await checkUnchanged(context, app, seen, { created, own: live === undefined ? [] : [live], hasLost });
        // Before the upload: nobody may be there any more when its build serves.
        await record('rolling-back', created);
      },
    });
    const remainingMs = limit.handOver();
    const { build: as, serves, status, endpoint, dashboard } = deployment;
    await record('rolled-back', as);
    const restored = `build ${shortBuild(as)} with the files of ${shortBuild(target.id)}`;
    const isReplaced = `has succeeded and was replaced: build ${shortBuild(serves ?? '')} of ${app} serves`;
    context.progress.note(serves === undefined ? `${app} is live, ${restored}` : `${restored} ${isReplaced}`);
    const result = { ...plan, build: as, status, endpoint, dashboard };
    if (what === 'restart') await untilReplaced(unlimited, app, as, seen, remainingMs);
    return serves === undefined ? result : { ...result, serves };
  });
}

/** The app that a build of another one is deployed as. It is there: what it is scaled to is kept. */
async function lookAtOther(context: Context, name: string) {
  const seen = await settle(context, name);
  const app = seen.app ?? (await fetchApp(context.api, { project: context.project, app: name }));
  const history = await recordLook(context, name, app);
  return { seen, app, history, live: servingBuild(seen.serving) ?? liveBuild(app) };
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
  progress.note(`${title} of ${app}: ${replacing} -> ${shortBuild(restored)}, ${what}`);
  const tookMs = Date.parse(target.updatedAt ?? '') - Date.parse(target.createdAt ?? '');
  const took = tookMs > 0 ? `; building ${shortBuild(restored)} took ${duration(tookMs)}` : '';
  if (replaced !== null) progress.note(`${app} stays on ${shortBuild(replaced)} until the new build is ready${took}`);
  for (const { setting, from, to } of settings) progress.note(`setting ${setting}: ${String(from)} -> ${String(to)}`);
  const anew = resolvedAnew.map(({ kind, requirement }) => requirement + (kind === 'pip' ? '' : ` (${kind})`));
  const more = anew.length > maxShown ? ` and ${anew.length - maxShown} more` : '';
  const shown = anew.slice(0, maxShown).join(', ') + more;
  if (shown !== '') progress.note(`installed again, perhaps in other versions: ${shown}`);
}

/** Of what is resolved anew. */
const maxShown = 8;

function planOf({ project }: Context, app: string, { app: shown, live, target, chosenBy }: Chosen): RolledBack {
  return {
    ...{ app, project, replaced: live ?? null, restored: target.id, chosenBy, build: null, status: target.status },
    ...{ endpoint: shown.internalEndpoint ?? '', dashboard: '', source: null, commit: null, archive: null, files: 0 },
    ...{ settings: [], resolvedAnew: [], proof: null, changed: false },
  };
}
