import type { Context } from '../../context.ts';
import { runLimits } from '../../contract/run-app.ts';
import { UsageError } from '../../errors.ts';
import { size } from '../../output/format.ts';
import { readNamedFile } from '../input/index.ts';
import { parseParameters } from '../invoke/index.ts';

export interface ArgumentSources {
  /** JSON, `@file` with JSON, or `-` for stdin. */
  data?: string | undefined;
  /** `name=text` or `name:=json`; they add to the data, and win over it. */
  pairs: string[];
}

/** The arguments of a function as one JSON object, as it is sent. Throws UsageError for anything else, or too much. */
export async function readArguments(context: Context, { data, pairs }: ArgumentSources): Promise<string> {
  const given = data === undefined ? {} : objectOf(await textOf(context, data), data);
  const text = JSON.stringify({ ...given, ...parseParameters(pairs) });
  const bytes = Buffer.byteLength(text);
  if (bytes <= runLimits.dataBytes) return text;
  throw new UsageError(`the data is ${size(bytes)}, and a run takes ${size(runLimits.dataBytes)}`, {
    fix: 'gantry cp data.json volume:/ puts it on the volume, where the app finds it as /persistent-storage/data.json',
  });
}

async function textOf(context: Context, data: string): Promise<string> {
  if (data === '-') return context.readStdin();
  return data.startsWith('@') ? String(await readNamedFile(context, data.slice(1))) : data;
}

function objectOf(text: string, from: string): object {
  const source = from === '-' ? 'stdin' : from.startsWith('@') ? from.slice(1) : '--data';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw new UsageError(`${source} is not JSON`, { why: (cause as Error).message, fix, cause });
  }
  throw new UsageError(`${source} is no JSON object`, { why: 'its fields are the parameters of the function', fix });
}

const fix = `--data '{"name": "value"}', --data @file.json, or -- name=value`;
