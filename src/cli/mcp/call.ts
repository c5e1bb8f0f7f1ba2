import { Readable, Writable } from 'node:stream';
import { onAbort } from '../../kernel/clock.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Io, processIo } from '../../kernel/process.ts';
import { main } from '../../main.ts';
import type { Context } from '../../platform/context.ts';

export type CallOutcome = Awaited<ReturnType<typeof callCommand>>;

interface CallOptions {
  implied?: readonly string[];
  /** Ends the command as Ctrl-C does. */
  signal: AbortSignal;
  /** Called with each line that the command prints on stderr. */
  onLine: (line: string) => void;
}

/** Runs a command line in this process, with streams of its own: nothing it prints can reach stdout, and nobody is asked. */
export async function callCommand(context: Context, argv: string[], options: CallOptions) {
  const stdout = new Capture();
  const stderr = new Capture(options.onLine);
  const code = await main(argv, callIo(context, stdout, stderr, options));
  return {
    code,
    stdout: stdout.bytes,
    // What was printed for people, without the error, which the JSON has too.
    notes: stderr.bytes
      .toString()
      .replace(/^error: .*/ms, '')
      .trim(),
  };
}

function callIo(context: Context, stdout: Writable, stderr: Writable, options: CallOptions): Io {
  const { signal, implied = [] } = options;
  const { env, cwd, now, elapsed, delay, silenceMs } = context;
  return {
    stdin: new Readable({
      read() {
        this.destroy(noStdinError());
      },
    }),
    stdout,
    stderr,
    // The output has no terminal and no workflow, whatever the server was started from.
    env: { ...env, FORCE_COLOR: undefined, GITHUB_ACTIONS: undefined, GITHUB_OUTPUT: undefined },
    cwd,
    onSignal(listener) {
      const interrupt = () => listener('SIGINT');
      if (signal.aborted) queueMicrotask(interrupt);
      return onAbort(signal, interrupt);
    },
    // The process serves other calls.
    onIdle: () => () => {},
    quit: () => {},
    now,
    elapsed,
    delay,
    openBrowser: async () => false,
    startPager: async () => undefined,
    spawnDetached: processIo().spawnDetached,
    silenceMs,
    isForModel: true,
    implied: ['--no-input', ...implied],
  };
}

function noStdinError(): UsageError {
  return new UsageError('cannot read "-": stdin is not available to tool calls', {
    why: 'stdin belongs to the MCP connection',
    fix: 'write the content to a file, and name the file',
  });
}

/** In bytes: what a command prints beyond it is dropped. */
const maxCaptured = 16 * 2 ** 20;

class Capture extends Writable {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #line = '';

  constructor(private readonly onLine: (line: string) => void = () => {}) {
    super();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    if (this.#size < maxCaptured) this.#chunks.push(chunk);
    this.#size += chunk.length;
    const lines = `${this.#line}${chunk}`.split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) if (line.trim()) this.onLine(line.trimEnd());
    done();
  }
}
