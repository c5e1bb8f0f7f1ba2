import { largestFiles } from '../../app/collect.ts';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import {
  AuthError,
  ConflictError,
  FailedError,
  NotFoundError,
  RateLimitedError,
  throwUnexpected,
} from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { once } from '../../kernel/once.ts';
import { shortBuild, shortList, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type App, appIsUnwell, liveBuild } from '../../platform/contract/apps.ts';
import { type Build, buildHasFailed, ownStatus } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { dashboardUrl } from '../apps.ts';
import { readKeptFiles } from '../archives/index.ts';
import {
  type BuildFile,
  changedPaths,
  compareListings,
  type FileChanges,
  listFiles,
  unchangedFiles,
} from '../builds/index.ts';
import { type BeforeFacts, firstTrue } from '../decide.ts';
import { allApps, readHistory, recordLook } from '../history/index.ts';
import { type AppReading, buildsText, lookForBad } from '../observe.ts';
import { type Serving, servingBuild } from '../serving.ts';
import type { ReadSecrets } from './app-secrets.ts';
import {
  type CreateAppOptions,
  chooseRegion,
  compareSettings,
  describeSetup,
  isCertain,
  isPublic,
  makeSettings,
  scalingOf,
} from './app-settings.ts';
import { type Deployment, digestsOf, readSentFiles, secretsMark } from './deploy-record.ts';
import { asNamed, fileDecisions, type LocalApp, readLocalApp } from './local-app.ts';

/** The app on disk beside the deployed one. */
export type Planned = Awaited<ReturnType<typeof planDeploy>>;

/** What a deploy would send and change: the result of `deploy --dry-run`. */
export type DeployPlan = Planned['plan'];

/** Which settings and what else is asked for: the same flags as of a deploy. */
export interface PlanOptions extends Omit<CreateAppOptions, 'keep'> {
  /** Compare the checksums of local files. */
  compares: boolean;
  /** Do not ask the platform for the files of the live build if those on record as sent for it are equal. */
  ifChanged?: boolean | undefined;
  /** List all files, and why they are sent. */
  files?: boolean | undefined;
  /** Fail if the deployed app cannot be read: the comparison is the result. */
  dryRun: boolean;
  /** Keep the deployed replicas, cooldown and concurrency instead of those of the file. */
  keepScaling?: boolean | undefined;
}

/** Compares the app on disk with the deployed one. If that fails, throws on a dry run and warns otherwise. */
export async function planDeploy(context: Context, local: LocalApp, deployed: DeployedApp, options: PlanOptions) {
  const { config, entries, bytes } = local;
  const { name } = config;
  const { app, exists, history } = deployed;
  const deployedFacts = shownOf(app);
  const facts = { isNew: exists === false, region: deployedFacts.region };
  const region = chooseRegion(context.settings.region, config.hardware.region, facts);
  const keep = { ...(options.keepScaling && scalingOf(app)), ...(region && { region }) };
  const made = makeSettings(config, { ...options, keep });
  // What is on record as sent for the live build, and the app by the name that it was sent with, as the platform lists it.
  const sent = history.sent(deployedFacts.build);
  const { named: sentAs = name } = sent ?? {};
  const named = sentAs === name ? local : await asNamed(local, sentAs);
  const settings = compareSettings(config, made.body, app, history.fileSettings(deployedFacts.build));
  const setup = describeSetup(config, made.body);
  const isOpen = isPublic(config);
  const digests = once(async () => digestsOf(config, await readSentFiles(local), made.own));
  const isAsSent = async () => sent?.filesDigest === (await digests()).filesDigest;
  const fileChanges = await compareWithBuild(context, { app, local, named, isAsSent }, options);
  const plan = {
    dryRun: true as const,
    app: name,
    project: context.project,
    runtime: config.runtime,
    exists,
    ...deployedFacts,
    keep,
    public: isOpen,
    setup,
    settings,
    fileChanges,
    send: {
      files: entries.length,
      bytes,
      largest: largestFiles(entries).map(({ path, size }) => ({ path, bytes: size })),
    },
    selection: options.files ? fileDecisions(local) : null,
    older: false,
    because: null as string | null,
    changed: deployedFacts.build === null || settings.some(isCertain) || changedPaths(fileChanges).length > 0,
  };
  return { plan, made, history, sent, local, digests };
}

/** What a plan has of the deployed app. */
function shownOf(app: App) {
  const { status = null, internalEndpoint: endpoint = '', region, lastBuildStatus: last = '' } = app;
  const failedBuild = buildHasFailed(last) ? ownStatus(last) : null;
  return { build: liveBuild(app) ?? null, status, endpoint, region: region || null, failedBuild };
}

/** What is shown of an app that is not there, or cannot be read. */
const nothingShown: App = { id: '' };

/** The deployed app, and what is on record of it. `exists`: null if that is not known. */
export type DeployedApp = Awaited<ReturnType<typeof readDeployedApp>>;

/** Throws on a dry run if that fails, and warns otherwise. */
export async function readDeployedApp(context: Context, name: string, options: Pick<PlanOptions, 'dryRun'>) {
  const fetched = await fetchApp(context.api, { project: context.project, app: name }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    warnOrThrow(context, error, options, 'cannot read the deployed app');
    return null;
  });
  const app = fetched ?? nothingShown;
  const exists = fetched === null ? null : fetched !== undefined;
  return { app, exists, history: await recordLook(context, name, app) };
}

/** Compares with what was sent from here, else with the files that the platform lists. Null if it lists none. */
async function compareWithBuild(
  context: Context,
  {
    app: shown,
    local,
    named,
    isAsSent,
  }: { app: App; local: LocalApp; named: LocalApp; isAsSent: () => Promise<boolean> },
  options: PlanOptions,
): Promise<FileChanges | null> {
  const { name: app, partner } = local.config;
  const build = liveBuild(shown) || shown.latestBuildId;
  if (!build || !options.compares || partner) return null;
  if (options.ifChanged && (await isAsSent())) return unchangedFiles(local.entries.length);
  try {
    const kept = await readKeptFiles(context, app, build);
    const files = kept ?? (await listFiles(context.api, { project: context.project, app, build }));
    return await compareFiles(named.entries, files, context.signal, named.checksums);
  } catch (error) {
    if (!(error instanceof NotFoundError)) warnOrThrow(context, error, options, 'cannot read the deployed files');
    return null;
  }
}

/** A failed comparison is a warning. What the next request would meet as well is thrown. */
function warnOrThrow(
  { progress, signal }: Context,
  error: unknown,
  { dryRun }: Pick<PlanOptions, 'dryRun'>,
  what: string,
): void {
  throwUnexpected(error, signal);
  if (dryRun || error.facts.status === undefined) throw error;
  if (error instanceof AuthError || error instanceof RateLimitedError) throw error;
  progress.warn(`${what}, deploying without a comparison: ${error.message}`);
}

/** Tells of settings that were changed outside of the file. `failOnDrift`: throws, also for what is not known. */
export function checkDrift({ progress }: Context, { app, settings }: DeployPlan, failOnDrift: boolean): void {
  const overwritten = settings.filter(
    (change) => change.drifted === true || (failOnDrift && change.drifted === null && isCertain(change)),
  );
  if (overwritten.length === 0) return;
  const texts = overwritten.map(({ setting, from, to }) => `${setting} ${stringifyJson(from)} -> ${stringifyJson(to)}`);
  const message = `the deployed settings of ${app} differ from the config file: ${texts.join(', ')}`;
  const fix = 'pass --keep-scaling, or change the config file';
  if (failOnDrift) throw new ConflictError(message, { fix, details: { app, settings: overwritten } });
  progress.warn({ severity: 'warning', message: `${texts.join(', ')}: changed outside of the config file`, fix });
}

/** Reads only files whose size does not decide. Equal sizes without a checksum count as unchanged. */
export async function compareFiles(
  local: readonly FileEntry[],
  remote: readonly BuildFile[],
  signal: AbortSignal,
  checksums = new FileChecksums(),
): Promise<FileChanges> {
  const before = new Map(remote.map((file) => [file.path, file]));
  const isOpen = ({ path, size }: FileEntry) => {
    const old = before.get(path);
    const isSameSize = old?.size === undefined || old.size === size;
    return old && isSameSize && (old.crc32 !== undefined || old.sha256);
  };
  const open = local.filter(isOpen);
  const sums = await checksums.readAll(open, signal);
  const sumsByPath = new Map(open.map(({ path }, index) => [path, sums[index]]));
  return compareListings(
    remote,
    local.map(({ path, size }) => ({ path, size, ...sumsByPath.get(path) })),
  );
}

/** Compares as `deploy --if-changed` does. Throws FailedError for an app that takes too long to read. */
export async function compareHere(context: Context, configFile: string, deployed: DeployedApp) {
  const local = await readLocalApp(context, { configFile });
  if (local.bytes > maxBytes) {
    throw new FailedError('this folder is too large to compare quickly', { fix: gantryCommand`deploy --dry-run` });
  }
  const options = { compares: true, ifChanged: true, dryRun: true };
  const { changed, settings, fileChanges } = (await planDeploy(context, local, deployed, options)).plan;
  await local.checksums.save();
  // A file that is made from a setting is not in the folder.
  const madeFrom = new Map(
    local.entries.flatMap(({ path, reason }) => (reason?.kind === 'generated' ? [[path, reason.by] as const] : [])),
  );
  const paths = changedPaths(fileChanges);
  const changedSettings = [
    ...settings.map(({ setting }) => setting),
    ...paths.flatMap((path) => madeFrom.get(path) ?? []),
  ];
  return {
    changed,
    settings: [...new Set(changedSettings)],
    paths: fileChanges && paths.filter((path) => !madeFrom.has(path)),
    unverified: fileChanges?.unverified ?? 0,
  };
}

const maxBytes = 2 ** 30;

/** How this app compares with the build that serves, what speaks for a deploy in the user's words, and the live deployment. */
export type Compared = Awaited<ReturnType<typeof compareWithLive>>;

/** Equal by the SHA-256 of what is on record as sent, else by the checksums that the platform lists. */
export async function compareWithLive(
  context: Context,
  planned: Planned,
  { serving, list }: Pick<AppReading, 'serving' | 'list'>,
  secrets: ReadSecrets,
  verifies: boolean,
) {
  const { plan, history, sent } = planned;
  const { app, build, setup } = plan;
  const listed = list.find(({ id }) => id === build);
  const live = liveOf(context, planned, listed);
  const compared = (
    difference: BeforeFacts['difference'],
    because: string,
    health: BeforeFacts['health'] = 'not sick',
  ) => ({ difference, health, because, live });
  const other = whyOther(plan, serving) ?? (await newerSecret(context, planned, { shown: listed, secrets }));
  if (other !== undefined) return compared('differs', other);
  const named = `build ${shortBuild(live.build)}`;
  const unproven = sent ? `${app} is not as it was sent for` : `cannot prove that ${app} is unchanged since`;
  if (!(await isSent(planned))) return compared('not proven', `${unproven} ${named}`);
  const hash = plan.fileChanges?.byCrc32 ? 'CRC-32' : 'SHA-256';
  if (!sent)
    context.progress.note(`${named} of ${app} was not deployed from here: only its files were compared (by ${hash})`);
  const onRecord = firstTrue([
    [history.isSick(live.build), `${named} was found sick`],
    [appIsUnwell(plan.status), `its status is ${plan.status}`],
  ]);
  const about = { sentAt: sent?.at, isKept: Number(setup.minReplicaCount) > 0 };
  // What is verified is looked at anyway.
  const bad = onRecord || verifies ? undefined : await lookForBad(context, app, live.build, about);
  const sickness = onRecord ?? bad?.reason;
  return sickness ? compared('equal', `${app} is unchanged, but ${sickness}`, 'sick') : compared('equal', '');
}

/** What serves, as the result of a command that sends nothing. */
function liveOf(context: Context, { plan, sent }: Planned, listed: Build | undefined): Deployment {
  const { app, project, runtime, endpoint } = plan;
  const build = plan.build ?? '';
  return {
    app,
    project,
    runtime,
    endpoint,
    dashboard: sent?.dashboard || dashboardUrl(context, app, build || undefined),
    build,
    status: ownStatus(listed?.status ?? ''),
    files: 0,
    bytes: 0,
    packMs: 0,
    uploadMs: 0,
    buildMs: 0,
    notStarted: null,
    differences: [],
    changed: false,
  };
}

/** Why the app is another one than the live build, or that is not known to serve; undefined if nothing shows that. */
function whyOther({ app, build, exists, settings, fileChanges }: DeployPlan, serving: Serving): string | undefined {
  const certain = settings.filter(isCertain).map(({ setting }) => setting);
  const paths = changedPaths(fileChanges);
  const may = serving.is === 'one of' ? serving.builds : [servingBuild(serving) ?? ''];
  const what = `${app} is shown with build ${shortBuild(build ?? '')}`;
  return firstTrue([
    [exists === null, `cannot read the deployed ${app}`],
    [exists === false, `${app} is new`],
    [certain.length > 0, `changed settings: ${certain.join(', ')}`],
    [paths.length > 0, `${shortList(paths, 1)} changed`],
    [serving.is === 'not known', `the builds of ${app} are not listed, so a later one may serve`],
    [serving.is === 'none', `${app} shows no live build`],
    [build === null, `${app} shows no live build`],
    [serving.is === 'one of', `${buildsText(may)} of ${app} may serve`],
    [may[0] !== build, `${what}, but ${buildsText(may)} serves`],
  ]);
}

/** Replicas have the secrets of their start, which may be older than those that were set since, by whatever machine. */
async function newerSecret(
  context: Context,
  { plan, history, sent }: Planned,
  { shown, secrets }: { shown: Build | undefined; secrets: ReadSecrets },
) {
  const { at = shown?.createdAt, secrets: mark } = sent ?? {};
  const events = [...history.events, ...(await readHistory(context, allApps)).events];
  const isLater = (time: string) => toMs(time) > toMs(at);
  const changed = events.findLast((event) => event.event === 'secrets' && isLater(event.at));
  const now = mark && secretsMark(await secrets());
  if (now ? now === mark : !changed) return undefined;
  const since = `after build ${shortBuild(plan.build ?? '')}`;
  if (changed?.event !== 'secrets') return `secrets were changed ${since}`;
  return `secret ${changed.names.join(', ')} was ${changed.isSet ? 'set' : 'removed'} ${since}`;
}

/** Without a record, the platform's checksums decide: it hides some settings, but one file is the config file. */
async function isSent(planned: Planned): Promise<boolean> {
  const { fileChanges, region } = planned.plan;
  const { made, sent, digests } = planned;
  const { config, entries } = planned.local;
  if (sent) {
    const { settingsDigest, filesDigest } = await digests();
    // A region that the app shows is compared with that: another one may have been sent, or promoted from, or none.
    const isThere = region !== null || made.own.region === sent.settings.region;
    return isThere && sent.settingsDigest === settingsDigest && sent.filesDigest === filesDigest;
  }
  const isVerified = fileChanges !== null && fileChanges.unverified === 0 && fileChanges.unchanged > 0;
  const hasConfig = entries.some(({ source }) => 'file' in source && source.file === config.file);
  return isVerified && hasConfig && !made.body.logLevel && (!made.keep.region || made.keep.region === region);
}
