import type { Duplex } from 'node:stream';
import { after } from '../../../kernel/clock.ts';
import { begun, once, Sequence } from '../../../kernel/once.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { outputOf } from '../processes/process.ts';
import { ReplicaError } from '../replicas/replica.ts';
import { type DebugClaim, type DebugRelay, PrivateListener } from './debug-relay.ts';

/** Lends a terminal to Python's debugger until the stream ends. `place` is where the app stopped: `main.py:12`. */
export type OnBreakpoint = (stream: Duplex, place: string) => Promise<void>;

export interface DebuggingOptions {
  /** The port where an editor attaches to an app, by the app's name. */
  relayOf?: ((app: string) => DebugRelay | undefined) | undefined;
  /** Gets what `breakpoint()` says where no editor is attached. Without it, the app's log says what to do instead. */
  onBreakpoint?: OnBreakpoint | undefined;
}

interface Starting {
  app: AppRecord;
  build: BuildRecord;
  python: string;
  folder: string;
}

/** Debuggers of apps: an editor that is attached, and `breakpoint()` at a terminal. */
export class Debugging {
  readonly holds = new Holds();
  /** Where `breakpoint()` in the code of apps (breakpoints.py) finds the terminal. */
  #terminal: PrivateListener | undefined;
  /** The folder that debugpy is imported from, by interpreter. */
  readonly #debugpy = new Map<string, string>();

  private constructor(private readonly options: DebuggingOptions) {}

  static async open(options: DebuggingOptions): Promise<Debugging> {
    const debugging = new Debugging(options);
    const { onBreakpoint } = options;
    // Calls stop one after the other: there is one terminal.
    const stops = new Sequence();
    if (!onBreakpoint) return debugging;
    debugging.#terminal = await PrivateListener.open(({ app, place }, socket) => {
      socket.once('close', debugging.holds.hold(String(app)));
      begun(stops.run(async () => (socket.destroyed ? undefined : onBreakpoint(socket, String(place)))));
    });
    return debugging;
  }

  close(): void {
    this.#terminal?.close();
  }

  /**
   * Finds debugpy for an app that is debugged. `install` returns an interpreter that has it, if packages are installed
   * here. Rejects with a `ReplicaError` if there is none.
   */
  async prepare({ name }: AppRecord, python: string, install: () => Promise<string | undefined>): Promise<void> {
    if (!this.options.relayOf?.(name) || this.#debugpy.has(python)) return;
    const debugpy = (await findDebugpy(python)) ?? (await installed(install));
    if (debugpy === undefined) {
      const fix = `run ${python} -m pip install debugpy, or pass --install`;
      throw new ReplicaError(`debugpy is not installed for ${python}: ${fix}`);
    }
    this.#debugpy.set(python, debugpy);
  }

  claim({ app, build, python, folder }: Starting): Partial<DebugClaim> & Pick<DebugClaim, 'environment'> {
    const terminal = this.#terminal && {
      GANTRY_BREAKPOINTS: JSON.stringify({ ...this.#terminal.address, app: app.id }),
    };
    const debugpy = this.#debugpy.get(python);
    const hold = () => this.holds.hold(app.id);
    const start = { build: build.id, folder, hold };
    const claim = debugpy === undefined ? undefined : this.options.relayOf?.(app.name)?.claim(start, debugpy);
    return { ...claim, environment: { ...terminal, ...claim?.environment } };
  }
}

async function installed(install: () => Promise<string | undefined>): Promise<string | undefined> {
  const python = await install();
  return python === undefined ? undefined : findDebugpy(python);
}

/** The folder that an interpreter imports debugpy from; undefined if it has none. */
async function findDebugpy(python: string): Promise<string | undefined> {
  const script = 'import debugpy, os; print(os.path.dirname(os.path.dirname(os.path.abspath(debugpy.__file__))))';
  return (await outputOf([python, '-c', script])) || undefined;
}

/** Apps whose code stands in a breakpoint: no time limit counts while it does, and each starts over when it goes on. */
class Holds {
  /** How many breakpoints each app stands in. */
  readonly #held = new Map<string, number>();
  /** When each app went on the last time. */
  readonly #wentOnAt = new Map<string, number>();

  /** Returns what ends it. */
  hold(app: string): () => void {
    this.#held.set(app, this.#countOf(app) + 1);
    return once(() => {
      this.#held.set(app, this.#countOf(app) - 1);
      this.#wentOnAt.set(app, performance.now());
    });
  }

  /** Calls once when an app has had this much time outside of breakpoints. Returns what stops it. */
  after(app: string, ms: number, callback: () => void): () => void {
    let stop = () => {};
    const wait = (leftMs: number) => {
      stop = after(leftMs, () => {
        const outsideMs = performance.now() - (this.#wentOnAt.get(app) ?? Number.NEGATIVE_INFINITY);
        const missingMs = this.#countOf(app) > 0 ? ms : ms - outsideMs;
        if (missingMs > 0) wait(missingMs);
        else callback();
      });
    };
    wait(ms);
    return () => stop();
  }

  #countOf(app: string): number {
    return this.#held.get(app) ?? 0;
  }
}
