import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { maxNameLength } from '../../app/app-name.ts';
import { checkAppConfig, loadAppConfig } from '../../app/config.ts';
import { toAppName } from '../../app/rules/name.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { makePrivateFolder, writeFileAtomic } from '../../kernel/disk/index.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { latestFirst, toMs } from '../../kernel/output/format.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { type AppSummary, listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { readEvidence } from '../../platform/waiting/index.ts';
import { forgetArchives } from '../archives/index.ts';
import {
  currentBranch,
  currentCommit,
  findMerged,
  forkPullRequest,
  listMainline,
  type Refs,
  type Repository,
  readRefs,
  readRepository,
} from '../git/index.ts';
import { type AppHistory, forgetHistory, readHistory } from '../history/index.ts';
import { documentName, documentTime, teamStateOf } from '../team-state/index.ts';

/** A preview that this machine or its team has deployed. It proves whose it is when its branch is gone. */
export const PreviewRecord = v.object({
  platform: v.string(),
  project: v.string(),
  app: v.string(),
  repository: v.string(),
  base: v.string(),
  branch: v.string(),
  commit: v.nullable(v.string()),
  /** Whether it ever had commits that the default branch did not have. */
  ahead: v.optional(v.boolean(), false),
  /** How long it is needed after its last deploy, in ms. */
  ttlMs: v.optional(v.number()),
  /** When this was written; RFC 3339, UTC. */
  at: v.optional(v.string(), ''),
});
export type PreviewRecord = v.InferOutput<typeof PreviewRecord>;

/** Before the deploy, best effort: without a record, the name proves whose it is while its branch exists. */
async function recordPreview(context: Context, record: PreviewRecord): Promise<void> {
  const text = stringifyJson(record);
  try {
    makePrivateFolder(folderOf(context));
    await writeFileAtomic(fileOf(context, record.app), text, { mode: 0o600 });
    const team = teamStateOf(context);
    await team?.add(sharedFolder, { name: documentName(record.at, text), text });
    team?.shareLeft(context);
  } catch (error) {
    context.trace(`cannot record the preview: ${(error as Error).message}`);
  }
}

/** Those of this project, by app name: the last that this machine or its team has written. */
export async function readPreviewRecords(context: Context): Promise<Map<string, PreviewRecord>> {
  const folder = folderOf(context);
  const names = await readdir(folder).catch((): string[] => []);
  const own = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  const isOfHere = (record: PreviewRecord | undefined) => record?.platform === platformOf(context.settings);
  const shared = (await readShared(context)).map(({ record }) => record);
  const found = new Map<string, PreviewRecord>();
  for (const record of [...own.map(parseRecord).filter(isOfHere), ...shared]) {
    if (record?.project !== context.project || (found.get(record.app)?.at ?? '') > record.at) continue;
    found.set(record.app, record);
  }
  return found;
}

export async function removePreviewRecord(context: Context, app: string): Promise<void> {
  await rm(fileOf(context, app), { force: true }).catch(() => {});
  await forgetHistory(context, app);
  await forgetArchives(context, app);
  const team = teamStateOf(context);
  if (!team) return;
  const records = (await readShared(context)).filter(({ record }) => record.app === app);
  await team.remove(context, [
    ...records.map(({ name }) => `${sharedFolder}/${name}`),
    `${team.folderOf('history', app)}/`,
    `${team.folderOf('archives', app)}/`,
  ]);
}

/** A team's platform may have another address on another machine: whose the volume is, theirs are the records. */
async function readShared(context: Context): Promise<{ name: string; record: PreviewRecord }[]> {
  const team = teamStateOf(context);
  if (!team) return [];
  const { documents } = await team.read(context, sharedFolder, (name) => !Number.isNaN(documentTime(name)));
  return documents.flatMap(({ name, text }) => {
    const record = parseRecord(text);
    return record ? [{ name, record }] : [];
  });
}

const sharedFolder = 'previews';

function parseRecord(text: string): PreviewRecord | undefined {
  const parsed = v.safeParse(PreviewRecord, tryParseJson(text));
  return parsed.success ? parsed.output : undefined;
}

function folderOf({ settings }: Context): string {
  return join(settings.folders.state, 'previews');
}

function fileOf(context: Context, app: string): string {
  return join(folderOf(context), `${stateKey(platformOf(context.settings), context.project, app)}.json`);
}

interface PreviewSource {
  /** The id of the repository; empty outside of one. */
  repository: string;
  base: string;
  /** A branch, or what the user called it. */
  branch: string;
}

const hashLength = 8;

/** `web-fix-login-1a2b3c4d`: the hash tells branches, apps and repositories apart, however they are shortened. */
export function previewName({ repository, base, branch }: PreviewSource): string {
  const source = stringifyJson([repository, base, branch]);
  const hash = createHash('sha256').update(source).digest('hex').slice(0, hashLength);
  const readable = `${base}-${toAppName(branch)}`.slice(0, maxNameLength - hashLength - 1);
  return `${readable.replace(/[-_.]+$/, '')}-${hash}`;
}

/** Which of these branches the app is a preview of: the name is its only proof. */
export function findPreviewSource(app: string, repository: string, branches: Iterable<string>) {
  if (!looksLikePreview(app)) return undefined;
  const bases = [...app.matchAll(/-/g)].map(({ index }) => app.slice(0, index));
  for (const branch of branches) {
    const slug = toAppName(branch);
    for (const base of bases) {
      if (!app.startsWith(`${base}-${slug}`.slice(0, app.length - hashLength - 1))) continue;
      const source = { repository, base, branch };
      if (previewName(source) === app) return source;
    }
  }
  return undefined;
}

/** Whether a name has the form of a preview of any repository. */
export function looksLikePreview(app: string): boolean {
  return /^.+-[0-9a-f]{8}$/.test(app);
}

interface PreviewFlags {
  /** What it is called instead of its branch; true if it is not. */
  preview: string | true;
  configFile: string;
  name?: string | undefined;
  /** How long it is needed after a deploy, in ms. Without it, as before. */
  ttl?: number | undefined;
}

/** The app of its own that shows a branch, and what writes it down. */
export async function planPreview(context: Context, { preview, configFile, name, ttl }: PreviewFlags) {
  const { cwd, project, progress } = context;
  const repository = await readRepository(context);
  const refs = await readRefs(context);
  const own = async () => (await forkPullRequest(context)) ?? (await currentBranch(context, refs));
  const branch = preview === true ? await own() : preview;
  if (!branch) {
    throw new UsageError('no branch to preview', {
      why: repository ? 'HEAD is not on a branch' : `${cwd} is not in a git repository`,
      fix: sentence`name the preview: ${gantryCommand`deploy --preview NAME`}`,
    });
  }
  const { project: config } = await loadAppConfig(resolve(cwd, configFile), { name, shownAs: configFile, root: cwd });
  const source = { repository: repository?.id ?? '', base: config.name, branch };
  const app = previewName(source);
  progress.note(`preview of ${branch}: app ${app}`);
  const { min_replicas: min = 0, max_replicas: max = 1 } = config.scaling;
  if (min > 0 || max > 1) {
    const asked = min === max ? String(max) : `${min} to ${max}`;
    progress.note(
      sentence`the preview has 0 to 1 replicas instead of ${asked}; ${gantryCommand`apps scale ${app}`} and --keep-scaling change that`,
    );
  }
  const commit = (await currentCommit(context, refs)) || null;
  const before = await readRecordOf(context, app);
  const ttlMs = ttl ?? before?.ttlMs;
  const ahead = before?.ahead === true || (commit !== null && (await isAhead(context, commit, refs)));
  const at = new Date(context.platformNow()).toISOString();
  const record = { platform: platformOf(context.settings), project, app, ...source, commit, ahead, at };
  const withTtl = ttlMs === undefined ? record : { ...record, ttlMs };
  return { app: { name: app, scaling: previewScaling }, record: () => recordPreview(context, withTtl) };
}

/** What is on record of a preview that is still there: one that was deleted elsewhere may have had the same name. */
async function readRecordOf(context: Context, app: string): Promise<PreviewRecord | undefined> {
  const record = (await readPreviewRecords(context)).get(app);
  if (!record) return undefined;
  const shown = await readEvidence(() => fetchApp(context.api, { project: context.project, app }));
  if ('refusal' in shown) return shown.refusal instanceof NotFoundError ? undefined : record;
  const isOther = toMs(shown.state.createdAt) > Date.parse(record.at) + creationMs;
  return isOther ? undefined : record;
}

/** A record is written before its app is created, which other builds may hold up. In ms. */
const creationMs = 3_600_000;

/** A preview costs nothing while nobody looks at it, and little then, whatever production needs. */
const previewScaling = { min_replicas: 0, max_replicas: 1 };

async function isAhead(context: Context, commit: string, { defaultBranch }: Refs): Promise<boolean> {
  return defaultBranch !== undefined && !(await findMerged(context, [commit], defaultBranch.ref)).has(commit);
}

export type Preview = Awaited<ReturnType<typeof listPreviews>>['previews'][number];

/** Every app that may be a preview, those that are previews of this repository with a proof. `branch` may be gone. Null is what is not known. */
export async function listPreviews(
  context: Context,
  { branch, ...known }: { branch?: string | undefined; repository?: Repository | undefined } = {},
) {
  const { api, project } = context;
  const repository = known.repository ?? (await readRepository(context)) ?? noRepository;
  const [clone, apps] = [await readClone(context, repository, branch), await api(listApps, { project, query: {} })];
  const named = apps.map((app) => ({ app, name: app.name ?? shortAppName(project, app.id) }));
  const bases = [...named.map(({ name }) => name), clone.here];
  const found = named.flatMap(({ app, name }) => {
    const proven = prove(name, clone);
    const isLike = looksLikePreview(name) && bases.some((base) => base && name.startsWith(`${base}-`));
    return proven.branch !== null || isLike ? [{ app, name, ...proven }] : [];
  });
  const merged = await readMerged(context, found, clone);
  const previews = found.map(({ app, name, branch, proof, record }) => {
    const { status = '', createdAt = null, updatedAt = null } = app;
    const isMerged = merged.get(name) ?? null;
    const shown = { app: name, branch, proof, merged: isMerged, status, createdAt, updatedAt };
    return { ...shown, expiresAt: endOf(app, record) };
  });
  return { repository, previews: previews.sort(latestFirst(({ updatedAt }) => updatedAt)) };
}

/** Outside of git, previews of the app in this folder have a name of their own, and a record. */
const noRepository: Repository = { root: '', id: '', name: '' };

type Clone = Awaited<ReturnType<typeof readClone>>;

async function readClone(context: Context, { id }: Repository, branch: string | undefined) {
  const { project } = await checkAppConfig(resolve(context.cwd, 'cerebrium.toml'), { purpose: 'run' });
  const { branches, defaultBranch } = await readRefs(context);
  return {
    repository: id,
    here: project?.name,
    branches: new Map([...(branch ? [[branch, undefined] as const] : []), ...branches]),
    records: await readPreviewRecords(context),
    defaultBranch,
  };
}

/** Of which branch an app is a preview, and what shows that; null if nothing does. */
interface Proven {
  branch: string | null;
  proof: 'branch' | 'record' | null;
  record?: PreviewRecord;
}

function prove(name: string, { repository, branches, records, here }: Clone): Proven {
  const record = records.get(name);
  const isOfHere = record?.repository === repository && (repository !== noRepository.id || record.base === here);
  if (isOfHere && previewName(record) === name) return { branch: record.branch, proof: 'record', record };
  const source = findPreviewSource(name, repository, branches.keys());
  return source ? { branch: source.branch, proof: 'branch' } : { branch: null, proof: null };
}

interface Work {
  name: string;
  branch: string;
  record: PreviewRecord | undefined;
  /** Of its branch, which may be gone. */
  tip: string | undefined;
  sent: ReturnType<AppHistory['sent']>;
  /** That has all that was sent. */
  commit: string | undefined;
}

/**
 * Whether work that is in previews has gone into the default branch, by app: what was deployed last, and what its branch
 * has now. A branch that has no commits of its own is merged into nothing. Null where nobody knows what was deployed.
 */
async function readMerged(
  context: Context,
  proven: readonly (Proven & { name: string })[],
  { branches, defaultBranch: main }: Clone,
): Promise<Map<string, boolean | null>> {
  if (!main) return new Map();
  const works: Work[] = [];
  for (const { name, branch, record } of proven) {
    if (branch === null) continue;
    const sent = (await readHistory(context, name)).sent();
    works.push({ name, branch, record, tip: branches.get(branch), sent, commit: committedFrom(sent) });
  }
  const commits = works.flatMap(({ tip, commit }) => [tip ?? [], commit ?? []].flat());
  const merged = await findMerged(context, commits, main.ref);
  const isMerged = ({ branch, tip, sent, commit }: Work) => {
    if (branch === main.name || (tip !== undefined && !merged.has(tip))) return false;
    if (!sent?.commit || sent.unconfirmed) return null;
    return commit !== undefined && merged.has(commit);
  };
  const told = works.map((work) => ({ ...work, is: isMerged(work) }));
  const isOpen = ({ is, record }: Work & { is: boolean | null }) => is === true && record?.ahead !== true;
  const mainline = told.some(isOpen) ? await listMainline(context, main.ref) : undefined;
  return new Map(told.map((work) => [work.name, isOpen(work) ? !mainline?.has(work.commit ?? '') : work.is]));
}

/** The commit that has all that was sent: changes that were never committed are nowhere else. */
export function committedFrom(sent: Work['sent']): string | undefined {
  return sent?.dirty === false ? sent.commit : undefined;
}

/** The platform knows when it was deployed last, and the record when this began: the later of both counts. */
function endOf({ updatedAt, createdAt }: AppSummary, record: PreviewRecord | undefined): string | null {
  const shownAt = toMs(updatedAt ?? createdAt);
  if (record?.ttlMs === undefined || Number.isNaN(shownAt)) return null;
  const end = new Date(Math.max(shownAt, Date.parse(record.at) || 0) + record.ttlMs);
  // A record may come from any version, and a time from any platform.
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}
