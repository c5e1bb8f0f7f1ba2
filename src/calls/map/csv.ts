/** A row of a CSV file, with the number of the line that it begins in, from 1. */
export interface CsvRow {
  cells: string[];
  line: number;
}

/**
 * Parses CSV (RFC 4180): a cell in double quotes may contain commas, line breaks and, doubled, quotes. Lines without any
 * text are skipped. Throws CsvError.
 */
export class CsvParser {
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
    if (cell.includes('\r')) throw new CsvError(loneReturn, this.#line);
    if (cell.includes('\0')) throw new CsvError('it has the character NUL: save the file as UTF-8', this.#line);
    if (this.#state === 'quote' && cell !== '') throw new CsvError('text follows a closing quote', this.#line);
    if (this.#state === 'start' && cell !== '') this.#state = 'plain';
    this.#cell += cell;
    return end;
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

export class CsvError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

const loneReturn = 'a line ends with a carriage return alone: save the file with LF or CRLF';
const special = /[",\n]/g;
