import { join } from 'node:path';
import { platformOf, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import { toPathSegment } from '../../contract/endpoint.ts';
import { stringifyJson } from '../../json-text.ts';
import { readHistory, readOwnHistory } from '../history/index.ts';
import { type TeamState, teamStateOf } from '../team-state/index.ts';
import { archiveFile, findRecord, hashOf, type KeptArchive, parseRecord } from './archive-store.ts';
import { neededBuilds } from './needed-builds.ts';

/** Of an app: those of its newest builds that were not found sick, which a rollback may return to. */
const maxBuilds = 10;
/** An archive without a record may be that of a build in progress. */
const unusedMs = 86_400_000;

/**
 * Sends an archive and its record while its build is in progress: once that serves, others can return to it, whatever
 * becomes of this command. Nobody returns to a build that does not serve; what was kept of one that failed is removed.
 */
export function shareArchive(context: Context, kept: KeptArchive): void {
  const team = teamStateOf(context);
  if (!team) return;
  const { state } = context.settings.folders;
  const folder = team.folderOf('archives', kept.app);
  const name = `${kept.sha256}.zip`;
  const firstWork = async () => {
    const listed = (await team.list(context, filesIn(folder))) ?? [];
    const isThere = listed.some((file) => file.name === name);
    if (!isThere) await team.addFile(`${filesIn(folder)}/${name}`, archiveFile(state, kept.sha256));
    await team.add(folder, { name: recordName(kept), text: stringifyJson(kept) });
  };
  const lastWork = async (atEnd: Context) => {
    const isNeeded = (await findRecord(state, kept)) !== undefined;
    if (!isNeeded) await team.remove(atEnd, [`${folder}/${recordName(kept)}`]);
    await removeOldArchives(atEnd, team, kept, isNeeded);
  };
  team.share(context, { key: `${folder} ${kept.build}`, firstWork, lastWork });
}

/** What the team kept of a build. */
export async function findTeamRecord(context: Context, app: string, build: string): Promise<KeptArchive | undefined> {
  const team = teamStateOf(context);
  if (!team) return undefined;
  const folder = team.folderOf('archives', app);
  const { documents } = await team.read(context, folder, (name) => buildOf(name) === build);
  const records = documents.map(({ text }) => parseRecord(text));
  return records.find((kept) => kept?.build === build && kept.app === app && kept.body.name === app);
}

/**
 * Whether a record of the team is of the archive that was sent, by SHA-256: a CRC-32 proves nothing against a person. What
 * this machine has sent itself, it knows better than the volume.
 */
export async function isOfSent(context: Context, app: string, { build, sha256 }: KeptArchive): Promise<boolean> {
  const { settings, project } = context;
  const own = await readOwnHistory(settings, stateKey(platformOf(settings), project, app));
  const sent = own.sent(build)?.archive ?? (await readHistory(context, app)).sent(build)?.archive;
  // Of a build that was kept and not sent from here, only the record tells.
  return (sent ?? sha256) === sha256;
}

/** Where the team has an archive, and its size in bytes. Undefined if it does not have it. */
export async function findShared(
  context: Context,
  app: string,
  sha256: string,
): Promise<{ place: string; bytes: number | undefined } | undefined> {
  const team = teamStateOf(context);
  const folder = team && filesIn(team.folderOf('archives', app));
  const entries = folder === undefined ? undefined : await team?.list(context, folder);
  const entry = entries?.find(({ name }) => name === `${sha256}.zip`);
  return entry && { place: `${team?.place}/${folder}/${entry.name}`, bytes: entry.size ?? undefined };
}

/** Returns the path of the file. Undefined if the team does not have it. */
export async function downloadArchive(
  context: Context,
  app: string,
  sha256: string,
  folder: string,
): Promise<string | undefined> {
  const team = teamStateOf(context);
  const path = team && `${filesIn(team.folderOf('archives', app))}/${sha256}.zip`;
  return path && (await team.download(context, path, folder)) ? join(folder, `${sha256}.zip`) : undefined;
}

function filesIn(folder: string): string {
  return `${folder}/files`;
}

/** `20261123T140201123Z_b-1_<hash>.json`, so that nobody has to read all records to find one. */
function recordName({ keptAt, build, sha256 }: KeptArchive): string {
  return `${keptAt.replace(/[-:.]/g, '')}_${toPathSegment(build, 'build')}_-${sha256}.json`;
}

function buildOf(name: string): string | undefined {
  const build = /^\d{8}T\d{9}Z_(.+)_-[0-9a-f]{64}\.json$/.exec(name)?.[1];
  try {
    return build && decodeURIComponent(build);
  } catch {
    return undefined;
  }
}

/** `isNeeded`: whether the one that this command has sent is one of those that are kept. */
async function removeOldArchives(
  context: Context,
  team: TeamState,
  sent: KeptArchive,
  isNeeded: boolean,
): Promise<void> {
  const folder = team.folderOf('archives', sent.app);
  const listed = ((await team.list(context, folder)) ?? []).map(({ name }) => name);
  const records = listed.filter((name) => buildOf(name) !== undefined && name !== recordName(sent));
  const history = await readHistory(context, sent.app);
  // One that was rolled back by hand may be named later.
  const isWell = (build = '') => !history.sickness(build) && !history.failure(build);
  const names = isNeeded ? [...records, recordName(sent)] : records;
  const newestFirst = names.filter((name) => isWell(buildOf(name))).sort();
  const needed = neededBuilds(history, new Set(names.map((name) => buildOf(name) ?? '')));
  const isNeededNow = (name: string) => needed.has(buildOf(name) ?? '');
  const kept = new Set([...newestFirst.reverse().slice(0, maxBuilds), ...names.filter(isNeededNow)]);
  const hashes = new Set([...kept].map(hashOf));
  const files = (await team.list(context, filesIn(folder))) ?? [];
  const now = context.platformNow();
  const unused = files.filter(({ name, modified }) => {
    return !hashes.has(name.replace(/\.zip$/, '')) && Date.parse(modified ?? '') + unusedMs < now;
  });
  await team.remove(context, [
    ...names.filter((name) => !kept.has(name)).map((name) => `${folder}/${name}`),
    ...unused.map(({ name }) => `${filesIn(folder)}/${name}`),
  ]);
}
