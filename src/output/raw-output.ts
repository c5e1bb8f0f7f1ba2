export interface RawOutputOptions<Json = never> {
  /** The same as a value, for `--json`. Without it there is none: JSON cannot hold bytes as they are. */
  jsonValue?: () => Promise<Json>;
  /**
   * They are by somebody else. Where a terminal, or the runner of a workflow, reads along, text is cleaned; other bytes
   * are not for a terminal.
   */
  untrusted?: 'text' | 'bytes' | undefined;
  /** What to do instead where a terminal cannot show them. */
  terminalFix?: string;
  /** To be called when all is written. */
  onWritten?: () => void;
  /** Ends what they come from, when they are not wanted after all. */
  cancel?: () => Promise<void>;
}

/** An answer that is no value but bytes, to be written as they are. */
export class RawOutput<Json = never> {
  /** `into` hands on piece by piece: each is written before the next is asked for. */
  constructor(
    readonly writeTo: (take: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
    readonly options: RawOutputOptions<Json> = {},
  ) {}
}
