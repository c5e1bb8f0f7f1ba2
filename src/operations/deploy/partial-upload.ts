/**
 * Which files a partial upload sends, as we read `partialUpload` (docs/platform.md#uploads): the archive holds what is new
 * or changed, and the rest comes from the latest ready build.
 */
import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { getApp } from '../../contract/apps.ts';
import { getBuildZipContents } from '../../contract/builds.ts';
import { NotFoundError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import type { FileChecksums } from '../../project/file-checksums.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import { type BuildFile, parseZipContents } from '../builds/index.ts';
import { readDeployRecord, type SentFile } from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import { readRefusal } from './partial-refusal.ts';

/** What a partial upload sends. */
export interface PartialUpload {
  /** The build that the other files come from. */
  base: string;
  entries: FileEntry[];
  unchanged: SentFile[];
}

/** Why all files are sent. */
export interface FullUpload {
  reason: string;
}

/** What the result of a deploy says about it. */
export interface UploadSummary {
  /** The build that the other files come from; null if all files are sent. */
  base: string | null;
  /** How many files are sent. */
  sent: number;
  unchanged: number;
  /** Why all files are sent; null if only a part is. */
  reason: string | null;
}

export function summarizeUpload(local: LocalApp, upload: PartialUpload | FullUpload): UploadSummary {
  if ('reason' in upload) return { base: null, sent: local.entries.length, unchanged: 0, reason: upload.reason };
  const { base, entries, unchanged } = upload;
  return { base, sent: entries.length, unchanged: unchanged.length, reason: null };
}

/** Compares the files with those of the latest ready build. Anything that is not certain means to send all of them. */
export async function choosePartialUpload(
  context: Context,
  local: LocalApp,
  checksums: FileChecksums,
): Promise<PartialUpload | FullUpload> {
  const { name } = local.project;
  const refusal = await readRefusal(context);
  if (refusal) return { reason: `this platform built only what was sent (build ${refusal.build})` };
  const base = await readReadyBuild(context, name);
  if (!base) return { reason: `${name} has no ready build` };
  const files = await readBuildFiles(context.api, { project: context.project, app: name, build: base });
  if (!files) return { reason: `the platform does not list the files of build ${base}` };

  const sent = await readSentFiles(context, name, base);
  return compareWithBase(local, { base, files, sent }, checksums, context.signal);
}

/** The latest ready build of an app; undefined if it is not deployed. */
export async function readReadyBuild({ api, project }: Context, app: string): Promise<string | undefined> {
  try {
    return (await api(getApp, { project, app })).latestReadyBuildId || undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Undefined if the platform does not list them. */
export async function readBuildFiles(
  api: Api,
  params: { project: string; app: string; build: string },
): Promise<BuildFile[] | undefined> {
  try {
    const { zipFiles } = await api(getBuildZipContents, params);
    const files = parseZipContents(zipFiles);
    return files.length > 0 ? files : undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** What this machine sent for a build, by path. */
async function readSentFiles(context: Context, app: string, build: string): Promise<Map<string, SentFile>> {
  const record = await readDeployRecord(context, app);
  const files = record?.build === build ? record.files : [];
  return new Map(files.map(([path, size, crc32, executable]) => [path, { path, size, crc32, executable }]));
}

interface BaseBuild {
  base: string;
  files: readonly BuildFile[];
  /** What this machine sent for it. */
  sent: ReadonlyMap<string, SentFile>;
}

async function compareWithBase(
  { entries, project }: LocalApp,
  { base, files, sent }: BaseBuild,
  checksums: FileChecksums,
  signal: AbortSignal,
): Promise<PartialUpload | FullUpload> {
  const before = new Map(files.map((file) => [file.path, withRecord(file, sent.get(file.path))]));
  const upload: PartialUpload = { base, entries: [], unchanged: [] };
  for (const entry of entries) {
    signal.throwIfAborted();
    const old = before.get(entry.path);
    before.delete(entry.path);
    if (old && (old.size === undefined || old.crc32 === undefined)) {
      return { reason: `it is not known which content ${entry.path} has in build ${base}` };
    }
    if (old?.size !== undefined && entry.reason?.kind === 'generated' && entry.size < old.size) {
      return { reason: `${entry.path}, which is generated, is smaller than in build ${base}` };
    }
    const unchanged = old && (await asUnchanged(entry, old, sent.get(entry.path), checksums));
    if (unchanged) upload.unchanged.push(unchanged);
    else upload.entries.push(entry);
  }
  const [removed, ...others] = before.keys();
  if (removed !== undefined) {
    return {
      reason:
        others.length > 0
          ? `${removed} and ${count(others.length, 'more file')} were removed`
          : `${removed} was removed`,
    };
  }
  if (upload.unchanged.length === 0) return { reason: 'all files have changed' };
  return upload.entries.length > 0 ? upload : withConfig(upload, entries, project.file);
}

/** The platform lists no checksum: ours counts if the size is the same. */
function withRecord(file: BuildFile, sent: SentFile | undefined): BuildFile {
  return file.crc32 === undefined && sent && sent.size === file.size ? { ...file, crc32: sent.crc32 } : file;
}

/** Whether a file is executable is in our record only. Without one, such a file is sent. */
async function asUnchanged(
  entry: FileEntry,
  { size, crc32 }: BuildFile,
  sent: SentFile | undefined,
  checksums: FileChecksums,
): Promise<SentFile | undefined> {
  const { path, executable } = entry;
  if (size !== entry.size || crc32 === undefined) return undefined;
  if (executable !== (sent?.executable ?? false)) return undefined;
  return crc32 === (await checksums.read(entry)) ? { path, size, crc32, executable } : undefined;
}

/** An archive without files could be refused. */
function withConfig(upload: PartialUpload, entries: readonly FileEntry[], config: string): PartialUpload {
  const isConfig = ({ source }: FileEntry) => 'file' in source && source.file === config;
  const entry = entries.find(isConfig) ?? entries[0];
  if (!entry) return upload;
  return { ...upload, entries: [entry], unchanged: upload.unchanged.filter(({ path }) => path !== entry.path) };
}
