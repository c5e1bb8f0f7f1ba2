import { stat } from 'node:fs/promises';
import * as v from 'valibot';
import { mapLogEnding } from '../../app/files/plans.ts';
import { lockHolder, openRegular, takeLock, toDiskErrorOf, writeFileAtomic } from '../../kernel/disk/index.ts';
import { ConflictError, UsageError } from '../../kernel/errors.ts';
import { parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';
import { LineWriter, onDisk, readChunks, splitLines } from './lines.ts';

/** A results file, as the user named it, and its absolute path. */
export interface NamedResults {
  name: string;
  path: string;
}

/** The first line: what the results are of. */
const Heading = v.object({
  gantryMap: v.literal(1),
  input: v.object({ bytes: v.number(), sha256: v.string(), inputs: v.number() }),
  /** What is called, for people. */
  target: v.string(),
  /** What is called, with its platform. */
  key: v.string(),
});
export type MapHeading = Omit<v.InferOutput<typeof Heading>, 'gantryMap'>;

/** How many calls may be in flight, or were when the command ended. */
const InFlight = v.object({ inFlight: v.number() });
const StartedRun = v.object({ index: v.number(), started: v.string() });

/**
 * What the lines of a results file do not say, in one file beside them: what they are results of, how many calls were in
 * flight, and which runs were started. A command that is killed leaves nothing behind that the next one does not know.
 * Lines are only added; each command begins with those that still count.
 */
export class MapLog {
  readonly path: string;
  /** How many calls may have been in flight when the last command ended. */
  inFlight = 0;
  readonly #name: string;
  readonly #runs = new Map<number, string>();
  #lines: LineWriter | undefined;

  private constructor(
    { name, path }: NamedResults,
    private readonly heading: MapHeading,
  ) {
    this.path = `${path}${mapLogEnding}`;
    this.#name = `${name}${mapLogEnding}`;
  }

  /** Throws ConflictError if there are results of other inputs, or of calls of something else. */
  static async open(results: NamedResults, heading: MapHeading): Promise<MapLog> {
    const { name, path } = results;
    const stats = await stat(path).catch(() => undefined);
    if (stats && !stats.isFile())
      throw new UsageError(`${name} is not a regular file`, {
        fix: 'write to a regular file: the results are read again',
      });
    const log = new MapLog(results, heading);
    const problem = await log.#read(name).catch((cause) => {
      throw toDiskErrorOf(`cannot read ${log.#name}`, cause);
    });
    if (problem && stats?.size) throw problem;
    return log;
  }

  get running(): number {
    return this.#runs.size;
  }

  runOf(index: number): string | undefined {
    return this.#runs.get(index);
  }

  /** Begins anew, with what still counts. */
  async begin(inFlight: number): Promise<void> {
    await this.#write(async () => {
      await this.#rewrite(inFlight);
      this.#lines = await LineWriter.open(this.path);
    });
  }

  async addRun(index: number, run: string): Promise<void> {
    this.#runs.set(index, run);
    await this.#write(async () => this.#lines?.add(`${stringifyJson({ index, started: run })}\n`));
  }

  /** The input has a result, of this run. */
  endRun(index: number, run: unknown = this.#runs.get(index)): void {
    if (this.#runs.get(index) === run) this.#runs.delete(index);
  }

  async close(inFlight: number): Promise<void> {
    await this.#write(async () => {
      await this.#lines?.close();
      this.#lines = undefined;
      await this.#rewrite(inFlight);
    });
  }

  async #write(work: () => Promise<void>): Promise<void> {
    await onDisk(`cannot write ${this.#name}`, work);
  }

  async #rewrite(inFlight: number): Promise<void> {
    const runs = [...this.#runs].map(([index, started]) => ({ index, started }));
    const lines = [{ gantryMap: 1, ...this.heading }, { inFlight }, ...runs];
    await writeFileAtomic(this.path, lines.map((line) => `${stringifyJson(line)}\n`).join(''));
  }

  /** Returns why it is not the log of these results. */
  async #read(results: string): Promise<ConflictError | undefined> {
    let problem = this.#findProblem(results, undefined);
    const file = await openRegular(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return problem;
    try {
      for await (const lines of splitLines(readChunks(file))) {
        for (const { bytes, start } of lines) {
          const text = String(bytes);
          if (start === 0) problem = this.#findProblem(results, parseJsonOr(text, undefined));
          else if (!problem) this.#take(text);
        }
      }
    } finally {
      await file.close();
    }
    return problem;
  }

  /** The last line of a command that was killed may be half of one. */
  #take(text: string): void {
    const line = parseJsonOr(text, undefined);
    if (v.is(InFlight, line)) this.inFlight = line.inFlight;
    else if (v.is(StartedRun, line)) this.#runs.set(line.index, line.started);
  }

  #findProblem(name: string, line: unknown): ConflictError | undefined {
    const fix = 'name another results file';
    if (!v.is(Heading, line)) {
      return new ConflictError(`${name} exists and is not known to have results of gantry map`, {
        why: `${this.#name}, which says which inputs they are of, is missing or damaged`,
        fix,
      });
    }
    const { input, target, key } = line;
    if (input.sha256 !== this.heading.input.sha256 || input.bytes !== this.heading.input.bytes) {
      const why = `they are of ${input.inputs} inputs in ${input.bytes} bytes with the SHA-256 ${input.sha256.slice(0, 12)}…`;
      return new ConflictError(`${name} has results of other inputs`, { why, fix });
    }
    if (key === this.heading.key) return undefined;
    const why = target === this.heading.target ? 'of another platform' : `now you call ${this.heading.target}`;
    return new ConflictError(`${name} has results of ${target}`, { why, fix });
  }
}

/** Locks a results file while `work` is done: two commands never write to one. Throws ConflictError. */
export async function whileLocked<T>({ name, path }: NamedResults, work: () => Promise<T>): Promise<T> {
  const lock = await onDisk(`cannot write ${name}`, async () => takeLock(`${path}.lock`));
  if (!lock) {
    const holder = lockHolder(`${path}.lock`);
    throw new ConflictError(`${name} is being written by another gantry map`, {
      why: holder && `its process is ${holder.pid}`,
      fix: 'wait until it ends, or name another results file',
    });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
