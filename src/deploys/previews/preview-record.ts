import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { makePrivateFolder, writeFileAtomic } from '../../kernel/disk/index.ts';
import { FailedError } from '../../kernel/errors.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { forgetHistory } from '../history/index.ts';
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

/**
 * Before the deploy: an app that nobody can tell would stay for ever. Best effort: without a record, the name proves whose
 * a preview is as long as its branch exists.
 */
export async function recordPreview(context: Context, record: PreviewRecord): Promise<void> {
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

/**
 * Where nothing was deployed, the record alone shows that a time to live began anew. Throws FailedError if it is not
 * everywhere: others delete the preview when the time before is over.
 */
export async function requireRenewed(context: Context, record: PreviewRecord): Promise<void> {
  const text = stringifyJson(record);
  const team = teamStateOf(context);
  const isOwn = (await readFile(fileOf(context, record.app), 'utf8').catch(() => '')) === text;
  if (isOwn && (!team || (await team.hasArrived(context, sharedFolder, documentName(record.at, text))))) return;
  const place = isOwn ? `the team state at ${team?.place}` : folderOf(context);
  throw new FailedError(`the time to live of ${record.app} is not renewed`, {
    why: `${place} cannot be written: \`apps prune --expired\` goes by the time to live before`,
    fix: 'type the line again once it can be written, or without --if-changed',
    details: { app: record.app },
  });
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
