import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppArchive } from '../../app/archive.ts';
import { checkWritableByUserOnly, linkOrCopy, makePrivateFolder, sha256OfFile } from '../../kernel/disk/index.ts';
import { dayMs } from '../../kernel/durations.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { onceFor } from '../../kernel/once.ts';
import { latestFirst } from '../../kernel/output/format.ts';
import { platformOf, type StateKey, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { isLoopbackHost } from '../../platform/contract/address.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { readHistory, readOwnHistory } from '../history/index.ts';
import { type TeamState, teamStateOf } from '../team-state/index.ts';
import {
  archiveFile,
  archiveFolders,
  buildOf,
  filesFolder,
  filesOf,
  hashOf,
  type KeptArchive,
  keyOf,
  readRecords,
  recordName,
  recordsFolder,
  removeUnused,
  sharedFiles,
  sharedName,
  sharedRecords,
  writeRecord,
} from './archive-store.ts';

/** What this machine keeps at most, over all apps. */
export const keepLimits = { bytes: 2 ** 30, ageMs: 90 * dayMs, builds: 300 };
/** So many archives of an app stay beyond the limits. */
const maxOfApp = 3;
/** What a team keeps of an app besides: its newest builds that were not found sick, which a rollback may return to. */
const maxShared = 10;

/** An archive of a team without a record may be that of a build in progress. */
const sendingMs = dayMs;

interface Deployed extends Pick<KeptArchive, 'build' | 'baseImages'> {
  body: AppCreation;
}

/** Before the upload: nobody may be there afterwards. Best effort: a full disk only means no archive. */
export async function keepArchive(context: Context, archive: AppArchive, deployed: Deployed) {
  const isOff = context.settings.keepArchives.value === 'off' || archive.bytes > keepLimits.bytes;
  return isOff ? undefined : attempt(context, () => keep(context, archive, deployed));
}

async function attempt<T>(context: Context, work: () => Promise<T>): Promise<T | undefined> {
  return work().catch((error: Error) => {
    context.trace(`cannot keep the archive: ${error.message}`);
    return undefined;
  });
}

async function keep(context: Context, archive: AppArchive, deployed: Deployed): Promise<KeptArchive> {
  const sha256 = await sha256OfFile(archive.path, context.signal);
  const { state } = context.settings.folders;
  const { dockerAuth: _login, ...body } = deployed.body;
  const { build, baseImages } = deployed;
  const { bytes, entries } = archive;
  // By the clock that all machines share: the newest of a team are kept.
  const keptAt = new Date(context.platformNow()).toISOString();
  makePrivateFolder(recordsFolder(state));
  makePrivateFolder(filesFolder(state));
  checkWritableByUserOnly(...archiveFolders(state));
  const key = keyOf(context, body.name, build);
  const kept = { ...key, keptAt, sha256, bytes, entries, body, baseImages };
  // The record comes first: an archive without a record may be removed by another process.
  await writeRecord(state, kept);
  await linkOrCopy(archive.path, archiveFile(state, sha256));
  return kept;
}

/**
 * After the upload: makes room when the command ends, and sends an archive and its record to the team while its build is in
 * progress. Once that serves, others can return to it, whatever becomes of this command. Nobody returns to a build that
 * does not serve: what was kept of one is removed.
 */
export function shareArchive(context: Context, kept: KeptArchive): void {
  // Once it is known how the command has ended: until then, a rollback may need any of them.
  context.atEnd.push((atEnd) => attempt(atEnd, () => enforceLimits(atEnd)));
  const team = teamStateOf(context);
  if (!team) return;
  const { state } = context.settings.folders;
  const folder = sharedRecords(team, kept.app);
  const files = sharedFiles(team, kept.app);
  const archive = `${kept.sha256}.zip`;
  const firstWork = async () => {
    const listed = await team.list(context, files);
    if (!listed.some(({ name }) => name === archive)) {
      await team.outbox.addFile(`${files}/${archive}`, archiveFile(state, kept.sha256));
    }
    await team.outbox.add(`${folder}/${sharedName(kept)}`, stringifyJson(kept));
  };
  const lastWork = (atEnd: Context) => enforceSharedLimits(atEnd, team, kept);
  team.share(context, { key: `${folder} ${kept.build}`, firstWork, lastWork });
}

/** Removes the oldest ones beyond the limits, and what killed processes left. The newest of each app stay. */
export async function enforceLimits(context: Context): Promise<void> {
  const { state } = context.settings.folders;
  const now = context.now();
  const sizes = new Map<string | undefined, number>(
    filesOf(filesFolder(state)).map(({ name, bytes }) => [name.replace(/\.zip$/, ''), bytes]),
  );
  const records = filesOf(recordsFolder(state)).filter(({ name }) => hashOf(name) !== undefined);
  const counted = new Set<string | undefined>();
  const beyond: string[] = [];
  let bytes = 0;
  for (const [index, { name, modified }] of records.sort((a, b) => b.modified - a.modified).entries()) {
    const sha256 = hashOf(name);
    if (!counted.has(sha256)) bytes += sizes.get(sha256) ?? 0;
    counted.add(sha256);
    const isKept = bytes <= keepLimits.bytes && index < keepLimits.builds && modified >= now - keepLimits.ageMs;
    if (!isKept) beyond.push(name);
  }
  const newest = beyond.length > 0 ? await newestOfApps(context) : new Set();
  for (const name of beyond) if (!newest.has(name)) await rm(join(recordsFolder(state), name), { force: true });
  await removeUnused(state, now);
}

/** Limits the archives of a team, of which this command has sent one: that of a build that failed is removed. */
async function enforceSharedLimits(context: Context, team: TeamState, sent: KeptArchive): Promise<void> {
  const folder = sharedRecords(team, sent.app);
  const filesIn = sharedFiles(team, sent.app);
  const listed = (await team.list(context, folder)).map(({ name }) => name);
  const names = [...new Set([...listed.filter((name) => buildOf(name) !== undefined), sharedName(sent)])];
  const history = await readHistory(context, sent.app);
  // One that was rolled back by hand may be named later.
  const isWell = (build = '') => !history.sickness(build) && !history.lastOf('failed', build);
  const well = names.sort().filter((name) => isWell(buildOf(name)));
  const kept = new Set([...well.slice(-maxShared), ...names.slice(-maxOfApp)]);
  const hashes = new Set([...kept].map(hashOf));
  const unused = (await team.list(context, filesIn)).filter(({ name, modified = Number.NaN }) => {
    return !hashes.has(name.replace(/\.zip$/, '')) && modified + sendingMs < context.platformNow();
  });
  await team.remove(context, [
    ...names.filter((name) => !kept.has(name)).map((name) => `${folder}/${name}`),
    ...unused.map(({ name }) => `${filesIn}/${name}`),
  ]);
}

/** The newest of each app, and the newest not found sick. None of another emulator: it has ended. */
async function newestOfApps({ settings }: Context): Promise<Set<string>> {
  const byApp = new Map<StateKey, KeptArchive[]>();
  const records = (await readRecords(settings.folders.state)).sort(latestFirst(({ keptAt }) => keptAt));
  for (const kept of records) {
    const { platform, project, app } = kept;
    const isOver = platform !== platformOf(settings) && URL.canParse(platform) && isLoopbackHost(new URL(platform));
    const key = stateKey(platform, project, app);
    if (!isOver) onceFor(byApp, key, () => []).push(kept);
  }
  const names = new Set<string>();
  for (const [key, ofApp] of byApp) {
    const history = await readOwnHistory(settings, key);
    const well = ofApp.filter(({ build }) => !history.isSick(build));
    for (const kept of [...ofApp.slice(0, maxOfApp), ...well.slice(0, 2)]) names.add(recordName(kept));
  }
  return names;
}
