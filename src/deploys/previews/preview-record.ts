import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { loadAppConfig } from '../../app/config.ts';
import { toAppName } from '../../app/rules/name.ts';
import { maxNameLength } from '../../app/schema-keys.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { latestFirst, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type AppSummary, listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { readEvidence } from '../../platform/waiting/index.ts';
import { findAppHere } from '../apps.ts';
import { forgetArchives } from '../archives/index.ts';
import {
  currentBranch,
  currentCommit,
  findMerged,
  forkPullRequest,
  type Refs,
  type Repository,
  readRefs,
  readRepository,
} from '../git/index.ts';
import { type AppHistory, type EventOf, forgetHistory, readHistory, recordEvent } from '../history/index.ts';
import { teamStateOf } from '../team-state/index.ts';

type PreviewRecord = EventOf<'preview'>;

/** Removes what is on record of a preview that was deleted, here and with the team. */
export async function forgetPreview(context: Context, app: string): Promise<void> {
  await forgetHistory(context, app);
  await forgetArchives(context, app);
  const team = teamStateOf(context);
  await team?.remove(context, [`${team.folderOf('history', app)}/`, `${team.folderOf('archives', app)}/`]);
}

/** The repository is empty outside of one. The branch is one, or what the user called it. */
type PreviewSource = Pick<PreviewRecord, 'repository' | 'base' | 'branch'>;

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
  const { cwd, progress } = context;
  const repository = await readRepository(context);
  const refs = await readRefs(context);
  const branchHere = async () => (await forkPullRequest(context)) ?? (await currentBranch(context, refs));
  const branch = preview === true ? await branchHere() : preview;
  if (!branch) {
    throw new UsageError('no branch to preview', {
      why: repository ? 'HEAD is not on a branch' : `${cwd} is not in a git repository`,
      fix: sentence`name the preview: ${gantryCommand`deploy --preview NAME`}`,
    });
  }
  const { config } = await loadAppConfig(resolve(cwd, configFile), { name, shownAs: configFile, root: cwd });
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
  const ahead = before?.ahead === true || (commit !== null && (await isAhead(context, commit, refs)));
  const facts = { ...source, commit, ahead, ttlMs: ttl ?? before?.ttlMs };
  return { app: { name: app, scaling: previewScaling }, record: () => recordEvent(context, app, 'preview', facts) };
}

/** What is on record of a preview that is still there: one that was deleted elsewhere may have had the same name. */
async function readRecordOf(context: Context, app: string): Promise<PreviewRecord | undefined> {
  const record = (await readHistory(context, app)).last('preview');
  if (!record) return undefined;
  const evidence = await readEvidence(() => fetchApp(context.api, { project: context.project, app }));
  const isGone = 'refusal' in evidence && evidence.refusal instanceof NotFoundError;
  return isGone ? undefined : record;
}

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
  const clone = await readClone(context, repository, branch);
  const apps = await api(listApps, { project, query: {} });
  const named = apps.map((app) => ({ app, name: app.name ?? shortAppName(project, app.id) }));
  const bases = [...named.map(({ name }) => name), clone.here];
  const read = named.flatMap(({ app, name }) => {
    if (!looksLikePreview(name)) return [];
    const proving = readHistory(context, name).then((history) => prove(name, clone, history));
    return [proving.then((proven) => ({ app, name, ...proven }))];
  });
  const isLike = (name: string) => bases.some((base) => base && name.startsWith(`${base}-`));
  const likely = (await Promise.all(read)).filter(({ name, branch }) => branch !== null || isLike(name));
  const merged = await readMerged(context, likely, clone);
  const previews = likely.map(({ app, name, branch, proof, record }) => {
    const { status = '', createdAt = null, updatedAt = null } = app;
    const isMerged = merged.get(name) ?? null;
    const preview = { app: name, branch, proof, merged: isMerged, status, createdAt, updatedAt };
    return { ...preview, expiresAt: endOf(app, record) };
  });
  return { repository, previews: previews.sort(latestFirst(({ updatedAt }) => updatedAt)) };
}

/** Outside of git, previews of the app in this folder have a name of their own, and a record. */
const noRepository: Repository = { root: '', id: '', name: '' };

type Clone = Awaited<ReturnType<typeof readClone>>;

async function readClone(context: Context, { id }: Repository, branch: string | undefined) {
  const { branches, defaultBranch } = await readRefs(context);
  return {
    repository: id,
    here: await findAppHere(context, 'cerebrium.toml'),
    branches: new Map([...(branch ? [[branch, undefined] as const] : []), ...branches]),
    defaultBranch,
  };
}

/** The branch that an app is a preview of, and what shows that; null if nothing does. `sent`: what was deployed last. */
type Proven = ReturnType<typeof prove>;

function prove(name: string, { repository, branches, here }: Clone, history: AppHistory) {
  const lastRecord = history.last('preview');
  const sent = history.last('sent');
  const isOfHere =
    lastRecord?.repository === repository && (repository !== noRepository.id || lastRecord.base === here);
  const record = isOfHere && previewName(lastRecord) === name ? lastRecord : undefined;
  if (record) return { branch: record.branch, proof: 'record' as const, record, sent };
  const branch = findPreviewSource(name, repository, branches.keys())?.branch ?? null;
  return { branch, proof: branch === null ? null : ('branch' as const), record, sent };
}

/**
 * Whether work that is in previews has gone into the default branch, by app: what was deployed last, and what its branch
 * has now. A branch that has no commits of its own is merged into nothing. Null where nobody knows what was deployed.
 */
async function readMerged(
  context: Context,
  previews: readonly (Proven & { name: string })[],
  { branches, defaultBranch: main }: Clone,
): Promise<Map<string, boolean | null>> {
  if (!main) return new Map();
  const works = previews.flatMap(({ branch, sent, ...preview }) => {
    if (branch === null) return [];
    // The tip of a branch that may be gone, and what has all that was sent.
    return [{ ...preview, branch, sent, tip: branches.get(branch), commit: committedFrom(sent) }];
  });
  const commits = works.flatMap(({ tip, commit }) => [tip, commit].filter((each) => each !== undefined));
  const merged = await findMerged(context, commits, main.ref);
  const isMerged = ({ branch, tip, sent, commit = '', record }: (typeof works)[number]) => {
    if (branch === main.name || (tip !== undefined && !merged.has(tip))) return false;
    if (!record || !sent?.commit || sent.unconfirmed) return null;
    return merged.has(commit) && record.ahead;
  };
  return new Map(works.map((work) => [work.name, isMerged(work)]));
}

/** The commit that has all that was sent: changes that were never committed are nowhere else. */
export function committedFrom(sent: EventOf<'sent'> | undefined): string | undefined {
  return sent?.dirty === false ? sent.commit : undefined;
}

/** The platform knows when it was deployed last, and the record when this began: the later of both counts. */
function endOf({ updatedAt, createdAt }: AppSummary, record: PreviewRecord | undefined): string | null {
  const shownAt = toMs(updatedAt ?? createdAt);
  if (record?.ttlMs === undefined || Number.isNaN(shownAt)) return null;
  const end = new Date(Math.max(shownAt, Date.parse(record.at)) + record.ttlMs);
  // A record may come from any version.
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}
