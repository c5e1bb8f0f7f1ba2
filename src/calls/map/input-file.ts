import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openRegular, throwUnreadable } from '../../kernel/disk/index.ts';
import { ConflictError, UsageError } from '../../kernel/errors.ts';
import { defineKey, parseJson, stringifyJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { type FileLine, readChunks, splitLines } from './lines.ts';

export interface MapInput {
  index: number;
  /** The line of the file where it begins, from 1. */
  line: number;
  body: Uint8Array;
}

/** A file of inputs that has been read once: each is valid. */
export type InputFile = Awaited<ReturnType<typeof openInputs>>;

/** Opens a file of JSON lines, or of CSV with a title for each column. Throws UsageError if an input is invalid. */
export async function openInputs({ cwd, signal }: Pick<Context, 'cwd' | 'signal'>, name: string) {
  const read = formatOf(name);
  const path = resolve(cwd, name);
  const file = await open(path, name);
  try {
    const hash = createHash('sha256');
    const { size, mtimeMs } = await file.stat();
    let bytes = 0;
    async function* scanned() {
      for await (const chunk of readChunks(file)) {
        signal.throwIfAborted();
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    }
    let count = 0;
    const shifts: { from: number; by: number }[] = [];
    for await (const inputs of read(scanned(), name)) {
      for (const { index, line } of inputs)
        if (line - index !== shifts.at(-1)?.by) shifts.push({ from: index, by: line - index });
      count += inputs.length;
    }
    const unchanged = async (fix: string) => {
      const now = await file.stat();
      if (now.size === size && now.mtimeMs === mtimeMs && bytes === size) return;
      throw new ConflictError(`${name} changed while it was read`, { fix });
    };
    await unchanged('run it again when the file is complete');
    return {
      count,
      bytes,
      sha256: hash.digest('hex'),
      /** The line of an input, from 1: some lines have none, and some inputs have several. */
      lineOf: (index: number) => index + (shifts.findLast(({ from }) => from <= index)?.by ?? 1),
      /** Reads them again, some at a time. Throws ConflictError if the file has changed. */
      read: () =>
        read(
          readChunks(file, () => unchanged('restore it and run the same command again, or name another results file')),
          name,
        ),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

type InputReader = (chunks: AsyncIterable<Buffer>, name: string) => AsyncGenerator<MapInput[]>;

function formatOf(name: string): InputReader {
  if (/\.(jsonl|ndjson)$/i.test(name)) return readJsonLines;
  if (/\.csv$/i.test(name)) return readCsv;
  throw new UsageError(`${name} is neither .jsonl nor .csv`, {
    why: 'the inputs are a file of JSON lines, or CSV with a title for each column',
    fix: name === '-' ? 'save stdin to a file: it is read again when the command continues' : undefined,
  });
}

async function open(path: string, name: string): Promise<FileHandle> {
  try {
    if ((await stat(path)).isDirectory()) throw new UsageError(`${name} is a folder`);
    return await openRegular(path);
  } catch (cause) {
    return throwUnreadable(name, path, cause);
  }
}

async function* readJsonLines(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<MapInput[]> {
  let index = 0;
  let line = 0;
  for await (const lines of splitLines(chunks)) {
    const inputs: MapInput[] = [];
    for (const { bytes: body } of lines) {
      line++;
      const text = body.toString('utf8');
      if (text.trim() === '') continue;
      const problem = isUtf8(body) ? findJsonProblem(text) : notUtf8;
      if (problem !== undefined) {
        throw new UsageError(`line ${line} of ${name} is not valid JSON`, {
          why: problem,
          fix: 'write one JSON value per line; nothing was called',
        });
      }
      inputs.push({ index: index++, line, body });
    }
    yield inputs;
  }
}

function findJsonProblem(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A row is an object. As in `gantry invoke`, a column `name` has text, and a column `name:` has JSON. */
async function* readCsv(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<MapInput[]> {
  let titles: string[] | undefined;
  let index = 0;
  try {
    for await (const rows of readRows(chunks)) {
      const first = titles ? undefined : rows.shift();
      if (first) titles = readTitles(first);
      yield rows.map((row) => {
        const body = Buffer.from(stringifyJson(toObject(titles ?? [], row)));
        return { index: index++, line: row.line, body };
      });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.message === notUtf8) throw new UsageError(`${name} is not UTF-8`, { fix: 'save it as UTF-8' });
    throw new UsageError(`line ${error.line} of ${name} is not valid CSV: ${error.message}`, {
      fix: 'correct the line; nothing was called',
    });
  }
}

/** Titles without the spaces around them, which no parameter has. */
function readTitles({ cells, line }: CsvRow): string[] {
  const titles = cells.map((cell) => cell.trim());
  const [only = ''] = titles;
  const separator = cells.length > 1 ? undefined : /[;\t]/.exec(only)?.[0];
  if (separator)
    throw new CsvError(
      `its cells are separated by ${separator === ';' ? 'semicolons' : 'tabs'}: save it with commas`,
      line,
    );
  const names = titles.map((title) => title.replace(/\s*:$/, ''));
  const wrong = names.find((title, at) => title === '' || names.indexOf(title) !== at);
  if (wrong === undefined) return titles.map((title, at) => (title.endsWith(':') ? `${names[at]}:` : title));
  throw new CsvError(wrong === '' ? 'a column has no title' : `two columns have the title ${wrong}`, line);
}

function toObject(titles: readonly string[], { cells, line }: CsvRow): object {
  if (cells.length !== titles.length)
    throw new CsvError(`it has ${cells.length} cells, but there are ${titles.length} columns`, line);
  const object = {};
  for (const [at, title] of titles.entries()) {
    const cell = cells[at] ?? '';
    if (title.endsWith(':')) defineKey(object, title.slice(0, -1), parseCell(title, cell, line));
    else defineKey(object, title, cell);
  }
  return object;
}

function parseCell(title: string, cell: string, line: number): unknown {
  if (cell.trim() === '') return null;
  const problem = findJsonProblem(cell);
  if (problem === undefined) return parseJson(cell);
  throw new CsvError(`the cell of the column ${title} is not valid JSON`, line);
}

/** A row of a CSV file, with the number of the line that it begins in, from 1. */
interface CsvRow {
  cells: string[];
  line: number;
}

/**
 * The rows of CSV (RFC 4180): a cell in double quotes may contain commas, line breaks and, doubled, quotes. Lines without any
 * text are skipped. Throws CsvError.
 */
async function* readRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRow[]> {
  let lines: string[] = [];
  let isQuoted = false;
  let number = 0;
  let line = 1;
  const toRow = ({ bytes }: FileLine): CsvRow[] => {
    number++;
    if (!isUtf8(bytes)) throw new CsvError(notUtf8, number);
    const text = String(bytes);
    if (!isQuoted) line = number;
    // With an odd number of quotes, the line begins or ends a cell of several lines.
    isQuoted = isQuoted !== (text.split('"').length % 2 === 0);
    lines.push(text);
    if (isQuoted) return [];
    const row = lines.join('\n').replace(/\r$/, '');
    lines = [];
    return row === '' ? [] : [{ cells: splitRow(row, line), line }];
  };
  for await (const some of splitLines(chunks)) yield some.flatMap(toRow);
  if (isQuoted) throw new CsvError('a quote is not closed', line);
}

/** A cell, and the comma after it: a row has one at its end for this. */
const cellPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\0]*)),/gy;
/** What stands instead of that comma. */
const strayPattern = /^(?:"[^"]*(?:""[^"]*)*"|[^",\r\0]*)(.)/s;

function splitRow(row: string, line: number): string[] {
  const cells: string[] = [];
  let end = 0;
  for (const { 0: cell, 1: quoted, 2: plain = '' } of `${row},`.matchAll(cellPattern)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    end += cell.length;
  }
  const [, stray = ''] = strayPattern.exec(row.slice(end)) ?? [];
  if (end <= row.length) throw new CsvError(faults[stray] ?? 'text follows a closing quote', line);
  return cells;
}

class CsvError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

const notUtf8 = 'it is not UTF-8';
/** What a character means where it must not be. */
const faults: Record<string, string> = {
  '"': 'a quote begins inside of a cell',
  '\r': 'a line ends with a carriage return alone: save the file with LF or CRLF',
  '\0': 'it has the character NUL: save the file as UTF-8',
};
