import type { Context } from '../../context.ts';
import { appIsUnwell } from '../../contract/apps.ts';
import { buildPhase } from '../../contract/builds.ts';
import { buildsText, settle } from '../../deploys/observe.ts';
import type { Serving } from '../../deploys/serving.ts';
import { shortBuild } from '../../output/format.ts';
import type { FileChecksums } from '../../project/file-checksums.ts';
import { fetchBuild } from '../builds/index.ts';
import { type AppHistory, readHistory } from '../history/index.ts';
import { isCertain } from './app-settings.ts';
import { type CreateAppOptions, withoutLogin } from './create-app-body.ts';
import type { Deployment } from './deploy-options.ts';
import { type Digests, readDeployRecord, sentFilesDigest, settingsDigestOf } from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import type { DeployPlan } from './plan.ts';

/**
 * The live deployment, if a deploy would not change anything; otherwise tells the user why it deploys. Equal are the
 * settings and the files: by the SHA-256 of what is on record as sent for the live build, else by the checksums that the
 * platform lists. A build that was found sick is deployed again, unless it is verified now.
 */
export async function findLiveDeployment(
  context: Context,
  local: LocalApp,
  plan: DeployPlan,
  options: CreateAppOptions & { isVerified: boolean },
  checksums: FileChecksums,
): Promise<Deployment | undefined> {
  const { api, progress, project } = context;
  const { app, runtime, build } = plan;
  const difference = differenceText(plan);
  if (difference !== undefined || build === null) {
    progress.note(`${difference ?? `${app} shows no live build`}: deploying`);
    return undefined;
  }
  const record = await readDeployRecord(context, app);
  const own = record?.build === build ? record : undefined;
  const history = await readHistory(context, app);
  const sent: Digests | undefined = own ?? history.sent(build);
  if (!sent) {
    progress.note(`not known here how build ${shortBuild(build)} of ${app} was deployed: comparing by checksums`);
  }
  if (!(await isSent(local, plan, options, sent, checksums))) {
    progress.note(`cannot prove that ${app} is unchanged since build ${shortBuild(build)}: deploying`);
    return undefined;
  }
  const { status } = await fetchBuild(api, { project, app, build });
  if (buildPhase(status) !== 'succeeded') return undefined;
  const { serving } = await settle(context, app);
  if (serving.is !== 'one' || serving.build !== build) {
    progress.note(`${whyOther(app, build, serving)}: deploying`);
    return undefined;
  }
  const sickness = options.isVerified ? undefined : findSickness(plan, build, history);
  if (sickness !== undefined) {
    progress.note(`${app} is unchanged, but ${sickness}: deploying`);
    return undefined;
  }
  if (!sent) {
    const hash = plan.fileChanges?.byCrc32 ? 'CRC-32' : 'SHA-256';
    progress.note(
      `files of ${app} were compared by ${hash}, and --log-level was not compared: the platform does not show it`,
    );
  }
  return {
    app,
    project,
    runtime,
    build,
    status,
    endpoint: plan.endpoint,
    page: '',
    dashboard: own?.dashboard ?? '',
    files: 0,
    bytes: 0,
    packMs: 0,
    notStarted: null,
    differences: [],
    uploadMs: 0,
    buildMs: 0,
    changed: false,
  };
}

/** What speaks against a comparison with the build that an app shows. */
function whyOther(app: string, shown: string, serving: Serving): string {
  if (serving.is === 'one')
    return `${app} is shown with build ${shortBuild(shown)}, but ${buildsText([serving.build])} serves`;
  if (serving.is === 'one-of') return `${buildsText(serving.builds)} of ${app} may serve`;
  return serving.is === 'none'
    ? `${app} shows no live build`
    : `the builds of ${app} are not listed, so a later one may serve`;
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
  const [first, ...others] = [...added, ...changed, ...removed];
  if (first === undefined) return undefined;
  return others.length > 0 ? `${first} and ${others.length} more changed` : `${first} changed`;
}

/**
 * Whether the live build was made of these settings and files. Without a record, the platform's checksums decide: it does
 * not return every setting, but the config file is one of the files.
 */
async function isSent(
  { project, entries }: LocalApp,
  { fileChanges, region }: DeployPlan,
  options: CreateAppOptions,
  record: Digests | undefined,
  checksums: FileChecksums,
): Promise<boolean> {
  if (record) {
    const body = withoutLogin(project, options);
    const { region: _, ...others } = body;
    // A region that the app shows is compared with that: it may not have been sent.
    const sent = [body, ...(region === null ? [] : [others])].map(settingsDigestOf);
    if (!sent.includes(record.settingsDigest)) return false;
    return record.filesDigest === (await sentFilesDigest(entries, checksums));
  }
  const isVerified = fileChanges !== null && fileChanges.unverified === 0 && fileChanges.unchanged > 0;
  const hasConfig = entries.some(({ source }) => 'file' in source && source.file === project.file);
  return isVerified && hasConfig && !options.logLevel && (!options.keep?.region || options.keep.region === region);
}
