import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import type { Context } from '../../context.ts';
import { makePrivateFolder, removeOldFiles, writeFileAtomic } from '../../disk/index.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';

/** A platform that built only the part of a partial upload. */
const refusalSchema = v.object({ platform: v.string(), build: v.string() });
type Refusal = v.InferOutput<typeof refusalSchema>;

/** A platform may learn it, and emulators have another address at each start. */
const maxRememberedDays = 90;

/** What is remembered of the platform in use. */
export async function readRefusal({ settings }: Context): Promise<Refusal | undefined> {
  const text = await readFile(refusalFile(settings), 'utf8').catch(() => '');
  const parsed = v.safeParse(refusalSchema, tryParseJson(text));
  return parsed.success ? parsed.output : undefined;
}

/** Best effort: without it, the next partial upload finds out again. */
export async function rememberRefusal({ settings, trace }: Context, build: string): Promise<void> {
  const file = refusalFile(settings);
  const refusal: Refusal = { platform: settings.addresses.management.value, build };
  try {
    makePrivateFolder(dirname(file));
    await removeOldFiles(dirname(file), maxRememberedDays);
    await writeFileAtomic(file, stringifyJson(refusal), { mode: 0o600 });
  } catch (error) {
    trace(`cannot write ${file}: ${(error as Error).message}`);
  }
}

function refusalFile({ folders, addresses }: Context['settings']): string {
  const name = createHash('sha256').update(addresses.management.value).digest('hex').slice(0, 32);
  return join(folders.state, 'partial-uploads', `${name}.json`);
}
