import { resolve } from 'node:path';
import { loadAppConfig } from '../../app/config.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { platformOf } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { readEvidence } from '../../platform/waiting/index.ts';
import {
  currentBranch,
  findDefaultBranch,
  forkPullRequest,
  isMerged,
  readCheckedOut,
  readRepository,
} from '../git/index.ts';
import { type PreviewRecord, previewName, readPreviewRecords } from './preview-record.ts';

interface PreviewFlags {
  /** What it is called instead of its branch; true if it is not. */
  preview: string | true;
  configFile: string;
  name?: string | undefined;
  /** How long it is needed after a deploy, in ms. Without it, as before. */
  ttl?: number | undefined;
}

export async function planPreview(
  context: Context,
  { preview, configFile, name, ttl }: PreviewFlags,
): Promise<PreviewRecord> {
  const { cwd, project, progress } = context;
  const repository = await readRepository(context);
  const fork = preview === true ? await forkPullRequest(context) : undefined;
  const branch = preview === true ? (fork ?? (await currentBranch(context))) : preview;
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
      sentence`the preview has 0 to 1 replicas instead of ${asked}; ${gantryCommand`apps scale`} and --keep-scaling change that`,
    );
  }
  const commit = (await readCheckedOut(context))?.commit ?? null;
  const before = await readRecordOf(context, app);
  const ttlMs = ttl ?? before?.ttlMs;
  const ahead = before?.ahead === true || (commit !== null && (await isAhead(context, commit)));
  const at = new Date(context.platformNow()).toISOString();
  const record = { platform: platformOf(context.settings), project, app, ...source, commit, ahead, at };
  return ttlMs === undefined ? record : { ...record, ttlMs };
}

/** What is on record of a preview that is still there: one that was deleted elsewhere may have had the same name. */
async function readRecordOf(context: Context, app: string): Promise<PreviewRecord | undefined> {
  const record = (await readPreviewRecords(context)).get(app);
  if (!record) return undefined;
  const shown = await readEvidence(() => fetchApp(context.api, { project: context.project, app }));
  if ('refusal' in shown) return shown.refusal instanceof NotFoundError ? undefined : record;
  const isOther = Date.parse(shown.state.createdAt ?? '') > Date.parse(record.at) + creationMs;
  return isOther ? undefined : record;
}

/** A record is written before its app is created, which other builds may hold up. In ms. */
const creationMs = 3_600_000;

/** A preview costs nothing while nobody looks at it, and little then, whatever production needs. */
export const previewScaling = { min_replicas: 0, max_replicas: 1 };

async function isAhead(context: Context, commit: string): Promise<boolean> {
  const main = await findDefaultBranch(context);
  return main !== undefined && !(await isMerged(context, commit, main.ref));
}
