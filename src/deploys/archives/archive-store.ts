import { existsSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type { AppArchive } from '../../app/archive.ts';
import {
  findWritableByOthers,
  linkOrCopy,
  namesIn,
  sha256OfFile,
  TemporaryFolder,
  writeFileAtomic,
} from '../../kernel/disk/index.ts';
import { hourMs } from '../../kernel/durations.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { toPathSegment } from '../../platform/contract/endpoint.ts';
import { readHistory, readOwnHistory } from '../history/index.ts';
import { type TeamState, teamStateOf } from '../team-state/index.ts';

const text = v.string();
const number = v.number();
const entry = v.object({ path: text, size: number, compressed: number, crc32: number, sha256: text });

/** What a deploy sent, for its owner only. Builds of the same archive share its file, named by its content. */
export const KeptArchive = v.object({
  platform: text,
  project: text,
  app: text,
  build: text,
  keptAt: text,
  sha256: v.pipe(text, v.regex(/^[0-9a-f]{64}$/)),
  bytes: number,
  entries: v.array(entry),
  /** The request of the deploy, without a registry login. */
  body: v.looseObject({ name: text }),
  /** Images that may need a registry login. */
  baseImages: v.array(text),
});
export type KeptArchive = v.InferOutput<typeof KeptArchive>;

/** Which app, or which of its builds: ids are unique on one platform only. */
interface ArchiveKey extends Pick<KeptArchive, 'platform' | 'project' | 'app'> {
  build?: string | undefined;
}

export function keyOf<Build extends string | undefined>({ settings, project }: Context, app: string, build: Build) {
  return { platform: platformOf(settings), project, app, build };
}

/** Who can write one of these decides what a rollback deploys. */
export const archiveFolders = (state: string) => [join(state, 'archives'), recordsFolder(state), filesFolder(state)];
export const recordsFolder = (state: string) => join(state, 'archives', 'builds');
export const filesFolder = (state: string) => join(state, 'archives', 'files');
export const archiveFile = (state: string, sha256: string) => join(filesFolder(state), `${sha256}.zip`);

export async function writeRecord(state: string, kept: KeptArchive): Promise<void> {
  await writeFileAtomic(join(recordsFolder(state), recordName(kept)), stringifyJson(kept), { mode: 0o600 });
}

/** A name with the archive's hash, so that nobody has to read all records to know which files are needed. */
export function recordName(kept: KeptArchive): string {
  return `${nameOf(kept)}-${kept.sha256}.json`;
}

const nameOf = ({ platform, project, app, build = '' }: ArchiveKey) => stateKey(platform, project, app, build);

/** The hash in the name of a record. */
export function hashOf(recordName: string): string | undefined {
  return /-([0-9a-f]{64})\.json$/.exec(recordName)?.[1];
}

/** The names of all records of this machine, or of those of a build. */
function recordNames(state: string, of?: ArchiveKey): string[] {
  const prefix = of?.build === undefined ? '' : `${nameOf(of)}-`;
  return namesIn(recordsFolder(state)).filter((name) => name.startsWith(prefix) && hashOf(name) !== undefined);
}

/** Those that can be read: all, or those of an app or a build. */
export async function readRecords(state: string, of?: ArchiveKey): Promise<KeptArchive[]> {
  const read = (name: string) => readFile(join(recordsFolder(state), name), 'utf8').catch(() => '');
  const texts = await Promise.all(recordNames(state, of).map(read));
  const kept = texts.flatMap((text) => parseRecord(text) ?? []);
  return kept.filter((each) => !of || nameOf({ ...each, build: of.build && each.build }) === nameOf(of));
}

export function parseRecord(json: string): KeptArchive | undefined {
  const { success, output } = v.safeParse(KeptArchive, tryParseJson(json));
  return success ? output : undefined;
}

export async function removeRecord(state: string, of: ArchiveKey & { build: string }): Promise<void> {
  for (const name of recordNames(state, of)) await rm(join(recordsFolder(state), name), { force: true });
}

/** The files of a folder that are still there, with their sizes in bytes and their times in ms. */
export function filesOf(folder: string): { name: string; bytes: number; modified: number }[] {
  return namesIn(folder).flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats ? { name, bytes: stats.size, modified: stats.mtimeMs } : [];
  });
}

/** Removes what was kept of a build that failed, or of an app that was deleted. Best effort. */
export async function forgetArchives(context: Context, app: string, build?: string): Promise<void> {
  const { state } = context.settings.folders;
  for (const kept of await readRecords(state, keyOf(context, app, build)))
    await removeRecord(state, kept).catch(() => {});
}

/** What is kept on this machine, of apps of any project and platform. Equal archives share a file. */
export async function listArchives({ settings, now }: Context) {
  const { state } = settings.folders;
  return (await readRecords(state)).map((kept) => ({
    kept,
    path: archiveFile(state, kept.sha256),
    remove: async () => {
      await removeRecord(state, kept);
      await removeUnused(state, now());
    },
  }));
}

/** A copy that is older was left behind. */
const copyingMs = hourMs;

/** Removes archives without a record, and unfinished copies. */
export async function removeUnused(state: string, now: number): Promise<void> {
  // In this order: a record is written before its archive, so that one of an archive that is listed exists by now.
  const files = filesOf(filesFolder(state));
  const used = new Set(recordNames(state).map(hashOf));
  for (const { name, modified } of files) {
    const sha256 = /^([0-9a-f]{64})\.zip$/.exec(name)?.[1];
    const isNeeded = sha256 === undefined ? modified >= now - copyingMs : used.has(sha256);
    if (!isNeeded) await rm(join(filesFolder(state), name), { force: true });
  }
}

/** The files of a build, as this machine has sent them. Undefined if it has not kept them. */
export async function readKeptFiles(context: Context, app: string, build: string) {
  const machine = placesOf(context).find(({ at }) => at === undefined);
  return (await machine?.records(app, build))?.[0]?.entries;
}

/** Why the archive of a build cannot be deployed from here; undefined if it can. Nothing is downloaded. */
export async function whyNotUsable(context: Context, app: string, build: string): Promise<string | undefined> {
  const kept = await findKept(context, app, build);
  const team = teamStateOf(context)?.place;
  for (const { has } of placesOf(context)) if (kept && (await has(kept))) return undefined;
  const { keepArchives, folders } = context.settings;
  const writable = findWritableByOthers(...archiveFolders(folders.state));
  if (writable) return `other users can write ${writable}, so its archives are not used`;
  if (keepArchives.value === 'off') return `keep-archives is off (${keepArchives.origin})`;
  if (team) return `neither this machine nor the team state at ${team} has it as it was sent`;
  return 'without team-state, gantry has the archives of deploys from this machine only, up to 1 GiB and 90 days';
}

/** An archive under a name of its own: another process may remove the kept one meanwhile. */
interface UsableArchive {
  kept: KeptArchive;
  archive: AppArchive;
  /** Where the team has it, or its record. */
  from: string | undefined;
}

/** Passes the archive of a build to `use`. Undefined: there is none, or a damaged one. */
export async function withKeptArchive<T>(
  context: Context,
  app: string,
  build: string,
  use: (usable: UsableArchive | undefined) => Promise<T>,
): Promise<T> {
  const kept = await findKept(context, app, build);
  if (!kept) return use(undefined);
  const { sha256, bytes, entries } = kept;
  for (const { at, copy } of placesOf(context)) {
    const folder = TemporaryFolder.create('archive');
    try {
      const path = join(folder.path, `${sha256}.zip`);
      const read = copy(kept, folder.path).then(() => sha256OfFile(path, context.signal));
      const isWhole = (await read.catch(() => undefined)) === sha256;
      context.signal.throwIfAborted();
      const archive = { path, bytes, entries, changed: [] };
      if (isWhole) return await use({ kept, archive, from: at ?? kept.at });
    } finally {
      await folder.remove();
    }
  }
  return use(undefined);
}

/** The archive of a build, or of another one of equal files, and where the team has it. What was sent is known better here. */
async function findKept(context: Context, app: string, build: string) {
  const { settings, project } = context;
  const history = await readHistory(context, app);
  const ownHistory = await readOwnHistory(settings, stateKey(platformOf(settings), project, app));
  for (const each of [build, ...history.ofSame(build)]) {
    for (const { at, records } of placesOf(context)) {
      const [kept] = await records(app, each);
      const sent = at === undefined ? undefined : (ownHistory.sent(each) ?? history.sent(each))?.archive;
      if (kept && (sent ?? kept.sha256) === kept.sha256) return { ...kept, at };
    }
  }
  return undefined;
}

/** Where archives are kept: this machine, or a volume of the team. */
interface ArchivePlace {
  /** As users write it. Undefined: this machine. */
  at: string | undefined;
  records(app: string, build: string): Promise<KeptArchive[]>;
  /** Whether the archive is there. Whether it is whole shows once it is copied. */
  has(kept: KeptArchive): Promise<boolean>;
  /** Puts the archive into a folder, if it is there. */
  copy(kept: KeptArchive, to: string): Promise<unknown>;
}

/** This machine comes first: what it has kept, it knows better than a volume. */
function placesOf(context: Context): ArchivePlace[] {
  const team = teamStateOf(context);
  const isTrusted = !findWritableByOthers(...archiveFolders(context.settings.folders.state));
  return [...(isTrusted ? [ownPlace(context)] : []), ...(team ? [teamPlace(context, team)] : [])];
}

function ownPlace(context: Context): ArchivePlace {
  const { state } = context.settings.folders;
  return {
    at: undefined,
    records: (app, build) => readRecords(state, keyOf(context, app, build)),
    has: async ({ sha256 }) => existsSync(archiveFile(state, sha256)),
    copy: ({ sha256 }, to) => linkOrCopy(archiveFile(state, sha256), join(to, `${sha256}.zip`)),
  };
}

function teamPlace(context: Context, team: TeamState): ArchivePlace {
  const files = (app: string) => sharedFiles(team, app);
  const folder = (app: string) => sharedRecords(team, app);
  return {
    at: team.place,
    async records(app, build) {
      const { documents } = await team.read(context, folder(app), (name) => buildOf(name) === build);
      const kept = documents.flatMap(({ text }) => parseRecord(text) ?? []);
      return kept.filter((each) => each.build === build && each.app === app && each.body.name === app);
    },
    async has({ app, sha256 }) {
      return (await team.list(context, files(app))).some(({ name }) => name === `${sha256}.zip`);
    },
    copy: ({ app, sha256 }, to) => team.download(context, `${files(app)}/${sha256}.zip`, to),
  };
}

export const sharedRecords = (team: TeamState, app: string) => team.folderOf('archives', app);
export const sharedFiles = (team: TeamState, app: string) => `${sharedRecords(team, app)}/files`;

/** `20261123T140201123Z_b-1_<hash>.json`, so that nobody has to read all records to find one. */
export function sharedName({ keptAt, build, sha256 }: KeptArchive): string {
  return `${keptAt.replace(/[-:.]/g, '')}_${toPathSegment(build, 'build')}_-${sha256}.json`;
}

/** The build in the name of a record that is shared. */
export function buildOf(name: string): string | undefined {
  const build = /^\d{8}T\d{9}Z_(.+)_-[0-9a-f]{64}\.json$/.exec(name)?.[1];
  try {
    return build && decodeURIComponent(build);
  } catch {
    return undefined;
  }
}
