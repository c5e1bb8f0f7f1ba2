import { UsageError } from '../../kernel/errors.ts';
import { parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';

/** What a command has printed, in pieces that may be sent apart. */
interface LongResult {
  pieces: readonly string[];
  /** What a piece is, in the plural. */
  unit: 'entries' | 'lines' | 'pieces';
}

export interface ResultPage {
  text: string;
  /** How to get the rest; undefined if this is all. */
  note: string | undefined;
}

/** Characters of one answer, about 5,000 tokens. */
const pageSize = 16_000;
/** A longer line is cut into pieces. */
const maxPieceSize = 4_000;
/** Older results are forgotten. */
const keptResults = 8;

/** Bounds the size of answers, and keeps results that are longer: asking again might run a command twice. */
export class Results {
  readonly #kept = new Map<string, LongResult>();
  #count = 0;

  /** `pager` is the tool that returns later pages. */
  constructor(private readonly pager: string) {}

  /** The first page of a result; keeps the result if there are others. */
  first(printed: string, form: 'document' | 'list' | 'lines'): ResultPage {
    const result = divide(printed, form);
    const page = pageOf(result, 0, '', this.pager);
    if (page.note === undefined) return page;
    this.#count += 1;
    const id = `r${this.#count}`;
    this.#kept.set(id, result);
    const [oldest = ''] = this.#kept.keys();
    if (this.#kept.size > keptResults) this.#kept.delete(oldest);
    return pageOf(result, 0, id, this.pager);
  }

  /** A later page. Throws UsageError for a result that is not kept. */
  next(id: string, from: number): ResultPage {
    const result = this.#kept.get(id);
    if (!result) {
      throw new UsageError(`result "${id}" not found`, {
        why: `only the last ${keptResults} long results are kept`,
        fix: 'call the tool again',
      });
    }
    return pageOf(result, Math.min(Math.max(0, from), result.pieces.length), id, this.pager);
  }
}

function divide(printed: string, form: 'document' | 'list' | 'lines'): LongResult {
  const value = form === 'lines' ? undefined : parseJsonOr(printed, undefined);
  if (Array.isArray(value)) return { pieces: value.map((entry) => stringifyJson(entry)), unit: 'entries' };
  if (value !== undefined) return { pieces: cut(stringifyJson(value)), unit: 'pieces' };
  const lines = printed.replace(/\n$/, '').split('\n');
  return { pieces: lines.flatMap((line) => cut(`${line}\n`)), unit: 'lines' };
}

function cut(text: string): string[] {
  return text.length <= pageSize ? [text] : (text.match(new RegExp(`.{1,${maxPieceSize}}`, 'gs')) ?? []);
}

function pageOf({ pieces, unit }: LongResult, from: number, id: string, pager: string): ResultPage {
  let to = from;
  for (let size = 0; to < pieces.length; to++) {
    size += (pieces[to]?.length ?? 0) + 2;
    if (size > pageSize && to > from) break;
  }
  const page = pieces.slice(from, to);
  const text = unit === 'entries' ? `[${page.join(',\n')}]` : page.join('').replace(/\n$/, '');
  if (from === 0 && to === pieces.length) return { text, note: undefined };
  const shown = `${unit} ${from + 1} to ${to} of ${pieces.length}`;
  const rest = to < pieces.length ? `; the rest: tool ${pager} with {"result": "${id}", "from": ${to}}` : '';
  return { text, note: `${shown}${rest}; to get less, pass jq, --limit or a filter` };
}
