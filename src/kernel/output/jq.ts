import type { JqResult } from 'jq-wasm';
import { after } from '../clock.ts';
import { FailedError, UsageError } from '../errors.ts';
import { Thread } from '../thread.ts';
import { duration, size } from './format.ts';
import { readJq } from './jq-wasm.ts';
import type { JqJob, JqReply } from './jq-worker.mjs';

/** Throws UsageError for an invalid expression. `timeoutMs`: how long one JSON text may take, up to 30 seconds. */
export async function compileJq(expression: string, signal: AbortSignal, timeoutMs = maxMs): Promise<JqFilter> {
  const thread = new JqThread(signal);
  try {
    const { exitCode, stderr } = await thread.apply({ json: '', expression }, maxMs);
    if (exitCode !== 0) throw invalidExpression(expression, stderr);
    return new JqFilter(expression, thread, Math.min(timeoutMs, maxMs));
  } catch (error) {
    await thread.close();
    if (!(error instanceof BoundError)) throw error;
    throw new UsageError('the --jq expression is too large', { why: error.message, fix: 'use a shorter expression' });
  }
}

const maxMs = 30_000;
/** For what jq works on, which jq-wasm bounds itself, for what it reads and for what it prints. */
const maxBytes = 256 * 2 ** 20;

/** The expression of `--jq`, ready to filter. Close it, or the process does not exit. */
export class JqFilter {
  constructor(
    private readonly expression: string,
    private readonly thread: JqThread,
    private readonly timeoutMs: number,
  ) {}

  /** Filters JSON texts, one or several below one another. Returns lines; strings are unquoted. */
  async filter(json: string): Promise<string> {
    const { expression, thread, timeoutMs } = this;
    const { stdout, stderr, exitCode } = await thread
      .apply({ json: withoutHalves(json), expression }, timeoutMs)
      .catch((error) => {
        throw error instanceof BoundError ? cannotFilter(error.message) : error;
      });
    if (exitCode !== 0) throw cannotFilter(stderr.replace(/^jq: error \(at [^)]*\): /gm, '').trim());
    return stdout;
  }

  /** Waits for texts that are being filtered. */
  close(): Promise<void> {
    return this.thread.close();
  }
}

/** jq refuses JSON with half a surrogate pair, which a text that was cut has. It is shown as U+FFFD, as on a terminal. */
function withoutHalves(json: string): string {
  if (!/\\ud[89a-f]/i.test(json)) return json;
  const escapes = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gis;
  return json.replace(escapes, (whole, half?: string) => (half ? '\\ufffd' : whole));
}

class BoundError extends Error {}

/** A thread that runs one program after the other. It ends with the first that reaches a bound, and at the signal. */
class JqThread extends Thread<JqJob, JqReply> {
  #last: Promise<unknown>;

  constructor(private readonly signal: AbortSignal) {
    super('kernel/output/jq-worker.mjs', {
      workerData: { name: 'jq', maxBytes },
      // What jq prints when it aborts is not for users.
      stdout: true,
      stderr: true,
      resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 },
    });
    signal.addEventListener('abort', this.#interrupt);
    if (signal.aborted) this.#interrupt();
    // It is read while the thread starts.
    this.#last = readJq().then(
      (jq) => this.worker.postMessage(jq),
      (error) => this.break(error),
    );
  }

  apply(job: JqJob, timeoutMs: number): Promise<JqResult> {
    const result = this.#last.then(() => this.#applyNext(job, timeoutMs));
    this.#last = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    await this.#last;
    this.signal.removeEventListener('abort', this.#interrupt);
    await this.worker.terminate();
  }

  override break(error: NodeJS.ErrnoException): void {
    super.break(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuchMemory() : error);
    void this.worker.terminate();
  }

  async #applyNext(job: JqJob, timeoutMs: number): Promise<JqResult> {
    if (job.json.length > maxBytes) this.break(tooMuchMemory());
    const late = new BoundError(`the program was still running after ${duration(timeoutMs)}`);
    const stopTimer = after(timeoutMs, () => this.break(late));
    const result = await this.run(job).finally(stopTimer);
    if (result !== 'out of memory') return result;
    this.break(tooMuchMemory());
    throw tooMuchMemory();
  }

  readonly #interrupt = () => this.break(this.signal.reason);
}

function tooMuchMemory(): BoundError {
  return new BoundError(`the program needs more than the ${size(maxBytes)} of memory that it may use`);
}

function cannotFilter(why: string): FailedError {
  return new FailedError('--jq cannot filter the result', {
    why,
    fix: 'run the command with --json instead to see its result; what the command has done stays',
  });
}

/** jq prints the line and column of each mistake, and marks it below the expression. */
function invalidExpression(expression: string, stderr: string): UsageError {
  const [, reason = stderr.trim(), line = '', column = '', marked = ''] =
    /^jq: error: (.*?) at <top-level>, line (\d+), column (\d+):\n((?: {4}.*\n?)*)/s.exec(stderr) ?? [];
  const place = column ? ` (line ${line}, column ${column})` : '';
  return new UsageError(`invalid --jq expression "${expression}"${place}`, {
    why: [reason, ...marked.split('\n').map((text) => text.slice(4))].filter((text) => text.trim()).join('\n'),
    fix: 'jq manual: https://jqlang.org/manual/',
    details: { line: Number(line) || undefined, column: Number(column) || undefined },
  });
}
