import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { findWritableByOthers, linkOrCopy, sha256OfFile, TemporaryFolder } from '../../disk/index.ts';
import { latestFirst } from '../../output/format.ts';
import type { AppArchive } from '../../project/archive.ts';
import { readHistory } from '../history/index.ts';
import { teamStateOf } from '../team-state/index.ts';
import { archiveFile, archiveFolders, buildKey, findRecord, type KeptArchive, readRecords } from './archive-store.ts';
import { downloadArchive, findShared, findTeamRecord, isOfSent } from './team-archives.ts';

/**
 * What this machine kept of a build, or its team, or of another build of the same files: a command that is killed shares
 * nothing. Undefined if there is nothing, or nothing that can be trusted.
 */
export async function findKeptArchive(context: Context, app: string, build: string): Promise<FoundArchive | undefined> {
  const kept = await findKept(context, app, build);
  if (kept) return kept;
  for (const other of (await readHistory(context, app)).ofSame(build)) {
    const same = await findKept(context, app, other);
    if (same) return same;
  }
  return undefined;
}

/** `place`: where the team has its record, if this machine has none of its own. */
type FoundArchive = KeptArchive & { place?: string | undefined };

async function findKept(context: Context, app: string, build: string): Promise<FoundArchive | undefined> {
  const { state } = context.settings.folders;
  const isTrusted = !findWritableByOthers(...archiveFolders(state));
  const own = isTrusted ? await findRecord(state, buildKey(context, app, build)) : undefined;
  if (own) return own;
  const shared = await findTeamRecord(context, app, build);
  return shared && (await isOfSent(context, app, shared))
    ? { ...shared, place: teamStateOf(context)?.place }
    : undefined;
}

/** The newest build of an app, other than these, whose archive is kept and has arrived. */
export async function findOtherKept(
  context: Context,
  app: string,
  builds: readonly (string | undefined)[],
): Promise<string | undefined> {
  const { state } = context.settings.folders;
  if (findWritableByOthers(...archiveFolders(state))) return undefined;
  const { platform, project } = buildKey(context, app, '');
  const history = await readHistory(context, app);
  const [newest] = (await readRecords(state))
    .filter((kept) => kept.platform === platform && kept.project === project && kept.app === app)
    .filter(({ build }) => !builds.includes(build) && !history.sent(build)?.unconfirmed)
    .sort(latestFirst(({ keptAt }) => keptAt));
  return newest?.build;
}

/**
 * Why the archive of a build cannot be deployed from here; undefined if it can. Only the size of a team's archive is
 * compared: nothing is downloaded.
 */
export async function whyNotUsable(context: Context, app: string, build: string): Promise<string | undefined> {
  const kept = await findKeptArchive(context, app, build);
  if (!kept) return (await whyOther(context, app, build)) ?? whyNotKept(context);
  const { sha256, bytes } = kept;
  const path = archiveFile(context.settings.folders.state, sha256);
  const own = await sha256OfFile(path, context.signal).catch(() => undefined);
  if (own === sha256) return undefined;
  const shared = await findShared(context, app, sha256);
  if (shared?.bytes === bytes) return undefined;
  const damaged = own === undefined ? shared?.place : path;
  return damaged === undefined ? whyNotKept(context) : `${damaged} is damaged, or was changed after the deploy`;
}

/** Says if the team has a record of a build that is not of what was sent for it. */
async function whyOther(context: Context, app: string, build: string): Promise<string | undefined> {
  const found = await findTeamRecord(context, app, build);
  return found && `the team state at ${teamStateOf(context)?.place} has another archive of it than was sent (SHA-256)`;
}

/** Why this machine has no archive of a build. */
function whyNotKept(context: Context): string {
  const { keepArchives, folders } = context.settings;
  const writable = findWritableByOthers(...archiveFolders(folders.state));
  if (writable) return `other users can write ${writable}, so its archives are not used`;
  if (keepArchives.value === 'off') return `keep-archives is off (${keepArchives.origin})`;
  const team = teamStateOf(context);
  if (team) return `neither this machine nor the team state at ${team.place} has it`;
  return 'without team-state, gantry has the archives of deploys from this machine only, up to 1 GiB and 90 days';
}

/**
 * Passes a kept archive to `use`, under a name of its own: another process may remove the kept one meanwhile. Passes
 * undefined if it is not there any more, or damaged. `from`: where the team has it, or its record.
 */
export async function withKeptArchive<T>(
  context: Context,
  { app, sha256, bytes, entries, place }: FoundArchive,
  use: (archive: AppArchive | undefined, from: string | undefined) => Promise<T>,
): Promise<T> {
  const folder = await TemporaryFolder.create('archive');
  try {
    const path = join(folder.path, 'app.zip');
    const { settings, signal } = context;
    const hashOf = (at: string) => sha256OfFile(at, signal).catch(() => '');
    const own = linkOrCopy(archiveFile(settings.folders.state, sha256), path);
    const isOwn =
      (await own.then(
        () => hashOf(path),
        () => '',
      )) === sha256;
    const fetched = isOwn ? undefined : await downloadArchive(context, app, sha256, folder.path);
    const found = isOwn ? path : fetched !== undefined && (await hashOf(fetched)) === sha256 ? fetched : undefined;
    signal.throwIfAborted();
    const from = isOwn ? place : teamStateOf(context)?.place;
    return await use(found === undefined ? undefined : { path: found, bytes, entries, changed: [] }, from);
  } finally {
    await folder.remove();
  }
}
