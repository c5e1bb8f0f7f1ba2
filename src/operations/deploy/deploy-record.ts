import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { platformOf, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import type { AppCreation, CreatedApp } from '../../contract/apps.ts';
import { makePrivateFolder, removeOldFiles, writeFileAtomic } from '../../disk/index.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';
import type { AppArchive } from '../../project/archive.ts';
import { FileChecksums } from '../../project/file-checksums.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import type { CheckedOut } from '../git/index.ts';
import { recordEvent, sentSettings } from '../history/index.ts';

/** What this machine sent for the last build of an app. */
export type DeployRecord = v.InferOutput<typeof DeployRecord>;

const summary = {
  build: v.string(),
  /** What was sent, see {@link digestsOf}. */
  settingsDigest: v.string(),
  filesDigest: v.string(),
  dashboard: v.string(),
};
const Summary = v.object(summary);
/** Path, size, SHA-256 and whether it is executable. */
const Files = v.array(v.tuple([v.string(), v.number(), v.string(), v.boolean()]));

/** The files are empty if it was written by a version that kept CRC-32. */
export const DeployRecord = v.object({ ...summary, files: v.fallback(Files, []) });

/** A record of which only what most deploys need was parsed. */
export interface StoredRecord extends v.InferOutput<typeof Summary> {
  /** Empty if they are damaged. */
  files: () => DeployRecord['files'];
}

/** Emulators have another address at each start, so records would pile up. */
const maxAgeDays = 90;

/** A file as it is in the archive. */
export interface SentFile {
  path: string;
  /** In bytes. */
  size: number;
  sha256: string;
  executable: boolean;
}

export type Digests = Pick<DeployRecord, 'settingsDigest' | 'filesDigest'>;

/** Two deploys with the same digests send the same settings and files. */
export function digestsOf(body: AppCreation, files: readonly SentFile[]): Digests {
  return { settingsDigest: settingsDigestOf(body), filesDigest: filesDigestOf(files) };
}

/** A registry login is not one of the settings. */
export function settingsDigestOf({ cliVersion: _version, dockerAuth: _login, ...settings }: AppCreation): string {
  return digest(Object.entries(settings).map((field) => stringifyJson(field)));
}

/** The digest of what a deploy of these files sends. */
export async function sentFilesDigest(entries: readonly FileEntry[], checksums = new FileChecksums()): Promise<string> {
  return checksums.digestOf(entries, (sums) =>
    filesDigestOf(entries.map((entry, index) => ({ ...entry, sha256: sums[index]?.sha256 ?? '' }))),
  );
}

function filesDigestOf(files: readonly SentFile[]): string {
  return digest(files.map((file) => stringifyJson(toTuple(file))));
}

function toTuple({ path, size, sha256, executable }: SentFile): DeployRecord['files'][number] {
  return [path, size, sha256, executable];
}

function digest(lines: string[]): string {
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

/** Where the files come from, and what is known of their arrival. */
export type SentFrom = Partial<CheckedOut> & { restored?: string; archive?: string; unconfirmed?: boolean };

/** What a deploy of these files sends for a build. */
export function describeDeploy(
  body: AppCreation,
  created: Pick<CreatedApp, 'buildId' | 'dashboardUrl'>,
  { archive, executables }: { archive: AppArchive; executables: ReadonlySet<string> },
): DeployRecord {
  const files = archive.entries.map((entry) => ({ ...entry, executable: executables.has(entry.path) }));
  const dashboard = created.dashboardUrl ?? '';
  return { build: created.buildId, ...digestsOf(body, files), dashboard, files: files.map(toTuple) };
}

/** Writes into the history what a build is made of. */
export async function recordSent(
  context: Context,
  body: AppCreation,
  { build, settingsDigest, filesDigest }: Pick<DeployRecord, 'build' | 'settingsDigest' | 'filesDigest'>,
  { event = 'sent', ...origin }: SentFrom & { event?: 'sending' | 'sent' } = {},
): Promise<void> {
  const settings = sentSettings(body);
  await recordEvent(context, body.name, event, { build, settingsDigest, filesDigest, settings, ...origin });
}

/** Two lines, of which a deploy without changes parses the first. Best effort. */
export async function writeDeployRecord(
  context: Context,
  app: string,
  { files, ...facts }: DeployRecord,
): Promise<void> {
  const file = recordFile(context, app);
  try {
    makePrivateFolder(dirname(file));
    await removeOldFiles(dirname(file), maxAgeDays);
    await writeFileAtomic(file, `${stringifyJson(facts)}\n${stringifyJson(files)}\n`, { mode: 0o600 });
  } catch (error) {
    context.trace(`cannot write ${file}: ${(error as Error).message}`);
  }
}

/** Undefined if this machine has none, or a damaged one. */
export async function readDeployRecord(context: Context, app: string): Promise<StoredRecord | undefined> {
  const text = await readFile(recordFile(context, app), 'utf8').catch(() => '');
  const end = text.indexOf('\n');
  const parsed = v.safeParse(Summary, tryParseJson(text.slice(0, end)));
  if (!parsed.success) return undefined;
  return { ...parsed.output, files: () => v.parse(v.fallback(Files, []), tryParseJson(text.slice(end))) };
}

function recordFile({ settings, project }: Context, app: string): string {
  return join(settings.folders.state, 'deploys', `${stateKey(platformOf(settings), project, app)}.jsonl`);
}
