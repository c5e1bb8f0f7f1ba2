import type { FileHandle } from 'node:fs/promises';
import { isRecord, parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';
import { type FileLine, readChunks, splitLines } from './lines.ts';

/** Why an input has no result. */
export interface MapError {
  /** Name of an exit code. */
  code: string;
  message: string;
  statusCode?: number;
}

/** What became of one call. */
export type MapOutcome =
  | { status: 'succeeded'; result: unknown; encoding?: 'base64' }
  | { status: 'failed'; error: MapError };

export type MapResult = MapOutcome & { run: string | null; ms: number };

/** What of a line is read again. */
export type KnownResult = NonNullable<ReturnType<typeof parseResultLine>>;

/** The line of one input in the results file. */
export function resultLine(index: number, result: MapResult): string {
  return `${stringifyJson({ index, ...result })}\n`;
}

/** Undefined if it is not the line of an input. */
export function parseResultLine(text: string) {
  const value = parseJsonOr(text, undefined);
  if (!isRecord(value)) return undefined;
  const { index, status, error, run } = value;
  if (!Number.isSafeInteger(index) || (status !== 'succeeded' && status !== 'failed')) return undefined;
  return { index: index as number, error: status === 'succeeded' ? undefined : toError(error), run };
}

function toError(error: unknown): MapError {
  const { code, message, statusCode } = Object(error) as Record<string, unknown>;
  return {
    code: String(code ?? 'failed'),
    message: String(message ?? 'failed'),
    ...(typeof statusCode === 'number' && { statusCode }),
  };
}

export interface ReadResult extends FileLine {
  /** Counts from 1. */
  number: number;
  end: number;
  known: KnownResult | undefined;
}

/**
 * The lines of a results file, some at a time. An editor may have saved it: blank lines are skipped.
 */
export async function* readResults(file: FileHandle): AsyncGenerator<ReadResult[]> {
  let number = 0;
  for await (const lines of splitLines(readChunks(file))) {
    const results: ReadResult[] = [];
    for (const line of lines) {
      number++;
      const { bytes, start, isWhole } = line;
      const text = bytes.toString('utf8');
      if (text.trim() === '') continue;
      const end = start + bytes.length + (isWhole ? 1 : 0);
      results.push({ ...line, number, end, known: parseResultLine(text) });
    }
    yield results;
  }
}
