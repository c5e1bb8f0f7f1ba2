import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { namesIn, writeFileAtomic } from '../../kernel/disk/index.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';

const text = v.string();
const number = v.number();
/** As in the archive. */
const entry = v.object({ path: text, size: number, compressed: number, crc32: number, sha256: text });

/**
 * The archive of a deploy and what it was deployed with, on this machine. Two builds of the same archive share its file,
 * which is named by its content. It may contain whatever the app contains, so that only its owner can read it.
 */
export const KeptArchive = v.object({
  ...{ platform: text, project: text, app: text, build: text, keptAt: text },
  sha256: v.pipe(text, v.regex(/^[0-9a-f]{64}$/)),
  bytes: number,
  entries: v.array(entry),
  /** The request of the deploy, without a registry login. */
  body: v.looseObject({ name: text }),
  /** Images that may need a registry login. */
  baseImages: v.array(text),
  /** The earlier build that it was made of again. */
  restored: v.optional(text),
  /** What later deploys compare with. */
  deployRecord: v.unknown(),
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

/** With the archive's hash, so that nobody has to read all records to know which files are needed. */
export function recordName(kept: KeptArchive): string {
  return `${nameOf(kept)}-${kept.sha256}.json`;
}

const nameOf = ({ platform, project, app, build = '' }: ArchiveKey) => stateKey(platform, project, app, build);

/** The hash in the name of a record. */
export function hashOf(recordName: string): string | undefined {
  return /-([0-9a-f]{64})\.json$/.exec(recordName)?.[1];
}

/** Of all records of this machine, or of those of a build. */
export function recordNames(state: string, of?: ArchiveKey): string[] {
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
export async function filesOf(folder: string): Promise<{ name: string; bytes: number; modified: number }[]> {
  const stats = (name: string) => stat(join(folder, name)).catch(() => undefined);
  const found = await Promise.all(namesIn(folder).map(async (name) => ({ name, stats: await stats(name) })));
  return found.flatMap(({ name, stats }) => (stats ? { name, bytes: stats.size, modified: stats.mtimeMs } : []));
}

/** Removes what was kept of a build that failed. Best effort. */
export async function forgetArchive(context: Context, app: string, build: string): Promise<void> {
  await removeRecord(context.settings.folders.state, keyOf(context, app, build)).catch(() => {});
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
const copyingMs = 3_600_000;

/** Removes archives without a record, and unfinished copies. */
export async function removeUnused(state: string, now: number): Promise<void> {
  // In this order: a record is written before its archive, so that one of an archive that is listed exists by now.
  const files = await filesOf(filesFolder(state));
  const used = new Set(recordNames(state).map(hashOf));
  for (const { name, modified } of files) {
    const sha256 = /^([0-9a-f]{64})\.zip$/.exec(name)?.[1];
    const isNeeded = sha256 === undefined ? modified >= now - copyingMs : used.has(sha256);
    if (!isNeeded) await rm(join(filesFolder(state), name), { force: true });
  }
}
