import type { Fix } from '../command-line.ts';
export interface RawOutputOptions<Json = never> {
  /** The output as a value, for `--json`. Without it, `--json` is not supported. */
  jsonValue?: () => Promise<Json>;
  /** Text is sanitized on a terminal and for a workflow runner; other bytes are refused on a terminal. */
  untrusted?: 'text' | 'bytes' | undefined;
  terminalFix?: Fix;
  onWritten?: () => void;
  /** Cancels the source of the bytes if they are not written after all. */
  cancel?: () => Promise<void>;
}

/** A command's result as bytes that are written unchanged. */
export class RawOutput<Json = never> {
  /** `writeTo` passes chunk after chunk to `write`, and waits for each. */
  constructor(
    readonly writeTo: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
    readonly options: RawOutputOptions<Json> = {},
  ) {}
}
