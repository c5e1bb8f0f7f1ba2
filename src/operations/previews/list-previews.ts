import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { type AppSummary, listApps } from '../../contract/apps.ts';
import { shortAppName } from '../../contract/endpoint.ts';
import { count, latestFirst } from '../../output/format.ts';
import { checkAppConfig } from '../../project/config.ts';
import {
  countMissing,
  findDefaultBranch,
  isMerged,
  listBranches,
  listMainline,
  type Repository,
  readRepository,
} from '../git/index.ts';
import { readHistory } from '../history/index.ts';
import { findPreviewSource, looksLikePreview, previewName } from './preview-name.ts';
import { type PreviewRecord, readPreviewRecords } from './preview-record.ts';

export interface Preview {
  app: string;
  /** Null if it is not known whose preview it is. */
  branch: string | null;
  /** What shows that it is a preview of this repository: its name and a branch, or a record of this machine. */
  proof: 'branch' | 'record' | null;
  /** Whether the default branch contains its branch; null if that is unknown. */
  merged: boolean | null;
  status: string;
  createdAt: string | null;
  updatedAt: string | null;
  /** When `prune --expired` deletes it; null if no time to live is on record. RFC 3339, UTC. */
  expiresAt: string | null;
}

/** Every app that may be a preview, those that are previews of this repository with a proof. `branch` may be gone. */
export async function listPreviews(
  context: Context,
  { branch }: { branch?: string | undefined } = {},
): Promise<{ repository: Repository; previews: Preview[] }> {
  const here = await nameHere(context);
  const repository = (await readRepository(context)) ?? noRepository;
  const apps = await context.api(listApps, { project: context.project, query: {} });
  const clone = await readClone(context, repository, branch);
  const named = apps.map((app) => ({ app, name: app.name ?? shortAppName(context.project, app.id) }));
  const names = [...named.map(({ name }) => name), here];
  const previews: Preview[] = [];
  for (const { app, name } of named) {
    const proven = prove(name, clone, here);
    const mayBe = looksLikePreview(name) && names.some((base) => base && name.startsWith(`${base}-`));
    if (proven || mayBe) previews.push(toPreview(app, name, proven, await findMerged(context, name, proven, clone)));
  }
  return { repository, previews: previews.sort(latestFirst(({ updatedAt }) => updatedAt)) };
}

/** Outside of git, previews of the app in this folder have a name of their own, and a record. */
const noRepository: Repository = { id: '', name: '' };

/** What this clone knows. */
interface Clone {
  repository: string;
  /** Commits by branch. */
  branches: Map<string, string | undefined>;
  records: Map<string, PreviewRecord>;
  defaultBranch: { ref: string; name: string } | undefined;
  /** The commits that the default branch was at. */
  mainline: Set<string>;
}

async function readClone(context: Context, { id }: Repository, branch: string | undefined): Promise<Clone> {
  const defaultBranch = await findDefaultBranch(context);
  if (defaultBranch) await warnIfBehind(context, defaultBranch);
  return {
    repository: id,
    branches: new Map([...(branch ? [[branch, undefined] as const] : []), ...(await listBranches(context))]),
    records: await readPreviewRecords(context),
    defaultBranch,
    mainline: defaultBranch ? await listMainline(context, defaultBranch.ref) : new Set(),
  };
}

async function warnIfBehind(context: Context, { ref, name }: { ref: string; name: string }): Promise<void> {
  const missing = await countMissing(context, name, ref);
  if (missing > 0)
    context.progress.note(
      `${name} lacks ${count(missing, 'commit')} of ${ref}; the list goes by ${ref}, not by your branch`,
    );
}

interface Proven {
  branch: string;
  proof: 'branch' | 'record';
  /** What the branch is at now. */
  tip: string | undefined;
  /** Whether it was deployed with commits that the default branch did not have. */
  wasAhead: boolean;
  ttlMs: number | undefined;
  /** When the deploy on record began. */
  recordedAt: string;
}

function prove(name: string, { repository, branches, records }: Clone, here: string | undefined): Proven | undefined {
  const record = records.get(name);
  const isOfHere = record?.repository === repository && (repository !== noRepository.id || record.base === here);
  if (isOfHere && previewName(record) === name) {
    const { branch } = record;
    return {
      branch,
      proof: 'record',
      tip: branches.get(branch),
      wasAhead: record.ahead,
      ttlMs: record.ttlMs,
      recordedAt: record.at,
    };
  }
  const source = findPreviewSource(name, repository, branches.keys());
  if (!source) return undefined;
  const { branch } = source;
  return { branch, proof: 'branch', tip: branches.get(branch), wasAhead: false, ttlMs: undefined, recordedAt: '' };
}

/**
 * Whether work that is in the preview has gone into the default branch: what was deployed last, and what its branch has
 * now. A branch that has no commits of its own is merged into nothing. Null where nobody knows what was deployed.
 */
async function findMerged(
  context: Context,
  name: string,
  proven: Proven | undefined,
  { defaultBranch, mainline }: Clone,
): Promise<boolean | null> {
  if (!proven || !defaultBranch) return null;
  const { branch, tip, wasAhead } = proven;
  const sent = (await readHistory(context, name)).sent();
  if (branch === defaultBranch.name) return false;
  if (tip !== undefined && !(await isMerged(context, tip, defaultBranch.ref))) return false;
  if (!sent?.commit || sent.unconfirmed) return null;
  return (await isCommitted(context, sent, defaultBranch.ref)) && (wasAhead || !mainline.has(sent.commit));
}

/** Whether a branch has all that was sent: changes that were never committed are nowhere else. */
export async function isCommitted(
  context: Context,
  { commit, dirty }: { commit?: string | undefined; dirty?: boolean | undefined },
  ref: string,
): Promise<boolean> {
  return commit !== undefined && dirty === false && (await isMerged(context, commit, ref));
}

function toPreview(app: AppSummary, name: string, proven: Proven | undefined, merged: boolean | null): Preview {
  return {
    app: name,
    branch: proven?.branch ?? null,
    proof: proven?.proof ?? null,
    merged,
    status: app.status ?? '',
    createdAt: app.createdAt ?? null,
    updatedAt: app.updatedAt ?? null,
    expiresAt: endOf(app, proven),
  };
}

/** The platform knows when it was deployed last, and the record when this began: the later of both counts. */
function endOf({ updatedAt, createdAt }: AppSummary, proven: Proven | undefined): string | null {
  const shownAt = Date.parse(updatedAt ?? createdAt ?? '');
  if (proven?.ttlMs === undefined || Number.isNaN(shownAt)) return null;
  const deployedAt = Math.max(shownAt, Date.parse(proven.recordedAt) || 0);
  const end = new Date(deployedAt + proven.ttlMs);
  // A record may come from any version, and a time from any platform.
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** The name of the app in this folder, if there is one. */
async function nameHere({ cwd }: Context): Promise<string | undefined> {
  const { project } = await checkAppConfig(resolve(cwd, 'cerebrium.toml'), { purpose: 'run' });
  return project?.name;
}
