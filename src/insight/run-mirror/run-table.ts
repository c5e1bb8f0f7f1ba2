import { type Jobs, runKey } from '../../calls/runs/index.ts';
import { once } from '../../kernel/once.ts';
import { nullIfNaN, toMs } from '../../kernel/output/format.ts';
import { byUnits } from '../../kernel/packed-list.ts';
import { type RunOutcome, runOutcome } from '../../platform/contract/run-outcome.ts';
import { type Run, replicaOf, runTimes } from '../../platform/contract/runs.ts';

/** Times in ms; `createdAt` since 1970. */
const numberColumns = [
  'createdAt',
  'runtimeMs',
  'coldstartTimeMs',
  'totalQueueTimeMs',
  'totalResponseTimeMs',
  'statusCode',
] as const;
/** Texts that many runs share. */
const wordColumns = ['podName', 'functionName', 'status', 'build', 'kind'] as const;

type NumberColumn = (typeof numberColumns)[number];
type WordColumn = (typeof wordColumns)[number];

/** A run as it is kept. Null is what the platform did not say. */
export type MirroredRun = { id: string } & Record<NumberColumn, number | null> & Record<WordColumn, string | null>;

/** For each run the number of its word. 0: not known. */
interface Words {
  list: string[];
  numbers: Uint32Array;
}

/** What a table is stored as. */
export interface StoredTable {
  length: number;
  numbers: Record<NumberColumn, Float64Array>;
  words: Record<WordColumn, Words>;
  ids: string[];
}

/**
 * Runs in columns: a million of them take some 60 MB, and their ids as much. A number that is not known
 * is NaN.
 */
export class RunTable {
  length = 0;
  #numbers: Record<NumberColumn, Float64Array>;
  #words: Record<WordColumn, Words>;
  readonly #ids: string[];
  /** Most questions look up none. */
  readonly #rows = once(() => new Map(this.#ids.map((id, row) => [id, row])));
  readonly #numberOfWord = new Map<string, Map<string, number>>();

  constructor(stored: StoredTable = emptyTable()) {
    this.length = stored.length;
    this.#numbers = stored.numbers;
    this.#words = stored.words;
    this.#ids = stored.ids;
  }

  /** The values of a column; only the first `length` count. */
  column(name: NumberColumn): Float64Array {
    return this.#numbers[name];
  }

  /** The word of a run; undefined if it is not known. */
  word(name: WordColumn, row: number): string | undefined {
    const { list, numbers } = this.#words[name];
    return list[(numbers[row] as number) - 1];
  }

  id(row: number): string {
    return this.#ids[row] ?? '';
  }

  /** When a call was made, and how long it waited and ran, in ms. Its wait has the start of its replica in it. */
  timing(row: number) {
    const { createdAt, runtimeMs, coldstartTimeMs, totalQueueTimeMs } = this.#numbers;
    const coldStartMs = coldstartTimeMs[row] || 0;
    return {
      at: createdAt[row] as number,
      runtimeMs: runtimeMs[row] as number,
      coldStartMs,
      queueMs: totalQueueTimeMs[row] || coldStartMs,
      replica: this.word('podName', row),
    };
  }

  outcome(row: number): RunOutcome {
    return runOutcome({
      status: this.word('status', row),
      statusCode: nullIfNaN(this.#numbers.statusCode[row] as number),
    });
  }

  run(row: number): MirroredRun {
    const numbers = numberColumns.map((name) => [name, nullIfNaN(this.#numbers[name][row] as number)]);
    const words = wordColumns.map((name) => [name, this.word(name, row) ?? null]);
    return { id: this.id(row), ...Object.fromEntries([...numbers, ...words]) };
  }

  /** Adds a run, or replaces what is known of it. One that has ended is not replaced by an older look at it. */
  put(run: ReturnType<typeof mirrored>): void {
    const row = this.#rows().get(run.id);
    if (row === undefined) {
      if (this.length === this.#numbers.createdAt.length) this.#grow();
      this.#ids.push(run.id);
      this.#rows().set(run.id, this.length);
      this.#set(this.length++, run);
    } else if (!this.hasEnded(row) || runOutcome(run) !== 'in progress') this.#set(row, run);
  }

  hasEnded(row: number): boolean {
    return this.outcome(row) !== 'in progress';
  }

  /** When the newest run was created; undefined without runs. */
  newest(): number | undefined {
    let newest = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < this.length; row++) newest = Math.max(newest, this.#numbers.createdAt[row] || newest);
    return newest === Number.NEGATIVE_INFINITY ? undefined : newest;
  }

  /** Oldest first, and runs of the same time by id: equal runs make equal tables. */
  sorted(): StoredTable {
    const { createdAt } = this.#numbers;
    const ids = this.#ids;
    const order = Uint32Array.from({ length: this.length }, (_, row) => row).sort((first, second) => {
      const [a = 0, b = 0] = [createdAt[first], createdAt[second]];
      return timeOrLast(a) - timeOrLast(b) || byUnits(ids[first] ?? '', ids[second] ?? '');
    });
    const numbers = numberColumns.map((name) => [name, pick(this.#numbers[name], order, Float64Array)]);
    const words = wordColumns.map((name) => {
      const { list, numbers } = this.#words[name];
      return [name, { list, numbers: pick(numbers, order, Uint32Array) }];
    });
    return {
      length: this.length,
      numbers: Object.fromEntries(numbers),
      words: Object.fromEntries(words),
      ids: Array.from(order, (row) => ids[row] ?? ''),
    };
  }

  #set(row: number, run: ReturnType<typeof mirrored>): void {
    for (const name of numberColumns) this.#numbers[name][row] = run[name] ?? Number.NaN;
    for (const name of wordColumns) this.#words[name].numbers[row] = this.#numberOf(name, run[name]);
  }

  #numberOf(name: WordColumn, word: string | undefined): number {
    if (!word) return 0;
    const { list } = this.#words[name];
    const numbers = this.#numberOfWord.get(name) ?? new Map(list.map((each, index) => [each, index + 1]));
    this.#numberOfWord.set(name, numbers);
    const number = numbers.get(word) ?? list.push(word);
    numbers.set(word, number);
    return number;
  }

  #grow(): void {
    const length = Math.max(256, this.length * 2);
    for (const name of numberColumns) this.#numbers[name] = grown(this.#numbers[name], new Float64Array(length));
    for (const name of wordColumns) {
      this.#words[name].numbers = grown(this.#words[name].numbers, new Uint32Array(length));
    }
  }
}

/** A run of the platform as it is kept, with what it says. */
export function mirrored(run: Run, jobs: Jobs) {
  const { queueMs, runMs, responseMs } = runTimes(run);
  return {
    id: runKey(run),
    createdAt: toMs(run.createdAt),
    runtimeMs: runMs,
    coldstartTimeMs: run.coldstartTimeMs,
    totalQueueTimeMs: queueMs,
    totalResponseTimeMs: responseMs,
    statusCode: run.statusCode,
    podName: replicaOf(run),
    functionName: run.functionName,
    status: run.status,
    build: run.buildId,
    kind: jobs.isJob(run) ? 'job' : 'call',
  };
}

function emptyTable(): StoredTable {
  const numbers = numberColumns.map((name) => [name, new Float64Array(0)]);
  const words = wordColumns.map((name) => [name, { list: [], numbers: new Uint32Array(0) }]);
  return { length: 0, numbers: Object.fromEntries(numbers), words: Object.fromEntries(words), ids: [] };
}

function timeOrLast(time: number): number {
  return Number.isNaN(time) ? Number.MAX_VALUE : time;
}

function grown<Column extends Float64Array | Uint32Array>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}

function pick<Column extends Float64Array | Uint32Array>(
  column: Column,
  order: Uint32Array,
  type: new (length: number) => Column,
): Column {
  const picked = new type(order.length);
  for (let at = 0; at < order.length; at++) picked[at] = column[order[at] as number] as number;
  return picked;
}
