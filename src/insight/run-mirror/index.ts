import { runDocument } from '../../calls/runs/index.ts';
import { redactedJson, redactValue } from '../../kernel/output/redacted-json.ts';
import { words } from '../../kernel/words.ts';
import type { Context } from '../../platform/context.ts';
import { type RunRange, readRunDays, rowsWithin } from './read-run-days.ts';
import type { MirroredRun } from './run-table.ts';

/** A copy of an app's runs on this machine, for questions about many of them. */
export type { RunDay } from './day-file.ts';
export { listKeptRuns } from './kept-runs.ts';
export { type CallRow, callsWithin, type RunRange, readRunDays, rowsWithin } from './read-run-days.ts';

export const runFormats = ['jsonl', 'csv'] as const;
export type RunFormat = (typeof runFormats)[number];

/** What one line has, in this order. */
type ExportedRun = Omit<MirroredRun, 'createdAt'> & { createdAt: string | null };

/** Characters that are written at once. */
const chunkLength = 256 * 1024;

/** Writes the runs of a range, oldest first, a line each. Returns how many. */
export async function exportRuns(
  context: Context,
  range: RunRange,
  format: RunFormat,
  write: (bytes: Uint8Array) => Promise<unknown>,
): Promise<number> {
  const lineOf = format === 'csv' ? csvLine : redactedJson;
  let text = format === 'csv' ? `${fields.join(',')}\n` : '';
  let written = 0;
  for await (const day of readRunDays(context, range)) {
    context.signal.throwIfAborted();
    for (const row of rowsWithin(day, range)) {
      text += `${lineOf(exported(day.runs.run(row)), context.secrets)}\n`;
      written++;
      if (text.length < chunkLength) continue;
      await write(Buffer.from(text));
      text = '';
    }
  }
  await write(Buffer.from(text));
  return written;
}

const fields = words(
  'id createdAt functionName status statusCode runtimeMs coldstartTimeMs',
  'totalQueueTimeMs totalResponseTimeMs podName build kind',
) satisfies (keyof ExportedRun)[];

function exported(run: MirroredRun): ExportedRun {
  const { createdAt } = run;
  const named = { ...runDocument(run), createdAt: createdAt === null ? null : new Date(createdAt).toISOString() };
  return Object.fromEntries(fields.map((name) => [name, named[name]])) as unknown as ExportedRun;
}

function csvLine(run: ExportedRun, secrets: Context['secrets']): string {
  return redactValue(fields.map((name) => cell(run[name] ?? '')).join(','), secrets);
}

/** RFC 4180. */
function cell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
