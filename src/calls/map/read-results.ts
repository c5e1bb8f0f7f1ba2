import type { FileHandle } from 'node:fs/promises';
import { withoutMark } from '../../kernel/json-text.ts';
import { type FileLine, readChunks, splitLines } from './lines.ts';
import { type KnownResult, parseResultLine } from './result-line.ts';

export interface ReadResult extends FileLine {
  /** Counts from 1. */
  number: number;
  /** Where the next line begins. */
  end: number;
  /** Undefined if the line has no result. */
  known: KnownResult | undefined;
}

/**
 * The lines of a results file, some at a time. An editor may have saved it: blank lines are skipped, and a mark at the
 * beginning is no text.
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
      const known = parseResultLine(number === 1 ? withoutMark(text) : text);
      results.push({ ...line, number, end: start + bytes.length + (isWhole ? 1 : 0), known });
    }
    yield results;
  }
}
