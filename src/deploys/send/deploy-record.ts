import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FileEntry } from '../../app/files/entry.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { readFolderTarget, rememberFolderTarget } from '../../platform/config/folder-target.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { type AppHistory, type EventOf, recordEvent } from '../history/index.ts';
import { scalingOf } from './app-settings.ts';
import type { LocalApp } from './local-app.ts';

/** Two deploys with the same digests send the same settings and files. */
export type Digests = Pick<EventOf<'sent'>, 'settingsDigest' | 'filesDigest'>;

/** A file as it is in the archive. */
export type SentFile = Pick<FileEntry, 'path' | 'size' | 'executable'> & { sha256: string };

/** What a build is made of, for the record. */
type SentRecord = Omit<EventOf<'sent'>, 'at' | 'by' | 'event' | 'build'>;

export interface SentBuild {
  /** Undefined if that is not known. */
  record: SentRecord | undefined;
  /** Images that may need a registry login. */
  baseImages: string[];
}

export function digestsOf(body: AppCreation, files: readonly SentFile[]): Digests {
  return { settingsDigest: settingsDigestOf(body), filesDigest: filesDigestOf(files) };
}

/** A registry login is not one of the settings. */
export function settingsDigestOf({ cliVersion: _version, dockerAuth: _login, ...settings }: AppCreation): string {
  return digest(Object.entries(settings));
}

/** The digest of what a deploy of these files sends. */
export async function sentFilesDigest({
  entries,
  checksums,
}: Pick<LocalApp, 'entries' | 'checksums'>): Promise<string> {
  return checksums.digestOf(entries, (sums) =>
    filesDigestOf(entries.map((entry, index) => ({ ...entry, sha256: sums[index]?.sha256 ?? '' }))),
  );
}

function filesDigestOf(files: readonly SentFile[]): string {
  return digest(files.map(({ path, size, sha256, executable }) => [path, size, sha256, executable]));
}

function digest(facts: readonly unknown[]): string {
  const lines = facts.map((fact) => stringifyJson(fact));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

/**
 * What is on record of settings. Those that are kept of the live app become no settings of the file by that: what is on
 * record of them is that of the build that serves.
 */
export function withKeptRecord(history: AppHistory, keep: Partial<AppCreation>, record: SentRecord): SentRecord {
  const { sent, shown } = history.fileSettings(history.served()?.build);
  const kept = Object.keys(scalingOf(keep));
  const pick = (from: Record<string, unknown> | undefined, otherwise: null | undefined) =>
    Object.fromEntries(kept.map((field) => [field, from?.[field] ?? otherwise]));
  const settings = { ...record.settings, ...pick(sent, undefined) };
  return { ...record, settings, made: { ...record.made, ...pick(shown, null) } };
}

/** Writes into the history what a build is made of, if that is known. */
export async function recordSent(
  context: Context,
  { body, build, dashboard }: { body: AppCreation; build: string; dashboard?: string | null | undefined },
  record: SentRecord | undefined,
  event: 'sending' | 'sent' = 'sent',
): Promise<void> {
  if (record) await recordEvent(context, body.name, event, { build, ...(dashboard && { dashboard }), ...record });
}

/** Remembers for this folder where its app went. Best effort: a deploy does not fail because of it. */
export async function rememberTarget(
  context: Context,
  { app, changed }: { app: string; changed: boolean },
): Promise<void> {
  const { settings, target, cwd, now, trace } = context;
  const { project, platform, address } = target;
  try {
    const { deployedAt: _, ...last } = readFolderTarget(settings.folders, cwd) ?? { deployedAt: '' };
    const current = { app, project: project.value ?? '', platform: platform.value, address, flags: flagsFor(context) };
    // Nothing was deployed, and writing takes longer than all that found it out.
    if (!changed && isDeepStrictEqual(last, current)) return;
    await rememberFolderTarget(settings.folders, cwd, { ...current, deployedAt: new Date(now()).toISOString() });
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
