import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { readNamedFile } from '../../kernel/disk/index.ts';
import { UsageError } from '../../kernel/errors.ts';
import { isRecord, parseJson, stringifyJson, withoutMark } from '../../kernel/json-text.ts';
import { size } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { runLimits } from '../../platform/contract/run-app.ts';
import { parseParameters } from '../invoke/index.ts';

export interface ArgumentSources {
  /** JSON, `@file` with JSON, or `-` for stdin. */
  data?: string | undefined;
  /** `name=text` or `name:=json`; they override keys of the data. */
  pairs: string[];
}

/** Returns the arguments of a function as the text of one JSON object. Throws UsageError if they are invalid or too large. */
export async function readArguments(context: Context, { data, pairs }: ArgumentSources): Promise<string> {
  const given = data === undefined ? {} : parseObject(await readData(context, data), data);
  return checkedSize(stringifyJson({ ...given, ...(await parseParameters(context, pairs)) }));
}

function checkedSize(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= runLimits.dataBytes) return text;
  throw new UsageError(`the data is too large for a run: ${size(bytes)} (maximum ${size(runLimits.dataBytes)})`, {
    fix: sentence`copy it to a volume, where the app reads /persistent-storage/data.json: ${gantryCommand`cp data.json volume:/`}`,
  });
}

async function readData(context: Context, data: string): Promise<string> {
  if (data === '-') return context.readStdin();
  return data.startsWith('@') ? String(await readNamedFile(context, data.slice(1))) : data;
}

function parseObject(text: string, from: string): object {
  const source = from === '-' ? 'stdin' : from.startsWith('@') ? from.slice(1) : '--data';
  try {
    const value: unknown = parseJson(withoutMark(text));
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new UsageError(`invalid JSON in ${source}`, { why: (cause as Error).message, fix, cause });
  }
  throw new UsageError(`${source} is not a JSON object`, {
    why: "the keys of the object must match the function's parameters",
    fix,
  });
}

const fix = `--data '{"name": "value"}', --data @file.json, or -- name=value`;
