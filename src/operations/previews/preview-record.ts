import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { platformOf, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import { makePrivateFolder, writeFileAtomic } from '../../disk/index.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';
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

/** Best effort: without a record, the name proves whose a preview is as long as its branch exists. */
export async function writePreviewRecord(context: Context, record: PreviewRecord): Promise<void> {
  const text = stringifyJson(record);
  try {
    makePrivateFolder(folderOf(context));
    await writeFileAtomic(fileOf(context, record.app), text, { mode: 0o600 });
    const team = teamStateOf(context);
    await team?.add(sharedFolder, { name: documentName(record.at, text), text });
    team?.share(context, { key: sharedFolder, lastWork: async () => {} });
  } catch (error) {
    context.trace(`cannot record the preview: ${(error as Error).message}`);
  }
}

/** Where a record could not be written that was to be; undefined if it is everywhere. */
export async function whereUnwritten(context: Context, record: PreviewRecord): Promise<string | undefined> {
  const text = stringifyJson(record);
  const own = await readFile(fileOf(context, record.app), 'utf8').catch(() => '');
  if (own !== text) return folderOf(context);
  const team = teamStateOf(context);
  const isShared = !team || (await team.hasArrived(context, sharedFolder, documentName(record.at, text)));
  return isShared ? undefined : `the team state at ${team.place}`;
}

/** Those of this project, by app name: the last that this machine or its team has written. */
export async function readPreviewRecords(context: Context): Promise<Map<string, PreviewRecord>> {
  const names = await readdir(folderOf(context)).catch((): string[] => []);
  const own = await Promise.all(names.map((name) => readFile(join(folderOf(context), name), 'utf8').catch(() => '')));
  const { project, settings } = context;
  const records = [
    ...own.map(parseRecord).filter((record) => record?.platform === platformOf(settings)),
    ...(await readShared(context)).map(({ record }) => record),
  ];
  const found = new Map<string, PreviewRecord>();
  for (const record of records) {
    if (record?.project === project && (found.get(record.app)?.at ?? '') <= record.at) found.set(record.app, record);
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
