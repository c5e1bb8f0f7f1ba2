import { largestFiles } from '../../app/collect.ts';
import { FileChecksums } from '../../app/file-checksums.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import {
  AuthError,
  ConflictError,
  FailedError,
  GantryError,
  InputNeededError,
  NotFoundError,
  RateLimitedError,
} from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { readFolderTarget } from '../../platform/config/folder-target.ts';
import { isFolderEmulator } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { type App, liveBuild } from '../../platform/contract/apps.ts';
import { buildPhase, ownStatus } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { readKeptFiles } from '../archives/index.ts';
import { type BuildFile, compareListings, type FileChanges, listFiles, unchangedFiles } from '../builds/index.ts';
import { recordLook } from '../history/index.ts';
import {
  chooseRegion,
  compareSettings,
  describeSetup,
  isCertain,
  isPublic,
  scalingOf,
  withoutLogin,
} from './app-settings.ts';
import { sentFilesDigest } from './deploy-record.ts';
import { asNamed, fileDecisions, type LocalApp, readLocalApp } from './local-app.ts';

/** What a deploy would send and change: the result of `deploy --dry-run`. */
export type DeployPlan = Awaited<ReturnType<typeof planDeploy>>;

export interface PlanOptions {
  /** Compare the checksums of local files. */
  compareFiles: boolean;
  /** Do not ask the platform for the files of the live build if those on record as sent for it are equal. */
  trustRecord?: boolean | undefined;
  listFiles?: boolean | undefined;
  /** Fail if the deployed app cannot be read: the comparison is the result. */
  dryRun: boolean;
  /** Keep the deployed replicas, cooldown and concurrency instead of those of the file. */
  keepScaling: boolean;
}

/** Compares the app on disk with the deployed one. If that fails, throws on a dry run and warns otherwise. */
export async function planDeploy(context: Context, local: LocalApp, options: PlanOptions) {
  const { project, entries, bytes } = local;
  const { app, exists } = await readDeployedApp(context, project.name, options);
  const build = (app && liveBuild(app)) || null;
  const isNew = exists === false;
  const region = chooseRegion(context.settings.region, project.hardware.region, { isNew, region: app?.region });
  const keep = { ...(app && options.keepScaling && scalingOf(app)), ...(region && { region }) };
  const body = withoutLogin(project, { keep });
  const history = app && (await recordLook(context, project.name, app));
  const sent = build === null ? undefined : history?.sent(build);
  const named = await asNamed(local, sent?.named);
  const settings = app ? compareSettings(project, body, app, history?.fileSettings(build)) : [];
  const canCompareFiles = app && options.compareFiles && !project.partner;
  const isAsSent = async () => options.trustRecord && sent?.filesDigest === (await sentFilesDigest(named));
  const files = !canCompareFiles
    ? null
    : (await isAsSent())
      ? unchangedFiles(entries.length)
      : await compareWithBuild(context, app, named, project.name, options);
  const hasFileChanges = files !== null && files.added.length + files.changed.length + files.removed.length > 0;
  const lastStatus = app?.lastBuildStatus;
  const failedBuild = lastStatus && buildPhase(lastStatus) === 'failed' ? ownStatus(lastStatus) : null;
  return {
    dryRun: true as const,
    app: project.name,
    project: context.project,
    runtime: project.runtime,
    exists,
    build,
    status: app?.status ?? null,
    endpoint: app?.internalEndpoint ?? '',
    region: app?.region ?? null,
    keep,
    public: isPublic(project),
    setup: describeSetup(project, body),
    settings,
    fileChanges: files,
    send: {
      files: entries.length,
      bytes,
      largest: largestFiles(entries).map(({ path, size }) => ({ path, bytes: size })),
    },
    selection: options.listFiles ? fileDecisions(local) : null,
    failedBuild,
    older: false,
    changed: build === null || settings.some(isCertain) || hasFileChanges,
  };
}

async function readDeployedApp(
  context: Context,
  name: string,
  options: PlanOptions,
): Promise<{ app?: App; exists: boolean | null }> {
  try {
    return { app: await fetchApp(context.api, { project: context.project, app: name }), exists: true };
  } catch (error) {
    if (error instanceof NotFoundError) return { exists: false };
    warnOrThrow(context, error, options, 'cannot read the deployed app');
    return { exists: null };
  }
}

/**
 * Compares with the platform's list of the files of the live build, and with the SHA-256 of those that this machine has kept
 * of it. Returns null if there is no build to compare with, or if the platform has no list of its files.
 */
async function compareWithBuild(
  context: Context,
  app: App,
  { entries, checksums }: LocalApp,
  name: string,
  options: PlanOptions,
): Promise<FileChanges | null> {
  const { api, project, signal } = context;
  const build = app.latestReadyBuildId || app.latestBuildId;
  if (!build) return null;
  try {
    const files = await listFiles(api, { project, app: name, build });
    const kept = await readKeptFiles(context, name, build);
    const known = new Map(kept.map(({ path, size, sha256 }) => [path, { path, size, sha256 }]));
    const listed = files.map((file) => ({ ...known.get(file.path), ...file }));
    return await compareFiles(entries, listed, signal, checksums);
  } catch (error) {
    if (!(error instanceof NotFoundError)) warnOrThrow(context, error, options, 'cannot read the deployed files');
    return null;
  }
}

/**
 * A deploy works without a comparison, so a failed one is a warning. Failures that the next request would meet too are
 * thrown: no reply at all, a refused token, a rate limit.
 */
function warnOrThrow({ progress, signal }: Context, error: unknown, { dryRun }: PlanOptions, what: string): void {
  if (dryRun || signal.aborted || !(error instanceof GantryError) || error.facts.status === undefined) throw error;
  if (error instanceof AuthError || error instanceof RateLimitedError) throw error;
  progress.warn(`${what}, deploying without a comparison: ${error.message}`);
}

/**
 * Tells which settings the deploy overwrites although they were changed outside of the file, for example by
 * `gantry apps scale`. With `failOnDrift`, throws ConflictError for them, and for those of which that is unknown.
 */
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

/**
 * Compares files with those of a build. Reads only files whose size does not decide, and only if the other side has a
 * checksum. Without one, a file of equal size counts as unchanged.
 */
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
  const known = new Map(open.map(({ path }, index) => [path, sums[index]]));
  return compareListings(
    remote,
    local.map(({ path, size }) => ({ path, size, ...known.get(path) })),
  );
}

/** Compares as `deploy --if-changed` does. Throws FailedError for an app that takes too long to read. */
export async function compareHere(context: Context, configFile: string) {
  const local = await readLocalApp(context, { configFile, checkSource: false });
  if (local.bytes > maxBytes) {
    throw new FailedError('this folder is too large to compare quickly', { fix: gantryCommand`deploy --dry-run` });
  }
  const options = { compareFiles: true, trustRecord: true, dryRun: true, keepScaling: false };
  const { changed, settings, fileChanges } = await planDeploy(context, local, options);
  await local.checksums.save();
  const { added, changed: edited, removed } = fileChanges ?? { added: [], changed: [], removed: [] };
  return {
    changed,
    settings: settings.map(({ setting }) => setting),
    paths: fileChanges && [...added, ...edited, ...removed],
    unverified: fileChanges?.unverified ?? 0,
  };
}

const maxBytes = 2 ** 30;

/** What a deploy asks for besides its own yes, since it is more than a new version of the app. */
export interface Question {
  text: string;
  /** `--yes` is an answer. */
  takesYes: boolean;
  /** Where nobody can be asked. */
  refusal: GantryError;
}

/** The region that an app would move to, and where it is. */
export function movedRegion({ settings }: Pick<DeployPlan, 'settings'>) {
  return settings.find(({ setting }) => setting === 'hardware.region');
}

/** `isMeant`: whether a new app is what the user wants, by `--new`, `--preview` or a plan. */
export function questionsOf({ settings, cwd, target }: Context, plan: DeployPlan, isMeant: boolean): Question[] {
  const { app } = plan;
  const questions: Question[] = [];
  if (isFolderEmulator(target)) return questions;
  const move = movedRegion(plan);
  if (move) {
    questions.push({
      text: `Move ${app} from ${move.from} to ${move.to}? Its volumes stay in ${move.from}.`,
      takesYes: true,
      refusal: new ConflictError(`${app} is in ${move.from}, and this deploy would move it to ${move.to}`, {
        why: `each region has its own volumes: what the app has stored stays where it is; --region ${move.from} leaves the app there`,
        fix: 'to move it',
        retryWith: ['--yes'],
        details: { app, ...move },
      }),
    });
  }
  const last = readFolderTarget(settings.folders, cwd)?.app || undefined;
  if (plan.exists === false && last !== undefined && last !== app && !isMeant) {
    questions.push({
      text: `Create ${app}? This folder has deployed ${last}.`,
      takesYes: false,
      refusal: new InputNeededError(`this folder has deployed ${last}, and ${app} would be a new app`, {
        fix: `to create it (to deploy ${last}, correct the name)`,
        retryWith: ['--new'],
        details: { app, last },
      }),
    });
  }
  return questions;
}

/** Throws the refusal of a question that nobody has answered and nobody can be asked. */
export function refuseUnanswered({ prompt }: Context, questions: readonly Question[]): void {
  if (prompt.isPossible) return;
  const open = questions.find(({ takesYes }) => !(takesYes && prompt.isConfirmed));
  if (open) throw open.refusal;
}
