import * as v from 'valibot';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import type { App, AppCreation, CreatedApp } from '../../contract/apps.ts';
import { readRegular } from '../../disk/index.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import { readArchivedText } from '../../project/zip/read-entry.ts';
import { version } from '../../version.ts';
import { findKeptArchive, findOtherKept, type KeptArchive, whyNotUsable, withKeptArchive } from '../archives/index.ts';
import { type BuildFile, compareListings, type FileChanges } from '../builds/index.ts';
import {
  chooseRegion,
  compareFiles,
  type Deployment,
  DeployRecord,
  deploy,
  deployArchive,
  type LocalApp,
  readBaseImages,
  recordUpload,
  type SendOptions,
  type SentBuild,
  scalingOf,
  sentFilesDigest,
  withLogin,
  withoutLogin,
} from '../deploy/index.ts';
import { withRevision } from '../git/index.ts';
import { readHistory } from '../history/index.ts';
import { readRevision } from './git-source.ts';
import { differingFiles } from './prove-files.ts';
import { findResolvedAnew, type ResolvedAnew } from './resolved-anew.ts';

/** Where the files of the earlier build come from. */
export interface SourceChoice {
  /** A git revision to deploy instead of a kept archive. */
  fromGit?: string | undefined;
  configFile: string;
}

/** What is deployed again: an archive that was kept, or a revision. */
export interface RollbackSource {
  kind: 'archive' | 'git';
  /** The commit, of a revision. */
  commit: string | null;
  /** In the user's words. */
  origin: string;
  files: number;
  /** Of all files, before compression. */
  bytes: number;
  body: AppCreation;
  /** What the platform resolves again, perhaps to other versions than for the earlier build. */
  resolvedAnew: ResolvedAnew[];
  /** What it has other than this list. */
  compare(expected: readonly BuildFile[]): Promise<FileChanges>;
  deploy(options: SendOptions): Promise<Deployment>;
}

/** The build to return to, and the one that serves. */
interface WantedBuild {
  app: string;
  build: string;
  live: string | undefined;
  deployed: App;
  /** Settings that are not those of the earlier build. */
  keep: Partial<AppCreation>;
}

/** Passes what a build can be made of again to `use`. Throws NotFoundError if this machine has nothing. */
export async function withSource<T>(
  context: Context,
  wanted: WantedBuild,
  options: SourceChoice,
  use: (source: RollbackSource) => Promise<T>,
): Promise<T> {
  const { app, build, keep } = wanted;
  if (options.fromGit !== undefined) return withGitSource(context, wanted, options.fromGit, options, use);
  const kept = await findKeptArchive(context, app, build);
  if (!kept) throw await notKeptError(context, wanted);
  // Builds of the same files may have been scaled otherwise.
  const shown = kept.build === build ? undefined : (await readHistory(context, app)).firstSettingsOf(build);
  const scaling = { ...scalingOf(shown ?? {}), ...keep };
  return withKeptArchive(context, kept, async (archive, from) => {
    if (!archive) throw await notKeptError(context, wanted);
    return use({
      kind: 'archive',
      commit: null,
      origin: from
        ? `the archive in the team state at ${from} (SHA-256 as recorded there)`
        : 'the archive kept on this machine',
      files: archive.entries.length,
      bytes: archive.entries.reduce((sum, { size }) => sum + size, 0),
      body: { ...(kept.body as AppCreation), ...scaling },
      resolvedAnew: await findResolvedAnew((path) => readArchivedText(archive.path, path), kept.baseImages),
      compare: async (expected) => compareListings(expected, archive.entries),
      async deploy(sendOptions) {
        const earlier = { ...(kept.body as AppCreation), ...scaling, cliVersion: version };
        const body = await withLogin(context, earlier, kept.baseImages);
        const describe = async (created: CreatedApp) => describeAgain(kept, body, created);
        return deployArchive(context, { body, archive }, recordUpload(context, archive, sendOptions, describe));
      },
    });
  });
}

/** The next deploy compares with the new build as it would with the old one. */
function describeAgain(
  { build: restored, baseImages, deployRecord }: KeptArchive,
  body: AppCreation,
  { buildId: build, dashboardUrl }: CreatedApp,
): SentBuild {
  const { success, output } = v.safeParse(DeployRecord, deployRecord);
  const record = success ? { ...output, build, dashboard: dashboardUrl ?? '' } : undefined;
  return { body, baseImages, record, origin: { restored } };
}

function withGitSource<T>(
  context: Context,
  { app, build, keep, deployed }: WantedBuild,
  revision: string,
  { configFile }: SourceChoice,
  use: (source: RollbackSource) => Promise<T>,
): Promise<T> {
  return withRevision(context, { revision, whole: configFile.includes('..') }, async (at) => {
    const local = await readRevision(context, at, { app, configFile });
    const own = { isNew: false, region: deployed.region };
    const region = chooseRegion(context.settings.region, local.project.hardware.region, own);
    return use({
      kind: 'git',
      commit: at.commit,
      origin: `commit ${at.commit.slice(0, 12)}`,
      files: local.entries.length,
      bytes: local.bytes,
      body: withoutLogin(local.project, { region, keep }),
      resolvedAnew: await findResolvedAnew(
        (path) => readEntry(local.entries, path),
        await readBaseImages(local.project),
      ),
      compare: (expected) => compareRevision(context, local, at.commit, { app, build, expected }),
      deploy: (sendOptions) => deploy(context, local, { ...sendOptions, region, keep }),
    });
  });
}

/** By the platform's list, and by the SHA-256 of what was sent from this machine, if the history has it. */
async function compareRevision(
  context: Context,
  { entries }: LocalApp,
  commit: string,
  { app, build, expected }: { app: string; build: string; expected: readonly BuildFile[] },
): Promise<FileChanges> {
  const changes = await compareFiles(entries, expected, context.signal);
  const sent = (await readHistory(context, app)).sent(build);
  if (differingFiles(changes) || !sent) return changes;
  if (sent.filesDigest === (await sentFilesDigest(entries))) return { ...changes, byCrc32: 0, unverified: 0 };
  throw new ConflictError(`revision ${commit.slice(0, 12)} does not have the files of build ${shortBuild(build)}`, {
    why: 'the contents or permissions of its files differ from what this machine sent for that build (SHA-256)',
    fix: gantryCommand`builds list ${app}`,
    details: { app, build },
  });
}

async function readEntry(entries: readonly FileEntry[], path: string): Promise<string | undefined> {
  const source = entries.find((entry) => entry.path === path)?.source;
  if (!source) return undefined;
  return 'text' in source ? source.text : String(await readRegular(source.file));
}

async function notKeptError(context: Context, { app, build, live }: WantedBuild): Promise<NotFoundError> {
  const other = await findOtherKept(context, app, [build, live]);
  return new NotFoundError(
    `build ${shortBuild(build)} of ${app} cannot be deployed again from here: there is no archive of it`,
    {
      // The last one is for a file of the team that has the size and another content.
      why: (await whyNotUsable(context, app, build)) ?? 'its archive in the team state is damaged, or was changed',
      fix: other ? gantryCommand`rollback ${app} ${other}` : gantryCommand`rollback ${app} ${build} --from-git REV`,
      details: { app, build, kept: other ?? null },
    },
  );
}
