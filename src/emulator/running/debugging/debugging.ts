import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { outputOf } from '../processes/process.ts';
import { ReplicaError } from '../replicas/replica.ts';
import type { DebugClaim, DebugRelay } from './debug-relay.ts';
import { Holds, type OnBreakpoint, openTerminalBreakpoints, type TerminalBreakpoints } from './holds.ts';

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
  #terminal: TerminalBreakpoints | undefined;
  /** The folder that debugpy is imported from, by interpreter. */
  readonly #debugpy = new Map<string, string>();

  private constructor(private readonly options: DebuggingOptions) {}

  static async open(options: DebuggingOptions): Promise<Debugging> {
    const debugging = new Debugging(options);
    const { onBreakpoint } = options;
    if (onBreakpoint) debugging.#terminal = await openTerminalBreakpoints(onBreakpoint, debugging.holds);
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
    const found = (await findDebugpy(python)) ?? (await installed(install));
    if (found === undefined) {
      const fix = `run ${python} -m pip install debugpy, or pass --install`;
      throw new ReplicaError(`debugpy is not installed for ${python}: ${fix}`);
    }
    this.#debugpy.set(python, found);
  }

  claim({ app, build, python, folder }: Starting): Partial<DebugClaim> & Pick<DebugClaim, 'environment'> {
    const terminal = this.#terminal?.environmentOf(app.id);
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
