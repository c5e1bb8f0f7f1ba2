import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { platformOf, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import { makePrivateFolder, writeFileAtomic } from '../../disk/index.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';

/** A preview that was deployed from this machine. It proves whose it is when its branch is gone. */
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
});
export type PreviewRecord = v.InferOutput<typeof PreviewRecord>;

/** Best effort: without a record, the name proves whose a preview is as long as its branch exists. */
export async function writePreviewRecord(context: Context, record: PreviewRecord): Promise<void> {
  try {
    makePrivateFolder(folderOf(context));
    await writeFileAtomic(fileOf(context, record.app), stringifyJson(record), { mode: 0o600 });
  } catch (error) {
    context.trace(`cannot record the preview: ${(error as Error).message}`);
  }
}

/** Those of this project, by app name. */
export async function readPreviewRecords(context: Context): Promise<Map<string, PreviewRecord>> {
  const found = new Map<string, PreviewRecord>();
  for (const name of await readdir(folderOf(context)).catch((): string[] => [])) {
    const text = await readFile(join(folderOf(context), name), 'utf8').catch(() => '');
    const parsed = v.safeParse(PreviewRecord, tryParseJson(text));
    if (!parsed.success) continue;
    const { platform, project, app } = parsed.output;
    if (platform === platformOf(context.settings) && project === context.project) found.set(app, parsed.output);
  }
  return found;
}

export async function removePreviewRecord(context: Context, app: string): Promise<void> {
  await rm(fileOf(context, app), { force: true }).catch(() => {});
}

function folderOf({ settings }: Context): string {
  return join(settings.folders.state, 'previews');
}

function fileOf(context: Context, app: string): string {
  return join(folderOf(context), `${stateKey(platformOf(context.settings), context.project, app)}.json`);
}
