import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { AppConfig } from '../../app/config.ts';
import { CommandLine, flagWords, gantryCommand } from '../../kernel/command-line.ts';
import { readNamedFile, writeFileAtomic } from '../../kernel/disk/index.ts';
import { ConflictError, type GantryError, type Problem, ProjectError, UsageError } from '../../kernel/errors.ts';
import { defined, stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { shortBuild, shortList } from '../../kernel/output/format.ts';
import { words } from '../../kernel/words.ts';
import { platformOf } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { App, type AppCreation, liveBuild } from '../../platform/contract/apps.ts';
import { buildPhase } from '../../platform/contract/builds.ts';
import { writeOutput } from '../../storage/output-files.ts';
import { readHistory, settingKey } from '../history/index.ts';
import type { AppReading } from '../observe.ts';
import { servingBuild } from '../serving.ts';
import { compareBody, type MadeSettings } from './app-settings.ts';
import { inProgress, isBusy, isPending, lookBeforeUpload } from './busy-builds.ts';
import { readSentFiles, type SentFile } from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';

/** What a plan is bound to, as digests: pipelines keep plans, and a shell command may contain a secret. */
const planSchema = v.object({
  gantryPlan: v.literal(1),
  platform: v.string(),
  project: v.string(),
  app: v.string(),
  /** Those that it was made with: what makes it anew has the same. */
  flags: v.array(v.string()),
  /** Digests of the fields of the request. */
  settings: v.record(v.string(), v.string()),
  /** Digests of the fields of the deployed app; null if it is not deployed. */
  live: v.nullable(v.record(v.string(), v.string())),
  /** Builds in progress. */
  builds: v.array(v.string()),
  /** Files by path: size, SHA-256 and whether it is executable. */
  files: v.record(v.string(), v.tuple([v.number(), v.string(), v.boolean()])),
});
export type Plan = v.InferOutput<typeof planSchema>;
type SentPlan = Omit<Plan, 'flags' | 'live' | 'builds'>;

/** Writes a plan that `deploy --apply-plan` accepts as long as settings, files and the deployed app are the same. */
export async function writePlanFile(
  context: Context,
  local: LocalApp,
  body: AppCreation,
  now: AppReading,
  { file, replan }: { file: string; replan: CommandLine },
): Promise<void> {
  const { region } = context.flags;
  const sent = await describeLocal(context, local, body);
  const live = liveFields(now);
  const builds = inProgress(now).map(({ id }) => id);
  const typed = replan.argv.slice(2).filter((word) => word !== '--dry-run');
  const flags = [...typed, ...(region ? flagWords('--region', region) : [])];
  const plan: Plan = { ...sent, flags, live: live && digests(live), builds };
  await writeOutput(context, file, (path) => writeFileAtomic(path, `${stringifyJson(plan, 2)}\n`), local.config);
  context.progress.note(`wrote the plan to ${file}`);
}

/** Reads a plan. Throws ProjectError if there is none in the file. */
export async function readPlanFile(
  context: Pick<Context, 'cwd' | 'signal'>,
  file: string,
  given: Omit<GivenPlan, 'plan'>,
): Promise<GivenPlan> {
  const text = await readNamedFile(context, file).catch((cause) => {
    if (!(cause instanceof UsageError)) throw cause;
    throw planError(`plan ${cause.message}`, defined({ why: cause.facts.why }), cause);
  });
  const parsed = v.safeParse(planSchema, tryParseJson(String(text)));
  if (parsed.success) {
    const plan = parsed.output;
    // The file may come from elsewhere: nothing but a dry run is proposed.
    const argv = ['gantry', 'deploy', '--dry-run', ...flagWords('--save-plan', file), ...plan.flags];
    return { ...given, plan, replan: new CommandLine(argv) };
  }
  throw planError(`${file} is not a deploy plan`, { fix: given.replan });
}

function planError(message: string, facts: Pick<Problem, 'why' | 'fix'>, cause?: unknown): ProjectError {
  return new ProjectError(message, [{ severity: 'error', message, ...facts }], { cause });
}

async function describeLocal(context: Context, local: LocalApp, body: AppCreation) {
  return describeSent(context, body, await readSentFiles(local, context.signal));
}

/** What `body` and files would send: what is known without the platform. */
function describeSent({ project, settings }: Context, body: AppCreation, files: readonly SentFile[]): SentPlan {
  const { cliVersion: _version, dockerAuth: _login, ...sent } = body;
  return {
    gantryPlan: 1,
    platform: platformOf(settings),
    project,
    app: body.name,
    settings: digests(sent),
    files: Object.fromEntries(files.map(({ path, size, sha256, executable }) => [path, [size, sha256, executable]])),
  };
}

function digests(fields: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, sha256(stringifyJson(value))]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Fields that change by themselves, or say nothing about what serves. */
const volatile: readonly string[] = words(
  'status errorMessage updatedAt costPerSecondCents lastBuildStatus',
  'latestBuildId latestCreatedBuildId',
);
/** Only known fields: others may change by themselves. */
const boundFields = Object.keys(App.entries).filter((field) => !volatile.includes(field));

/** The deployed app, as far as a plan is bound to it. Null if it is not deployed. */
type Live = Record<string, unknown> | null;

function liveFields({ app, serving }: AppReading): Live {
  if (!app) return null;
  const live = Object.fromEntries(boundFields.map((field) => [field, (app as Record<string, unknown>)[field]]));
  const bound = serving.is === 'one of' ? serving.builds.join(' ') : servingBuild(serving);
  return bound === undefined ? live : { ...live, latestReadyBuildId: bound };
}

/** What is about to be sent. */
export interface PlannedDeploy {
  body: AppCreation;
  files: readonly SentFile[];
  /** The build that this deploy has created; it is checked before the upload then. `hasLost`: one without an upload may be its own. */
  created?: { buildId: string; hasLost: boolean; at: number } | undefined;
  /** Other builds in progress are waited for, and what they change is seen afterwards. */
  willWait: boolean;
}

/** A plan, the app that it is for, and the line that makes it anew. */
export interface GivenPlan {
  plan: Plan;
  config: AppConfig;
  replan: CommandLine;
}

/** The error if the app on disk is not that of the plan, whatever is deployed. The plan of a new app has not what is kept of it. */
export async function whyOtherApp(context: Context, local: LocalApp, given: GivenPlan, { body, keep }: MadeSettings) {
  const { live, settings } = given.plan;
  const kept = Object.keys(keep).filter((field) => !live && !settings[field]);
  const sent = { ...body, ...Object.fromEntries(kept.map((field) => [field, undefined])) };
  return notAsPlanned(given, listSent(given.plan, await describeLocal(context, local, sent)));
}

/**
 * The error if anything that the plan is bound to has changed. What was sent cannot change once the build is
 * created. The deployed app can, at any time, and by the request that created the build as well: settings that are equal
 * to those that it sent are this deploy's own.
 */
export async function whyNotAsPlanned(
  context: Context,
  given: GivenPlan,
  { body, files, created, willWait }: PlannedDeploy,
): Promise<ConflictError | undefined> {
  const { plan } = given;
  const { now, first } = await lookBeforeUpload(context, body.name, plan.builds, created);
  const differs =
    created === undefined
      ? [...listSent(plan, describeSent(context, body, files)), ...listMoved(plan, liveFields(now))]
      : await listMovedSince(context, given, now, { body, created: created.buildId });
  const busy = willWait ? [] : first.map(({ id }) => `build ${shortBuild(id)} in progress`);
  return notAsPlanned(given, [...differs, ...busy]);
}

function notAsPlanned({ plan, replan }: GivenPlan, moved: readonly string[]): ConflictError | undefined {
  if (moved.length === 0) return undefined;
  return new ConflictError(`not as planned: ${shortList(moved, maxShown)}`, {
    why: 'the plan was made for other settings, files or another state of the deployed app; it takes each flag that decides what is sent, such as --name or --keep-scaling',
    fix: replan,
    details: { app: plan.app, moved },
  });
}

const maxShown = 5;

/** What differs in what would be sent, in the user's words. */
function listSent(planned: Plan, now: SentPlan): string[] {
  const settings = changedKeys(planned.settings, now.settings);
  return [
    ...(['platform', 'project', 'app'] as const).filter((name) => planned[name] !== now[name]),
    ...settings.map((field) => (field === 'platform_toml' ? 'the config file' : `setting ${settingKey(field)}`)),
    ...changedKeys(planned.files, now.files),
  ];
}

/** What differs of the deployed app before a build is created. */
function listMoved({ app, live: planned }: Plan, live: Live): string[] {
  if (planned && live) return changedKeys(planned, digests(live)).map(deployedField);
  return planned || live ? [`${app} is ${live ? 'deployed now' : 'not deployed any more'}`] : [];
}

/** What differs other than by creating the build. A new app is shown from then on, or its build is. */
async function listMovedSince(
  context: Context,
  { config, plan: { app, live: planned } }: GivenPlan,
  now: AppReading,
  { body, created }: { body: AppCreation; created: string },
): Promise<string[]> {
  const live = liveFields(now);
  if (!now.app || !live) return planned || !now.list.some(({ id }) => id === created) ? [`${app} was deleted`] : [];
  const history = await readHistory(context, app);
  const build = liveBuild(now.app);
  const compared = compareBody(config, body, now.app, history.fileSettings(build));
  const settings = new Map(compared.map(({ returned, differs }) => [returned, differs]));
  const isOther = (field: string) => settings.get(field) ?? field !== 'cerebriumVersion';
  if (planned) return changedKeys(planned, digests(live)).filter(isOther).map(deployedField);
  const others = [...settings].flatMap(([field, differs]) => (differs ? [field] : []));
  return [...(build === undefined ? [] : ['latestReadyBuildId']), ...others].map(deployedField);
}

function deployedField(field: string): string {
  return field === 'latestReadyBuildId' ? 'the live build' : `deployed ${settingKey(field)}`;
}

function changedKeys(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => stringifyJson(before[name]) !== stringifyJson(after[name]));
}

/** Why nothing may be sent: asked before the build is created, and right before the upload, whatever a deploy waited for. */
export type Guard = (sent: PlannedDeploy) => Promise<GantryError | undefined>;

/** What somebody else has deployed meanwhile is not replaced. */
export class DeployedMeanwhileError extends ConflictError {
  constructor(app: string, build: string, what: string, { serving }: AppReading) {
    const details = { app, serves: servingBuild(serving) ?? null };
    super(`build ${shortBuild(build)} ${what}: it is not replaced`, {
      fix: gantryCommand`builds list ${app}`,
      details,
    });
  }
}

export const wasCreated = 'was created meanwhile and is in progress';

/** The error before the upload if somebody else has deployed since a reading. */
export async function whyDeployedMeanwhile(
  context: Context,
  reading: AppReading,
  { body: { name: app }, created: own }: PlannedDeploy,
): Promise<DeployedMeanwhileError | undefined> {
  if (own === undefined) return undefined;
  const { buildId: created, hasLost } = own;
  const served = reading.live === undefined ? [] : [reading.live];
  const before = [...served, ...reading.list.map(({ id }) => id)];
  const { now, first } = await lookBeforeUpload(context, app, before, own);
  const ready = readySince(reading, now, [created, ...served]);
  if (ready !== undefined) {
    const what = ready === servingBuild(now.serving) ? 'serves now' : 'became ready meanwhile';
    return new DeployedMeanwhileError(app, ready, what, now);
  }
  const other = first.find(({ status }) => !(hasLost && isPending(status)));
  return other && new DeployedMeanwhileError(app, other.id, wasCreated, now);
}

/** The build of others that became ready between two looks: the one that serves, if the platform shows that. */
function readySince(before: AppReading, now: AppReading, ownBuilds: readonly string[]): string | undefined {
  const ended = before.list.filter((build) => !isBusy(build)).map(({ id }) => id);
  const old = new Set([servingBuild(before.serving), ...ownBuilds, ...ended]);
  const ready = now.list.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id);
  return [servingBuild(now.serving), ...ready].find((id) => id !== undefined && !old.has(id));
}
