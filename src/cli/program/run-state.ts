import type { Problem } from '../../kernel/errors.ts';
import type { KnownSecrets } from '../../kernel/output/known-secrets.ts';
import type { InterruptNotice } from '../../platform/context.ts';

/** What `main` and the running command share. */
export interface RunState {
  signal: AbortSignal;
  interruption: InterruptNotice;
  /** Prints what happens after Ctrl-C, once a command runs. */
  announce?: (text: string) => void;
  secrets: KnownSecrets;
  /** What stderr was warned of: a part of the document, whether that is a result or an error. */
  warned: Problem[];
  /** The command line, in gantry's words if it was that of another client, and then a warning about it. */
  argv: string[];
  warning?: string | undefined;
  /** What names stdin is these words in a line to type: nothing is there to be read again. */
  toType?: readonly string[] | undefined;
  /** Whether this line of it only reads: one that does more is never told with a name that was guessed. */
  isReading?: boolean;
  cwd?: string;
  /** Whether JSON is printed: `--json` may follow `--`, as in `run -- FILE --json`. */
  isJson?: boolean;
  /** Set while the result is printed as JSON lines: a failure is then one line, too. */
  isJsonLines?: boolean;
  /** `--jq` gets what the command prints and no line of gantry's own: the lines have no type to tell them by. */
  isFiltered?: boolean;
}

/** Ends a dry run where the first change would be sent. Not an error: `result` is what the command would return. */
export class DryRunEnd extends Error {
  constructor(
    readonly changes: readonly string[],
    readonly result: object,
  ) {
    super(`would ${changes.join(', ')}`);
  }
}

export function markDryRun(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(markDryRun);
  return { ...(result as object), dryRun: true };
}
