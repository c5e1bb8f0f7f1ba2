import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AppConfig } from '../../app/config.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { withAppName } from '../../app/set-config-value.ts';
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

/**
 * The digests of what is sent, equal for equal settings, and for equal paths, contents and executable bits in any order.
 * The registry login and the region do not count: with others, it is the same app. Neither does its name: what was
 * promoted was sent by another one.
 */
export async function digestsOf({ root, file, text }: AppConfig, files: readonly SentFile[], body: AppCreation) {
  const { cliVersion: _version, dockerAuth: _login, region: _region, name: _name, ...settings } = body;
  const nameless = await withAppName(text, '');
  const path = relative(root, file).replaceAll('\\', '/');
  const isText = (sent: SentFile) => sent.path === path && sent.sha256 === sha256(text);
  const lines = files.map((sent) => [sent.path, isText(sent) ? nameless : [sent.size, sent.sha256], sent.executable]);
  return {
    settingsDigest: digest(Object.entries({ ...settings, platform_toml: nameless })),
    filesDigest: digest(lines),
  };
}

/** A file as it is in the archive. */
export type SentFile = Pick<FileEntry, 'path' | 'size' | 'executable'> & { sha256: string };

/** The files of an app on disk as its archive would have them. */
export async function readSentFiles({ entries, checksums }: LocalApp, signal?: AbortSignal): Promise<SentFile[]> {
  const sums = await checksums.readAll(entries, signal);
  return entries.map((entry, at) => ({ ...entry, sha256: sums[at]?.sha256 ?? '' }));
}

/** What is on record of the secrets that replicas of an app get. */
export function secretsMark(secrets: AppSecrets): string | undefined {
  return secrets && digest(Object.entries(secrets.values)).slice(0, 4);
}

function digest(facts: readonly unknown[]): string {
  const lines = facts.map((fact) => stringifyJson(fact));
  return sha256(lines.sort().join('\n'));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

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
    object('why the emulator did not start it; null if it did', {
      reason: text('why the emulator cannot run it'),
      calls: text('refused or simulated'),
    }),
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
  health: optional(object('what the watch found', healthFields)),
  changed: boolean('false if there was nothing to deploy; with --dry-run: whether anything would change'),
};
export type Deployment = ObjectOf<typeof deploymentFields>;
