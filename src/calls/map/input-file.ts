import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openRegular, throwUnreadable } from '../../kernel/disk/index.ts';
import { ConflictError, UsageError } from '../../kernel/errors.ts';
import { defineKey, parseJson, stringifyJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { readChunks, splitLines } from './lines.ts';

/** One call to make. */
export interface MapInput {
  /** Its number in the file, from 0. */
  index: number;
  /** The JSON that is sent. */
  body: Uint8Array;
}

/** A file of inputs that has been read once: each is valid. */
export interface InputFile {
  count: number;
  bytes: number;
  sha256: string;
  /** Reads them again, some at a time. Throws ConflictError if the file has changed. */
  read(): AsyncGenerator<MapInput[]>;
  close(): Promise<void>;
}

/** Opens a file of JSON lines, or of CSV with a title for each column. Throws UsageError if an input is invalid. */
export async function openInputs({ cwd, signal }: Pick<Context, 'cwd' | 'signal'>, name: string): Promise<InputFile> {
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
    for await (const inputs of read(scanned(), name)) count += inputs.length;
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

type Reader = (chunks: AsyncIterable<Buffer>, name: string) => AsyncGenerator<MapInput[]>;

function formatOf(name: string): Reader {
  if (/\.(jsonl|ndjson)$/i.test(name)) return readJsonLines;
  if (/\.csv$/i.test(name)) return readCsv;
  throw new UsageError(`${name} is neither .jsonl nor .csv`, {
    why: 'the inputs are a file of JSON lines, or CSV with a title for each column',
    ...(name === '-' && { fix: 'save stdin to a file: it is read again when the command continues' }),
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
  let number = 0;
  for await (const lines of splitLines(chunks)) {
    const inputs: MapInput[] = [];
    for (const { bytes } of lines) {
      number++;
      const body = number === 1 ? withoutMark(bytes) : bytes;
      const text = body.toString('utf8');
      if (text.trim() === '') continue;
      const problem = isUtf8(body) ? findJsonProblem(text) : 'it is not UTF-8';
      if (problem !== undefined) {
        throw new UsageError(`line ${number} of ${name} is not valid JSON`, {
          why: problem,
          fix: 'write one JSON value per line; nothing was called',
        });
      }
      inputs.push({ index: index++, body });
    }
    yield inputs;
  }
}

const byteOrderMark = Buffer.from('\ufeff');

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes;
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
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = new CsvParser();
  let titles: string[] | undefined;
  let index = 0;
  const toInputs = (rows: Iterable<CsvRow>): MapInput[] => {
    const inputs: MapInput[] = [];
    for (const row of rows) {
      if (titles) inputs.push({ index: index++, body: Buffer.from(stringifyJson(toObject(titles, row))) });
      else titles = readTitles(row);
    }
    return inputs;
  };
  try {
    for await (const chunk of chunks) yield toInputs(parser.push(decoder.decode(chunk, { stream: true })));
    yield toInputs(parser.push(decoder.decode()));
    yield toInputs(parser.end());
  } catch (error) {
    if (error instanceof CsvError) {
      throw new UsageError(`line ${error.line} of ${name} is not valid CSV: ${error.message}`, {
        fix: 'correct the line; nothing was called',
      });
    }
    if (error instanceof TypeError) throw new UsageError(`${name} is not UTF-8`, { fix: 'save it as UTF-8' });
    throw error;
  }
}

/** Without the spaces around them, which no parameter has. */
function readTitles({ cells, line }: CsvRow): string[] {
  const titles = cells.map((cell) => cell.trim());
  const [only = ''] = titles;
  const separator =
    cells.length > 1 ? undefined : only.includes(';') ? 'semicolons' : only.includes('\t') ? 'tabs' : undefined;
  if (separator) throw new CsvError(`its cells are separated by ${separator}: save it with commas`, line);
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
 * Parses CSV (RFC 4180): a cell in double quotes may contain commas, line breaks and, doubled, quotes. Lines without any
 * text are skipped. Throws CsvError.
 */
class CsvParser {
  #cells: string[] = [];
  #cell = '';
  /** `quote`: after a quote in a quoted cell, which ends the cell or is the first of two. */
  #state: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  /** After a carriage return outside of quotes: a line feed must follow. */
  #hasReturn = false;
  #line = 1;
  #rowLine = 1;

  /** The rows that end in this text. */
  *push(text: string): Generator<CsvRow> {
    for (let at = 0; at < text.length; ) {
      at = this.#state === 'quoted' ? this.#readQuoted(text, at) : this.#readPlain(text, at);
      if (at >= text.length) return;
      const char = text[at++];
      if (this.#hasReturn && char !== '\n') throw new CsvError(loneReturn, this.#line);
      if (this.#state === 'quoted') this.#state = 'quote';
      else if (char === '"') this.#openQuote();
      else if (char === ',') this.#endCell();
      else yield* this.#endRow();
    }
  }

  /** The last row, if the text does not end with a line break. */
  *end(): Generator<CsvRow> {
    if (this.#state === 'quoted') throw new CsvError('a quote is not closed', this.#rowLine);
    yield* this.#endRow();
  }

  /** The position of the next quote, or the end. */
  #readQuoted(text: string, from: number): number {
    const quote = text.indexOf('"', from);
    const end = quote === -1 ? text.length : quote;
    const content = text.slice(from, end);
    for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) this.#line++;
    this.#cell += content;
    return end;
  }

  /** The position of the next character with a meaning, or the end. */
  #readPlain(text: string, from: number): number {
    special.lastIndex = from;
    const end = special.exec(text)?.index ?? text.length;
    if (end === from) return end;
    const content = text.slice(from, end);
    if (this.#hasReturn) throw new CsvError(loneReturn, this.#line);
    this.#hasReturn = content.endsWith('\r');
    const cell = this.#hasReturn ? content.slice(0, -1) : content;
    if (cell !== '') this.#addToCell(cell);
    return end;
  }

  #addToCell(text: string): void {
    if (text.includes('\r')) throw new CsvError(loneReturn, this.#line);
    if (text.includes('\0')) throw new CsvError('it has the character NUL: save the file as UTF-8', this.#line);
    if (this.#state === 'quote') throw new CsvError('text follows a closing quote', this.#line);
    if (this.#state === 'start') this.#state = 'plain';
    this.#cell += text;
  }

  #openQuote(): void {
    if (this.#state === 'quote') this.#cell += '"';
    else if (this.#state === 'plain') throw new CsvError('a quote begins inside of a cell', this.#line);
    this.#state = 'quoted';
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  *#endRow(): Generator<CsvRow> {
    this.#hasReturn = false;
    const isEmpty = this.#cells.length === 0 && this.#cell === '' && this.#state !== 'quote';
    this.#endCell();
    const cells = this.#cells;
    this.#cells = [];
    if (!isEmpty) yield { cells, line: this.#rowLine };
    this.#line++;
    this.#rowLine = this.#line;
  }
}

class CsvError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

const loneReturn = 'a line ends with a carriage return alone: save the file with LF or CRLF';
const special = /[",\n]/g;
