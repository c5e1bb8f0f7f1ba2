import type { Context } from '../../context.ts';
import type { App, AppCreation } from '../../contract/apps.ts';
import { shortAppName } from '../../contract/endpoint.ts';
import { ConflictError } from '../../errors.ts';
import { fileSummary, shortBuild } from '../../output/format.ts';
import type { BuildFile } from '../builds/index.ts';
import { compareSent, type Deployment, lookAtServing, type SettingChange, scalingOf } from '../deploy/index.ts';
import { type EventOf, readHistory, recordEvent } from '../history/index.ts';
import { TimeLimit } from '../waiting/index.ts';
import { chooseBuild, type RollbackChoice } from './choose-build.ts';
import { checkUnchanged, tellOthers } from './meanwhile.ts';
import {
  differentFilesError,
  differingFiles,
  FileProof,
  type Proof,
  proofOf,
  proofTexts,
  readListing,
} from './prove-files.ts';
import type { ResolvedAnew } from './resolved-anew.ts';
import { type RollbackSource, type SourceChoice, withSource } from './rollback-source.ts';

export interface RollbackOptions extends SourceChoice {
  /** The build to return to; by default the last that succeeded before the live one. */
  build?: string | undefined;
  /** Go on although the files cannot be proven to be those of the build. */
  force: boolean;
  logs: boolean;
  /** `--timeout`, if the user typed it. */
  typedMs: number | undefined;
  /** Asks nothing. */
  isConfirmed?: boolean;
  /** Scale as the earlier build was deployed, instead of as the app is scaled now. */
  restoreScaling?: boolean | undefined;
  /** The build that serves, if that is known better than from the app, which may be late to show it. */
  replaces?: string | undefined;
  /** The settings that replicas, cooldown and concurrency are taken from, if not those of the app now. */
  scaling?: Record<string, unknown> | undefined;
  /** Why, for the history. */
  reason?: string | undefined;
}

/** An earlier build of an app that was deployed again. */
export interface RolledBack {
  app: string;
  project: string;
  /** The build that served before; null if none did. */
  replaced: string | null;
  /** The earlier build. */
  restored: string;
  chosenBy: RollbackChoice['chosenBy'];
  lastCalls: RollbackChoice['lastCalls'];
  /** The new build, made of the files of the earlier one, now or by an earlier rollback; null if there is none. */
  build: string | null;
  /** A build created later that has replaced it meanwhile. */
  serves?: string;
  status: string;
  endpoint: string;
  dashboard: string;
  source: RollbackSource['kind'] | null;
  commit: string | null;
  files: number;
  /** What the settings of the app become again, under the platform's names. */
  settings: Pick<SettingChange, 'setting' | 'from' | 'to'>[];
  /** Packages without an exact version and images without a digest, which may be others than in the earlier build. */
  resolvedAnew: ResolvedAnew[];
  /** What shows that the files are those of the earlier build; null without a proof. */
  proof: Proof | null;
  changed: boolean;
}

/** Deploys an earlier build again, proven by the platform's list of its files. Throws ConflictError if they differ. */
export async function rollback(unlimited: Context, given: string, options: RollbackOptions): Promise<RolledBack> {
  const { typedMs, reason = '', fromGit } = options;
  const why = { reason, ...(fromGit !== undefined && { fromGit }) };
  const limit = new TimeLimit(unlimited, { typedMs, failure: 'rollback did not get as far as the build' });
  const { context } = limit;
  const app = shortAppName(context.project, given);
  const seen = await lookAtServing(context, app);
  const isDone = async (open: EventOf<'rolling-back'>, shown: App) =>
    (fromGit === undefined || fromGit === open.fromGit) &&
    !(options.restoreScaling && Object.keys(await changedScaling(context, app, open.to, shown)).length > 0);
  const choice = await chooseBuild(context, app, seen, { ...options, isDone });
  const { target, live } = choice;
  if (target.id === live) {
    const plan = planned(context, app, choice);
    return choice.done ? closeRollback(unlimited, plan, choice.done) : plan;
  }
  const expected = await readListing(context.api, context.project, app, target.id);
  const before = (await readHistory(context, app)).firstSettingsOf(target.id);
  const keep = options.restoreScaling
    ? scalingOf(before ?? {})
    : await changedScaling(context, app, target.id, options.scaling ?? choice.app);
  return withSource(context, { app, build: target.id, live, deployed: choice.app, keep }, options, async (source) => {
    if (!options.force) await checkSource(app, target.id, source, expected);
    const plan = planned(context, app, choice, source, expected, before);
    for (const id of seen.builds) {
      context.progress.note(`build ${shortBuild(id)} of ${app} is in progress; this rollback does not wait for it`);
    }
    await confirm(context, plan, source, options);
    const proof = new FileProof(context, app, target.id, options.force ? undefined : expected);
    const deployment = await source.deploy({
      detach: false,
      logs: options.logs,
      limit,
      check: async ({ created, lost }) => {
        if (created === undefined) return;
        const own = [...lost, ...(live === undefined ? [] : [live])];
        await checkUnchanged(context, app, seen, { created, own });
        // Before the upload: nobody may be there any more when its build serves.
        if (live !== undefined)
          await recordEvent(context, app, 'rolling-back', { from: live, to: target.id, as: created, ...why });
      },
      onUploaded: ({ buildId }, { entries }) => proof.check(buildId, entries),
    });
    limit.failure = `build ${shortBuild(deployment.build)} serves, but its files were not compared`;
    await proof.finish(deployment.build);
    limit.handOver();
    const replaced = (await tellOthers(unlimited, app, seen, deployment)) ?? live;
    // What went live meanwhile was not found sick.
    if (live !== undefined) {
      await recordEvent(unlimited, app, 'rolled-back', { from: live, to: target.id, as: deployment.build, ...why });
    }
    const { build, serves } = deployment;
    const made = `build ${shortBuild(build)} with the files of ${shortBuild(target.id)}`;
    context.progress.note(
      serves === undefined
        ? `${app} is live, ${made}`
        : `${made} has succeeded and was replaced: build ${shortBuild(serves)} of ${app} serves`,
    );
    return { ...plan, replaced: replaced ?? null, ...resultOf(deployment) };
  });
}

/** The build of an earlier rollback serves, and its end is on record from now on: typed again, it goes further back. */
async function closeRollback(
  context: Context,
  plan: RolledBack,
  { from, to, as, reason }: EventOf<'rolling-back'>,
): Promise<RolledBack> {
  const { app } = plan;
  const builds = `${shortBuild(from)} -> ${shortBuild(to)}`;
  context.progress.note(`rollback of ${app}: ${builds} has succeeded before, as build ${shortBuild(as)}`);
  const done = { ...plan, replaced: from, restored: to, build: as };
  context.willChange(`record that build ${shortBuild(as)} of ${app} has replaced ${shortBuild(from)}`, done);
  await recordEvent(context, app, 'rolled-back', { from, to, as, reason });
  return done;
}

/** The scaling that is not what the platform made of the earlier build's own settings. */
async function changedScaling(
  context: Context,
  app: string,
  build: string,
  shown: Record<string, unknown>,
): Promise<Partial<AppCreation>> {
  const before = (await readHistory(context, app)).firstSettingsOf(build) ?? {};
  const kept = Object.entries(scalingOf(shown)).filter(([field, value]) => value !== before[field]);
  return Object.fromEntries(kept);
}

/** Before anything is sent. */
async function checkSource(
  app: string,
  build: string,
  source: RollbackSource,
  expected: readonly BuildFile[] | undefined,
): Promise<void> {
  const what = source.commit === null ? 'the kept archive' : `revision ${source.commit.slice(0, 12)}`;
  const shown = shortBuild(build);
  const unproven = (why: string) =>
    new ConflictError(`cannot prove that ${what} has the files of build ${shown}`, {
      why,
      fix: 'to deploy it anyway',
      retryWith: ['--force'],
      details: { app, build },
    });
  if (!expected) throw unproven(`the platform lists no files of build ${shown}`);
  const changes = await source.compare(expected);
  if (differingFiles(changes)) {
    throw differentFilesError(`${what} does not have the files of build ${shown}`, app, changes);
  }
  if (source.kind === 'git' && changes.unverified > 0) {
    throw unproven('the platform lists no checksums, and files of equal size may differ');
  }
}

async function confirm(
  { prompt, progress, willChange }: Context,
  plan: RolledBack,
  source: RollbackSource,
  { isConfirmed }: RollbackOptions,
): Promise<void> {
  const { app, replaced, restored, chosenBy, settings } = plan;
  const replacing = replaced === null ? 'no build' : `build ${shortBuild(replaced)}`;
  const builds = `${replacing} -> ${shortBuild(restored)}`;
  const compared = plan.proof ? `, compared by ${proofTexts[plan.proof]}` : '';
  progress.note(
    `rollback of ${app}: ${builds}, ${fileSummary(source.files, source.bytes)} of ${source.origin}${compared}`,
  );
  for (const { setting, from, to } of settings) progress.note(`setting ${setting}: ${String(from)} -> ${String(to)}`);
  const anew = source.resolvedAnew.map(({ kind, requirement }) =>
    kind === 'pip' ? requirement : `${requirement} (${kind})`,
  );
  if (anew.length > 0) {
    const more = anew.length > maxShown ? ` and ${anew.length - maxShown} more` : '';
    progress.note(`installed again, perhaps in other versions: ${anew.slice(0, maxShown).join(', ')}${more}`);
  }
  if (!isConfirmed) await prompt.confirm(`Roll back ${app} to build ${shortBuild(restored)}?`);
  const guess = chosenBy === 'order' ? ', chosen by the order of builds' : '';
  willChange(`deploy build ${shortBuild(restored)} of ${app} again${guess}`, plan);
}

/** Of what is resolved anew. */
const maxShown = 8;

function planned(
  { project }: Context,
  app: string,
  { app: deployed, live, target, chosenBy, lastCalls }: RollbackChoice,
  source?: RollbackSource,
  expected?: readonly BuildFile[],
  /** What the platform made of the settings of the earlier build. */
  before?: Record<string, unknown>,
): RolledBack {
  return {
    app,
    project,
    replaced: live ?? null,
    restored: target.id,
    chosenBy,
    lastCalls,
    build: null,
    status: target.status,
    endpoint: deployed.internalEndpoint ?? '',
    dashboard: '',
    source: source?.kind ?? null,
    commit: source?.commit ?? null,
    files: source?.files ?? 0,
    settings: source ? compareSent(source.body, deployed, before) : [],
    resolvedAnew: source?.resolvedAnew ?? [],
    proof: expected ? proofOf(expected) : null,
    changed: source !== undefined,
  };
}

function resultOf({ build, serves, status, endpoint, dashboard }: Deployment) {
  return { build, status, endpoint, dashboard, ...(serves !== undefined && { serves }) };
}
