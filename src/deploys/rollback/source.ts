import { resolve } from 'node:path';
import { loadAppConfig } from '../../app/config.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { readArchivedText } from '../../app/zip/read-entry.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { readRegular } from '../../kernel/disk/index.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { shortBuild, shortList } from '../../kernel/output/format.ts';
import { choice, integer, nullable, type ObjectOf, objects, text } from '../../kernel/shape.ts';
import { version } from '../../kernel/version.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { contextWith, unlessMissing } from '../../platform/waiting/index.ts';
import { withKeptArchive } from '../archives/index.ts';
import {
  type BuildFile,
  changedPaths,
  compareListings,
  type FileChanges,
  listFiles,
  type Proof,
  unchangedFiles,
} from '../builds/index.ts';
import { inFolderOf } from '../commit-of-build.ts';
import { withRevision } from '../git/index.ts';
import { type EventOf, readHistory } from '../history/index.ts';
import type { Settled } from '../observe.ts';
import {
  checkLocalSource,
  chooseRegion,
  compareFiles,
  digestsOf,
  type LocalApp,
  makeSettings,
  readBaseImages,
  readLocalApp,
  readSentFiles,
  type SendOptions,
  type Sent,
  scalingOf,
  sendApp,
  sendArchive,
  withKeptRecord,
  withLogin,
} from '../send/index.ts';
import { type Chosen, changedScaling, noArchiveError, type RollbackOptions } from './choose-build.ts';

/** What a build is made of again. */
export const sourceFields = {
  source: nullable(choice(['archive', 'git'], 'what was deployed')),
  commit: nullable(text('commit of the files, if it is on record or was named')),
  archive: nullable(text('SHA-256 of the archive')),
  files: integer('number of files'),
  resolvedAnew: objects(
    'packages without an exact version and images without a digest, which may be others than in the earlier build',
    {
      kind: choice(['pip', 'conda', 'apt', 'image'], 'what it is'),
      requirement: text('as it is required'),
    },
  ),
};
type SourceFacts = ObjectOf<typeof sourceFields>;
type ResolvedAnew = SourceFacts['resolvedAnew'][number];

/** An archive that was kept, or a revision. */
export interface RollbackSource {
  facts: SourceFacts;
  origin: string;
  /** Bytes of all files, before compression. */
  bytes: number;
  body: AppCreation;
  /** Whether it has the SHA-256 on record of what was sent; undefined if nothing is on record. */
  isAsSent: boolean | undefined;
  /** What it has other than this list. */
  compare(expected: readonly BuildFile[]): Promise<FileChanges>;
  deploy(options: SendOptions): Promise<Sent>;
}

type UseSource<T> = (source: RollbackSource) => Promise<T>;

/** A build that is made again, of an app, and the settings that are not those of it: the name as well, if another app gets it. */
interface Again extends Chosen, Pick<RollbackOptions, 'fromGit' | 'configFile'> {
  app: string;
  reading: Settled;
  keep: Partial<AppCreation>;
}

/** Passes what a build can be made of again to `use`. Throws NotFoundError if there is no archive. */
export function withSource<T>(context: Context, again: Again, use: UseSource<T>): Promise<T> {
  const { fromGit } = again;
  return fromGit === undefined ? withArchive(context, again, use) : withCommit(context, again, fromGit, use);
}

function withArchive<T>(context: Context, again: Again, use: UseSource<T>): Promise<T> {
  const { app: name, keep, target, without, reading } = again;
  const { history } = reading;
  return withKeptArchive(context, name, target.id, async (usable) => {
    if (!usable) throw await noArchiveError(context, name, target.id, without);
    const { kept, archive, from } = usable;
    const { entries } = archive;
    const { baseImages } = kept;
    // Builds of the same files may have been scaled otherwise.
    const settings = kept.build === target.id ? {} : history.firstSettingsOf(target.id);
    const body = { ...(kept.body as AppCreation), ...scalingOf(settings), ...keep };
    const resolvedAnew = await findResolvedAnew((path) => readArchivedText(archive.path, path), baseImages);
    const sent = history.sent(kept.build);
    const { commit = null } = sent ?? {};
    const place = await readHistory(context, keep.name ?? name);
    return use({
      facts: { source: 'archive', commit, archive: kept.sha256, files: entries.length, resolvedAnew },
      origin: from
        ? `the archive in the team state at ${from} (SHA-256 as recorded there)`
        : 'the archive kept on this machine',
      bytes: entries.reduce((sum, { size }) => sum + size, 0),
      body,
      // Another archive of the same files is compared with the platform's list.
      isAsSent: sent?.archive === kept.sha256 || undefined,
      compare: async (expected) => compareListings(expected, entries),
      async deploy(options) {
        const withRegistry = await withLogin(context, { ...body, cliVersion: version }, baseImages);
        // The next deploy compares with the new build as it would with the old one.
        const record =
          sent && withKeptRecord(place, changedScaling(history, target.id, keep), againOf(sent, name, body.name));
        return sendArchive(
          context,
          { ...options, body: withRegistry, baseImages, record: Promise.resolve(record) },
          archive,
        );
      },
    });
  });
}

/** What is on record of a build that is made of the same. `from`: the app that it was made for. */
function againOf({ build: restored, ...sent }: EventOf<'sent'>, from: string, app: string) {
  const { settingsDigest, filesDigest, settings, made, commit, dirty, inFile, named = from } = sent;
  const record = { settingsDigest, filesDigest, settings, made, restored, commit, dirty, inFile };
  return named === app ? record : { ...record, named };
}

async function withCommit<T>(
  context: Context,
  { app: name, target, reading: { app, history }, keep, configFile }: Again,
  revision: string,
  use: UseSource<T>,
): Promise<T> {
  const here = await inFolderOf(context, { app: name, configFile });
  return withRevision(here, { revision, whole: configFile.includes('..') }, async ({ commit, folder }) => {
    const local = await readRevision(context, folder, name, configFile);
    const { entries, bytes, config } = local;
    const place = { isNew: false, region: app.region };
    const region = chooseRegion(context.settings.region, config.hardware.region, place);
    const made = makeSettings(config, { keep: { ...defined({ region }), ...keep } });
    const sent = history.sent(target.id);
    const digestsHere = async () => digestsOf(config, await readSentFiles(local), made.own);
    const read = (wanted: string) => textOf(entries.find(({ path }) => path === wanted));
    const resolvedAnew = await findResolvedAnew(read, await readBaseImages(config));
    return use({
      facts: { source: 'git', commit, archive: null, files: entries.length, resolvedAnew },
      origin: `commit ${commit.slice(0, 12)}`,
      bytes,
      body: made.body,
      isAsSent: sent && sent.filesDigest === (await digestsHere()).filesDigest,
      compare: (expected) => compareFiles(entries, expected, context.signal),
      deploy: (options) =>
        sendApp(context, local, made, { ...options, kept: changedScaling(history, target.id, keep), commit }),
    });
  });
}

export const proofTexts: Record<Proof, string> = {
  record: 'which has the SHA-256 of what was sent',
  sha256: 'compared by SHA-256',
  crc32: 'compared by CRC-32',
};

/** Proves them before anything is sent. Throws ConflictError if they are others, or if only names and sizes are known. */
export async function proveFiles(context: Context, app: string, build: string, source: RollbackSource): Promise<Proof> {
  if (source.isAsSent) return 'record';
  const { api, project } = context;
  const expected = (await unlessMissing(listFiles(api, { project, app, build }))) ?? [];
  const compared = expected.length > 0 ? await source.compare(expected) : unchangedFiles(0);
  const { added, changed, removed, byCrc32, unverified } = compared;
  const different = changedPaths(compared);
  if (different.length > 0 || source.isAsSent === false) {
    const bySent = 'the contents or permissions of its files differ from what was sent for that build (SHA-256)';
    throw new ConflictError(`${source.origin} does not have the files of build ${shortBuild(build)}`, {
      why: different.length === 0 ? bySent : `different: ${shortList(different, 1)}`,
      fix: gantryCommand`builds list ${app}`,
      details: { app, build, added, changed, removed },
    });
  }
  if (expected.length > 0 && unverified === 0) return byCrc32 > 0 ? 'crc32' : 'sha256';
  throw new ConflictError(`cannot prove that ${source.origin} has the files of build ${shortBuild(build)}`, {
    why:
      expected.length > 0
        ? 'the platform lists no checksums, and files of equal size may differ'
        : `the platform lists no files of build ${shortBuild(build)}`,
    fix: 'to deploy it anyway',
    retryWith: ['--force'],
    details: { app, build },
  });
}

/** The app of a revision. It has the name of the deployed app, even if the config file has another one. */
async function readRevision(context: Context, folder: string, app: string, configFile: string): Promise<LocalApp> {
  const inFile = await loadAppConfig(resolve(folder, configFile), { root: folder }).catch(() => undefined);
  const name = inFile?.config.name === app ? undefined : app;
  const inFolder = contextWith(context, { cwd: folder });
  const local = await readLocalApp(inFolder, { configFile, name, repack: true });
  await checkLocalSource(inFolder, local);
  return local;
}

async function textOf(entry: FileEntry | undefined): Promise<string | undefined> {
  if (!entry) return undefined;
  return 'text' in entry.source ? entry.source.text : String(await readRegular(entry.source.file));
}

/** The files that the platform installs from (docs/platform.md#builds), and what a line looks like that has one meaning. */
const lists: { kind: ResolvedAnew['kind']; path: string; pinned: RegExp }[] = [
  { kind: 'pip', path: 'requirements.txt', pinned: /^[^\s=<>!~;]+\s*={2,3}\s*[^\s*,;]+\s*(;.*)?$|[@=][0-9a-f]{40,}\b/ },
  { kind: 'conda', path: 'conda_pkglist.txt', pinned: /^[^\s=<>!~]+={1,2}\d[^*,|<>]*$/ },
  { kind: 'apt', path: 'pkglist.txt', pinned: /^[^\s=]+=[^\s*]+$/ },
];

/** Packages without an exact version, and images without a digest. `read` gives the text of a file of the build. */
async function findResolvedAnew(read: (path: string) => Promise<string | undefined>, baseImages: readonly string[]) {
  const open: ResolvedAnew[] = [];
  for (const { kind, path, pinned } of lists) {
    const requirements = linesOf((await read(path)) ?? '').filter((line) => !pinned.test(line));
    for (const requirement of requirements) open.push({ kind, requirement });
  }
  const images = baseImages.filter((image) => !image.includes('@sha256:'));
  return [...open, ...images.map((requirement) => ({ kind: 'image' as const, requirement }))];
}

/** Requirements, and other files that have more of them; no other options. */
function linesOf(text: string): string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .map((line) => line.replace(/\s+--hash=\S+/g, ''))
    .filter((line) => line !== '' && !/^-(?!r|-requirement)/.test(line));
}
