import { resolve } from 'node:path';
import { checkAppConfig } from '../../app/config.ts';
import { latestFirst } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type AppSummary, listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import {
  findDefaultBranch,
  isMerged,
  listBranches,
  listMainline,
  type Repository,
  readRepository,
} from '../git/index.ts';
import { readHistory } from '../history/index.ts';
import {
  findPreviewSource,
  looksLikePreview,
  type PreviewRecord,
  previewName,
  readPreviewRecords,
} from './preview-record.ts';

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
  const { api, project } = context;
  const repository = (await readRepository(context)) ?? noRepository;
  const [clone, apps] = [await readClone(context, repository, branch), await api(listApps, { project, query: {} })];
  const named = apps.map((app) => ({ app, name: app.name ?? shortAppName(project, app.id) }));
  const bases = [...named.map(({ name }) => name), clone.here];
  const previews: Preview[] = [];
  for (const { app, name } of named) {
    const proven = prove(name, clone);
    if (!proven && !(looksLikePreview(name) && bases.some((base) => base && name.startsWith(`${base}-`)))) continue;
    previews.push({
      app: name,
      branch: proven?.branch ?? null,
      proof: proven?.proof ?? null,
      merged: proven ? await findMerged(context, name, proven, clone) : null,
      status: app.status ?? '',
      createdAt: app.createdAt ?? null,
      updatedAt: app.updatedAt ?? null,
      expiresAt: endOf(app, proven?.record),
    });
  }
  return { repository, previews: previews.sort(latestFirst(({ updatedAt }) => updatedAt)) };
}

/** Outside of git, previews of the app in this folder have a name of their own, and a record. */
const noRepository: Repository = { root: '', id: '', name: '' };

interface Clone {
  repository: string;
  here: string | undefined;
  /** Commits by branch. */
  branches: Map<string, string | undefined>;
  records: Map<string, PreviewRecord>;
  defaultBranch: { ref: string; name: string } | undefined;
}

async function readClone(context: Context, { id }: Repository, branch: string | undefined): Promise<Clone> {
  const { project } = await checkAppConfig(resolve(context.cwd, 'cerebrium.toml'), { purpose: 'run' });
  const defaultBranch = await findDefaultBranch(context);
  return {
    repository: id,
    here: project?.name,
    branches: new Map([...(branch ? [[branch, undefined] as const] : []), ...(await listBranches(context))]),
    records: await readPreviewRecords(context),
    defaultBranch,
  };
}

interface Proven {
  branch: string;
  proof: 'branch' | 'record';
  record?: PreviewRecord;
}

function prove(name: string, { repository, branches, records, here }: Clone): Proven | undefined {
  const record = records.get(name);
  const isOfHere = record?.repository === repository && (repository !== noRepository.id || record.base === here);
  if (isOfHere && previewName(record) === name) return { branch: record.branch, proof: 'record', record };
  const source = findPreviewSource(name, repository, branches.keys());
  return source && { branch: source.branch, proof: 'branch' };
}

/**
 * Whether work that is in the preview has gone into the default branch: what was deployed last, and what its branch has
 * now. A branch that has no commits of its own is merged into nothing. Null where nobody knows what was deployed.
 */
async function findMerged(
  context: Context,
  name: string,
  { branch, record }: Proven,
  { branches, defaultBranch }: Clone,
): Promise<boolean | null> {
  if (!defaultBranch) return null;
  const sent = (await readHistory(context, name)).sent();
  if (branch === defaultBranch.name) return false;
  const tip = branches.get(branch);
  if (tip !== undefined && !(await isMerged(context, tip, defaultBranch.ref))) return false;
  if (!sent?.commit || sent.unconfirmed) return null;
  if (!(await isCommitted(context, sent, defaultBranch.ref))) return false;
  return record?.ahead === true || !(await listMainline(context, defaultBranch.ref)).has(sent.commit);
}

/** Whether a branch has all that was sent: changes that were never committed are nowhere else. */
export async function isCommitted(
  context: Context,
  { commit, dirty }: { commit?: string | undefined; dirty?: boolean | undefined },
  ref: string,
): Promise<boolean> {
  return commit !== undefined && dirty === false && (await isMerged(context, commit, ref));
}

/** The platform knows when it was deployed last, and the record when this began: the later of both counts. */
function endOf({ updatedAt, createdAt }: AppSummary, record: PreviewRecord | undefined): string | null {
  const shownAt = Date.parse(updatedAt ?? createdAt ?? '');
  if (record?.ttlMs === undefined || Number.isNaN(shownAt)) return null;
  const end = new Date(Math.max(shownAt, Date.parse(record.at) || 0) + record.ttlMs);
  // A record may come from any version, and a time from any platform.
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}
