import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { stringifyJson } from '../../json-text.ts';
import { readHistory } from '../history/index.ts';
import { type TeamState, teamStateOf } from '../team-state/index.ts';
import { archiveFile, type BuildKey, findRecord, hashOf, type KeptArchive, parseRecord } from './archive-store.ts';

/** Of an app: those of its newest builds that were not found sick, which a rollback may return to. */
const maxBuilds = 10;
/** An archive without a record may be that of a build in progress. */
const unusedMs = 86_400_000;

/** Sends an archive while its build is in progress. Its record follows, see {@link shareRecord}. */
export function shareArchive(context: Context, key: BuildKey, sha256: string): void {
  const team = teamStateOf(context);
  if (!team) return;
  const { state } = context.settings.folders;
  const folder = team.folderOf('archives', key.app);
  const name = `${sha256}.zip`;
  const firstWork = async () => {
    const listed = (await team.list(context, filesIn(folder))) ?? [];
    if (listed.some((file) => file.name === name)) return;
    await team.addFile(`${filesIn(folder)}/${name}`, archiveFile(state, sha256));
  };
  const lastWork = async (atEnd: Context) => {
    const kept = await findRecord(state, key);
    const isNeeded = kept && !(await readHistory(atEnd, key.app)).isSick(key.build);
    if (isNeeded) await team.add(folder, { name: recordName(kept), text: stringifyJson(kept) });
    await removeOldArchives(atEnd, team, key.app, isNeeded ? [sha256] : []);
  };
  team.share(context, { key: `${folder} ${key.build}`, firstWork, lastWork });
}

/**
 * Sends the record of a build that serves, and not only when the command has ended: others return to it if theirs is sick
 * while this one is still watched. If it is found sick itself, nobody returns to it.
 */
export async function shareRecord(context: Context, key: BuildKey): Promise<void> {
  const team = teamStateOf(context);
  const kept = team && (await findRecord(context.settings.folders.state, key));
  if (!kept) return;
  const folder = team.folderOf('archives', key.app);
  const firstWork = () => team.add(folder, { name: recordName(kept), text: stringifyJson(kept) });
  const lastWork = (atEnd: Context) => removeOldArchives(atEnd, team, key.app, []);
  team.share(context, { key: `${folder} ${key.build}`, firstWork, lastWork });
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
  return `${keptAt.replace(/[-:.]/g, '')}_${encodeURIComponent(build)}_-${sha256}.json`;
}

function buildOf(name: string): string | undefined {
  const build = /^\d{8}T\d{9}Z_(.+)_-[0-9a-f]{64}\.json$/.exec(name)?.[1];
  try {
    return build && decodeURIComponent(build);
  } catch {
    return undefined;
  }
}

/** `used`: what this command is about to add. */
async function removeOldArchives(context: Context, team: TeamState, app: string, used: string[]): Promise<void> {
  const folder = team.folderOf('archives', app);
  const records = ((await team.list(context, folder)) ?? []).filter(({ name }) => buildOf(name) !== undefined);
  const history = await readHistory(context, app);
  const well = records.filter(({ name }) => !history.isSick(buildOf(name) ?? ''));
  const newestFirst = well
    .map(({ name }) => name)
    .sort()
    .reverse();
  const kept = new Set(newestFirst.slice(0, maxBuilds - used.length));
  const hashes = new Set([...used, ...[...kept].map(hashOf)]);
  const files = (await team.list(context, filesIn(folder))) ?? [];
  const now = context.platformNow();
  const unused = files.filter(({ name, modified }) => {
    return !hashes.has(name.replace(/\.zip$/, '')) && Date.parse(modified ?? '') + unusedMs < now;
  });
  await team.remove(context, [
    ...records.filter(({ name }) => !kept.has(name)).map(({ name }) => `${folder}/${name}`),
    ...unused.map(({ name }) => `${filesIn(folder)}/${name}`),
  ]);
}
