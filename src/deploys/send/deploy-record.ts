import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FileEntry } from '../../app/files/entry.ts';
import { readVariable } from '../../kernel/environment.ts';
import { defined, stringifyJson } from '../../kernel/json-text.ts';
import { boolean, integer, list, nullable, number, type ObjectOf, object, optional, text } from '../../kernel/shape.ts';
import { readFolderTarget, rememberFolderTarget } from '../../platform/config/folder-target.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { healthFields } from '../decide.ts';
import { commitShape, type EventOf } from '../history/index.ts';
import type { AppSecrets } from './app-secrets.ts';
import type { LocalApp } from './local-app.ts';

/** What a build is made of, for the record. */
export type SentRecord = Omit<EventOf<'sent'>, 'at' | 'by' | 'event' | 'build'>;

/** The registry login and the region do not count: with others, it is the same app. */
export function settingsDigestOf(sent: AppCreation): string {
  const { cliVersion: _version, dockerAuth: _login, region: _region, ...settings } = sent;
  return digest(Object.entries(settings));
}

/** A file as it is in the archive. */
export type SentFile = Pick<FileEntry, 'path' | 'size' | 'executable'> & { sha256: string };

/** The files of an app on disk as its archive would have them. */
export async function readSentFiles({ entries, checksums }: LocalApp, signal?: AbortSignal): Promise<SentFile[]> {
  const sums = await checksums.readAll(entries, signal);
  return entries.map((entry, at) => ({ ...entry, sha256: sums[at]?.sha256 ?? '' }));
}

/** The digest of what a deploy of these files sends. */
export async function sentFilesDigest(local: LocalApp): Promise<string> {
  return filesDigestOf(await readSentFiles(local));
}

/** A digest, equal for equal paths, contents and executable bits in any order. */
export function filesDigestOf(files: readonly SentFile[]): string {
  return digest(files.map(({ path, size, sha256, executable }) => [path, size, sha256, executable]));
}

/** What is on record of the secrets that replicas of an app get. */
export function secretsMark(secrets: AppSecrets): string | undefined {
  return secrets && digest(Object.entries(secrets.values)).slice(0, 4);
}

function digest(facts: readonly unknown[]): string {
  const lines = facts.map((fact) => stringifyJson(fact));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

/** Remembers for this folder where its app went. Best effort: a deploy does not fail because of it. */
export async function rememberTarget(
  context: Context,
  { app, isPreview, dataFolder }: { app: string; isPreview: boolean; dataFolder?: string | null },
) {
  const { settings, target, cwd, env, trace } = context;
  if (readVariable(env, 'GANTRY_FOLDER_TARGET') === 'off') return;
  const { project, platform, address } = target;
  try {
    const last = readFolderTarget(settings.folders, cwd);
    // A preview goes there, too, but is no app of this folder.
    const appOfFolder = isPreview ? (last?.app ?? '') : app;
    const place = { app: appOfFolder, project: project.value ?? '', platform: platform.value, address };
    const current = { ...place, flags: flagsFor(context), ...defined({ dataFolder }) };
    if (!isDeepStrictEqual(last, current)) await rememberFolderTarget(settings.folders, cwd, current);
  } catch (error) {
    trace(`cannot remember where ${app} went: ${(error as Error).message}`);
  }
}

/** What leads to this target from any shell; nothing does if the environment has the address of the platform. */
function flagsFor({ settings: { profile }, target: { platform, project }, flags }: Context): string[] {
  if (flags.local) return flags.local.flags;
  if (platform.origin.startsWith('environment')) return [];
  const named = profile.value === 'default' ? [] : ['--profile', profile.value];
  return [...named, '-p', project.value ?? ''];
}

/** A deployment that succeeded or, with `detach`, one that is in progress. */
export const deploymentFields = {
  app: text('app name'),
  project: text('project'),
  runtime: text('cortex, custom or a partner'),
  build: text('build id'),
  status: text('final status of the build (with --detach: current status)'),
  notStarted: nullable(
    object(
      {
        reason: text('why the emulator cannot run it'),
        calls: text('refused or simulated'),
      },
      'why the emulator did not start it; null if it did',
    ),
  ),
  differences: list(text('a setting'), 'what the emulator does not do as the platform does'),
  endpoint: text('URL of the app'),
  dashboard: text('URL of the app in the dashboard'),
  files: integer('number of files sent'),
  bytes: integer('size of the archive'),
  packMs: number('duration of packing, in ms'),
  uploadMs: number('duration of the upload, in ms'),
  buildMs: nullable(number('time waited for the build, in ms; null with --detach')),
  commit: optional(commitShape.commit),
  dirty: optional(commitShape.dirty),
  evidence: optional(commitShape.evidence),
  serves: optional(text('a build created later that has replaced this one meanwhile')),
  health: optional(object(healthFields, 'what the watch found')),
  changed: boolean('false if there was nothing to deploy; with --dry-run: whether anything would change'),
};
export type Deployment = ObjectOf<typeof deploymentFields>;
