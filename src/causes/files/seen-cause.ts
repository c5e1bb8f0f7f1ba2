import type { Fix } from '../../kernel/command-line.ts';
import type { Captured } from '../rule.ts';

/** A file of the app and a line of it, from 1; or a dotted path of the config file. */
export type CausePlace =
  | { file: string; line?: number | undefined; setting?: undefined }
  | { setting: string; file?: undefined };

/** A cause that the files show, before they are sent. */
export interface SeenCause {
  cause: string;
  /** Whether it fails for certain, which is an error; otherwise it is a warning. */
  isCertain?: boolean | undefined;
  captured?: Captured;
  at?: CausePlace | undefined;
  why?: string | undefined;
  /** Instead of what the cause says. */
  title?: string | undefined;
  fix?: Fix | undefined;
}
