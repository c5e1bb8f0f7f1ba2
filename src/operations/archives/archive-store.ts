import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { platformOf, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import { writeFileAtomic } from '../../disk/index.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';

/**
 * The archive of a deploy and what it was deployed with, on this machine. Two builds of the same archive share its file,
 * which is named by its content. It may contain whatever the app contains, so that only its owner can read it.
 */
export const KeptArchive = v.object({
  platform: v.string(),
  project: v.string(),
  app: v.string(),
  build: v.string(),
  keptAt: v.string(),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  bytes: v.number(),
  /** As in the archive. */
  entries: v.array(
    v.object({
      path: v.string(),
      size: v.number(),
      compressed: v.number(),
      crc32: v.number(),
      sha256: v.string(),
    }),
  ),
  /** The request of the deploy, without a registry login. */
  body: v.looseObject({ name: v.string() }),
  /** Images that may need a registry login. */
  baseImages: v.array(v.string()),
  /** The earlier build that it was made of again. */
  restored: v.optional(v.string()),
  /** What later deploys compare with. */
  deployRecord: v.unknown(),
});
export type KeptArchive = v.InferOutput<typeof KeptArchive>;

/** Which build of which app: ids are unique on one platform only. */
export type BuildKey = Pick<KeptArchive, 'platform' | 'project' | 'app' | 'build'>;

export function buildKey({ settings, project }: Context, app: string, build: string): BuildKey {
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
  return `${keyOf(kept)}-${kept.sha256}.json`;
}

export async function findRecord(state: string, build: BuildKey): Promise<KeptArchive | undefined> {
  for (const name of await recordNames(state, build)) {
    const found = await readRecord(join(recordsFolder(state), name));
    if (found && found.build === build.build) return found;
  }
  return undefined;
}

export async function removeRecord(state: string, build: BuildKey): Promise<void> {
  for (const name of await recordNames(state, build)) await rm(join(recordsFolder(state), name), { force: true });
}

/** All records of this machine that can be read. */
export async function readRecords(state: string): Promise<KeptArchive[]> {
  const found: KeptArchive[] = [];
  for (const name of await recordNames(state)) {
    const kept = await readRecord(join(recordsFolder(state), name));
    if (kept) found.push(kept);
  }
  return found;
}

/** The hash in the name of a record. */
export function hashOf(recordName: string): string | undefined {
  return /-([0-9a-f]{64})\.json$/.exec(recordName)?.[1];
}

export async function recordNames(state: string, build?: BuildKey): Promise<string[]> {
  const names = await readdir(recordsFolder(state)).catch((): string[] => []);
  const prefix = build ? `${keyOf(build)}-` : '';
  return names.filter((name) => name.startsWith(prefix) && hashOf(name) !== undefined);
}

async function readRecord(path: string): Promise<KeptArchive | undefined> {
  return parseRecord(await readFile(path, 'utf8').catch(() => ''));
}

export function parseRecord(text: string): KeptArchive | undefined {
  const parsed = v.safeParse(KeptArchive, tryParseJson(text));
  return parsed.success ? parsed.output : undefined;
}

function keyOf({ platform, project, app, build }: BuildKey): string {
  return stateKey(platform, project, app, build);
}
