import { shortBuild, shortList, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { appIsUnwell } from '../../platform/contract/apps.ts';
import { ownStatus } from '../../platform/contract/builds.ts';
import { dashboardUrl } from '../apps.ts';
import type { BeforeFacts } from '../decide.ts';
import { type AppHistory, allApps, type EventOf, readHistory } from '../history/index.ts';
import { type AppReading, buildsText, settle } from '../observe.ts';
import type { Serving } from '../serving.ts';
import { type CreateAppOptions, isCertain, ownSettings } from './app-settings.ts';
import { type Deployment, type ReadSecrets, secretsMark, sentFilesDigest, settingsDigestOf } from './deploy-record.ts';
import { asNamed, type LocalApp } from './local-app.ts';
import type { DeployPlan } from './plan.ts';

/** How this app compares with the build that serves. */
export interface Compared extends Pick<BeforeFacts, 'difference' | 'health'> {
  /** Once it is known that the build that is compared with serves. */
  serving?: 'one';
  /** What speaks for a deploy, in the user's words. */
  because: string;
  /** The live deployment, as the result of a command that sends nothing. */
  live: Deployment;
}

/**
 * Equal are the settings and the files: by the SHA-256 of what is on record as sent for the live build, else by the
 * checksums that the platform lists.
 */
export async function compareWithLive(
  context: Context,
  local: LocalApp,
  { plan, reading, secrets }: { plan: DeployPlan; reading: AppReading | undefined; secrets: ReadSecrets },
  options: CreateAppOptions,
): Promise<Compared> {
  const { progress, project } = context;
  const { app, runtime, build, endpoint } = plan;
  const history = await readHistory(context, app);
  const sent = build === null ? undefined : history.sent(build);
  const nothingSent = { files: 0, bytes: 0, packMs: 0, uploadMs: 0, buildMs: 0, notStarted: null, differences: [] };
  const dashboard = sent?.dashboard || dashboardUrl(context, app, build ?? undefined);
  const shown = { app, project, runtime, endpoint, page: '', dashboard, build: build ?? '' };
  const live: Deployment = { ...shown, ...nothingSent, status: '', changed: false };
  let difference = differenceText(plan);
  if (difference === undefined) {
    const { serving, list } = reading ?? (await settle(context, app));
    const shown = list.find(({ id }) => id === build);
    live.status = ownStatus(shown?.status ?? '');
    difference = whyNotLive(app, build, serving);
    const since = { at: sent?.at ?? shown?.createdAt, mark: sent?.secrets, secrets };
    difference ??= await newerSecret(context, live, since, history);
  }
  if (difference !== undefined) return { difference: 'differs', health: 'not sick', because: difference, live };
  const named = `build ${shortBuild(live.build)}`;
  if (!sent) progress.note(`not known here how ${named} of ${app} was deployed: comparing by checksums`);
  if (!(await isSent(local, plan, options, sent))) {
    const because = `cannot prove that ${app} is unchanged since ${named}`;
    return { difference: 'not proven', health: 'not sick', serving: 'one', because, live };
  }
  if (!sent) {
    const hash = plan.fileChanges?.byCrc32 ? 'CRC-32' : 'SHA-256';
    progress.note(
      `files of ${app} were compared by ${hash}, and --log-level and secrets were not compared: the platform does not show with which it was deployed`,
    );
  }
  const sickness = findSickness(plan, live.build, history);
  const because = sickness === undefined ? '' : `${app} is unchanged, but ${sickness}`;
  return { difference: 'equal', health: sickness === undefined ? 'not sick' : 'sick', serving: 'one', because, live };
}

/** What speaks against a comparison with the build that an app shows; undefined if that serves. */
function whyNotLive(app: string, shown: string | null, serving: Serving): string | undefined {
  if (serving.is === 'none' || shown === null) return `${app} shows no live build`;
  if (serving.is === 'unknown') return `the builds of ${app} are not listed, so a later one may serve`;
  if (serving.is === 'one-of') return `${buildsText(serving.builds)} of ${app} may serve`;
  if (serving.build === shown) return undefined;
  return `${app} is shown with build ${shortBuild(shown)}, but ${buildsText([serving.build])} serves`;
}

/** Replicas have the secrets of their start, which may be older than those that were set since, by whatever machine. */
async function newerSecret(
  context: Context,
  { build }: Deployment,
  { at, mark, secrets }: { at: string | null | undefined; mark: string | undefined; secrets: ReadSecrets },
  history: AppHistory,
) {
  const events = [...history.events, ...(await readHistory(context, allApps)).events];
  const isLater = (time: string) => toMs(time) > toMs(at);
  const changed = events.findLast((event) => event.event === 'secrets' && isLater(event.at));
  const now = mark && secretsMark(await secrets());
  if (now ? now === mark : !changed) return undefined;
  if (changed?.event !== 'secrets') return `secrets were changed after build ${shortBuild(build)}`;
  return `secret ${changed.names.join(', ')} was ${changed.isSet ? 'set' : 'removed'} after build ${shortBuild(build)}`;
}

/** What speaks against a live build. */
function findSickness({ status }: DeployPlan, build: string, history: AppHistory): string | undefined {
  if (history.isSick(build)) return `build ${shortBuild(build)} was found sick`;
  return appIsUnwell(status) ? `its status is ${status}` : undefined;
}

/** What differs from the deployed app; undefined if nothing that can be compared does. */
function differenceText({ app, exists, settings, fileChanges }: DeployPlan): string | undefined {
  if (!exists) return exists === null ? `cannot read the deployed ${app}` : `${app} is new`;
  const certain = settings.filter(isCertain);
  if (certain.length > 0) return `changed settings: ${certain.map(({ setting }) => setting).join(', ')}`;
  const { added = [], changed = [], removed = [] } = fileChanges ?? {};
  const paths = [...added, ...changed, ...removed];
  return paths.length > 0 ? `${shortList(paths, 1)} changed` : undefined;
}

/**
 * Whether the live build was made of these settings and files. Without a record, the platform's checksums decide: it does
 * not return every setting, but the config file is one of the files.
 */
async function isSent(
  local: LocalApp,
  { fileChanges, region }: DeployPlan,
  options: CreateAppOptions,
  record: EventOf<'sent'> | undefined,
): Promise<boolean> {
  const { project, entries } = local;
  if (record) {
    const named = await asNamed(local, record.named);
    const { region: own, ...others } = ownSettings(named.project, options);
    // A region that the app shows is compared with that: another one may have been sent, or promoted from, or none.
    const sent = region === null ? own : record.settings.region;
    const body = { ...others, ...(typeof sent === 'string' && { region: sent }) };
    return record.settingsDigest === settingsDigestOf(body) && record.filesDigest === (await sentFilesDigest(named));
  }
  const isVerified = fileChanges !== null && fileChanges.unverified === 0 && fileChanges.unchanged > 0;
  const hasConfig = entries.some(({ source }) => 'file' in source && source.file === project.file);
  return isVerified && hasConfig && !options.logLevel && (!options.keep?.region || options.keep.region === region);
}
