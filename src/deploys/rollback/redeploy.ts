import { fileSummary, shortBuild, shortList } from '../../kernel/output/format.ts';
import { anything, boolean, choice, nullable, type ObjectOf, objects, optional, text } from '../../kernel/shape.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { ownStatus } from '../../platform/contract/builds.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { TimeLimit } from '../../platform/waiting/index.ts';
import { proofs } from '../builds/index.ts';
import { type EventOf, recordEvent } from '../history/index.ts';
import { type Settled, settleDeployed } from '../observe.ts';
import { compareSent, type Deployment, type Guard, whichCanStart, whyDeployedMeanwhile } from '../send/index.ts';
import type { Chosen, RollbackOptions } from './choose-build.ts';
import { proofTexts, proveFiles, type RollbackSource, sourceFields, withSource } from './source.ts';

/** An earlier build of an app that was deployed again, now or by an earlier rollback, as the command prints it. */
export const rolledBackFields = {
  app: text('app name'),
  project: text('project'),
  replaced: nullable(text('build that served before')),
  restored: text('earlier build'),
  build: nullable(text('new build, made of the files of the earlier one'), 'the earlier one serves itself'),
  status: nullable(text('final status of the build; null with --dry-run')),
  endpoint: text('URL of the app'),
  dashboard: text('URL of the app in the dashboard'),
  ...sourceFields,
  settings: objects('settings that change with it', {
    setting: text('name'),
    from: anything('deployed value'),
    to: anything('value of the earlier build'),
  }),
  proof: nullable(
    choice(
      proofs,
      "what shows that its files are the same: the record of what was sent, or the platform's list; null: nothing",
    ),
  ),
  serves: optional(text('a build created later that has replaced this one meanwhile')),
  changed: boolean('false if the build serves already'),
};
export type RolledBack = ObjectOf<typeof rolledBackFields>;

/** A command that deploys a build again, and what its app shows at first. */
export interface Redeploy {
  title: 'rollback' | 'restart' | 'promotion';
  limit: TimeLimit;
  app: string;
  reading: Settled;
}

export async function startRedeploy(
  unlimited: Context,
  given: string,
  title: Redeploy['title'],
  typedMs?: number,
): Promise<Redeploy> {
  const limit = new TimeLimit(unlimited, { typedMs, failure: `${title} did not get as far as the build` });
  const app = shortAppName(unlimited.project, given);
  return { title, limit, app, reading: await settleDeployed(limit.context, app) };
}

/** What is deployed again, as which app, and what is said and done besides. */
interface Way extends Chosen, Pick<RollbackOptions, 'fromGit' | 'configFile' | 'force' | 'logs'> {
  /** The app that gets it, and what that keeps of its settings: its name as well, if it is another one. */
  onto: Settled;
  keep: Partial<AppCreation>;
  /** Undefined: nobody is asked. */
  question: string | undefined;
  /** `deploy build b-1 of web again`. */
  deed: string;
  /** What is on record of a rollback before its upload. */
  recorded?: Omit<EventOf<'rolling-back'>, 'at' | 'by' | 'event' | 'as'> | undefined;
}

/** Deploys an earlier build again, once it is proven that its files are the same. Throws ConflictError if they differ. */
export async function redeploy(started: Redeploy, way: Way): Promise<RolledBack> {
  const { title, limit, app: from, reading } = started;
  const { context, unlimited } = limit;
  const { target, onto, keep, recorded, question, deed, force, logs } = way;
  const { live } = onto;
  const app = keep.name ?? from;
  return withSource(context, { ...started, ...way }, async (source) => {
    const proof = force ? null : await proveFiles(context, from, target.id, source);
    const settings = compareSent(source.body, onto.app, reading.history.firstSettingsOf(target.id));
    const plan = { ...planOf(context, app, way, onto), ...source.facts, settings, proof, changed: true };
    sayPlan(context, plan, source, title);
    sayCommits(context, onto.history.sent(live)?.commit, plan.commit);
    if (question !== undefined) await context.prompt.confirm(question);
    context.willChange(deed, { ...plan, status: null });
    if (live !== undefined) context.progress.note(`${app} stays on ${shortBuild(live)} until the new build is ready`);
    for (const { id } of await whichCanStart(context, app, onto.list))
      context.progress.note(`build ${shortBuild(id)} of ${app} is in progress; this ${title} does not wait for it`);
    const guard: Guard = (sending) => whyDeployedMeanwhile(context, onto, sending);
    const { deployment } = await source.deploy({ logs, limit, guard, rollback: recorded });
    limit.handOver();
    const { build: as, serves, status, endpoint, dashboard } = deployment;
    if (recorded) await recordEvent(unlimited, app, 'rolled-back', { ...recorded, as });
    sayEnd(context, deployment, target.id);
    return { ...plan, build: as, status, endpoint, dashboard, serves };
  });
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

/** Once, before it asks: from where to where. */
function sayPlan(
  { progress }: Context,
  { app, replaced, restored, proof, settings, files, resolvedAnew }: RolledBack,
  { origin, bytes }: RollbackSource,
  title: string,
): void {
  const replacing = replaced === null ? 'no build' : `build ${shortBuild(replaced)}`;
  const what = `${fileSummary(files, bytes)} of ${origin}${proof ? `, ${proofTexts[proof]}` : ''}`;
  const steps = replaced === restored ? '' : ` -> ${shortBuild(restored)}`;
  progress.note(`${title} of ${app}: ${replacing}${steps}, ${what}`);
  for (const { setting, from, to } of settings) progress.note(`setting ${setting}: ${String(from)} -> ${String(to)}`);
  const anew = resolvedAnew.map(({ kind, requirement }) => requirement + (kind === 'pip' ? '' : ` (${kind})`));
  if (anew.length > 0) progress.note(`installed again, perhaps in other versions: ${shortList(anew, maxShown)}`);
}

/** How many names are shown of what is resolved anew. */
const maxShown = 8;

export function planOf(
  { project }: Context,
  app: string,
  { target }: Chosen,
  { app: shown, live }: Settled,
): RolledBack {
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
