import type { LogSocket } from '../../platform/api/log-socket.ts';
import type { LogLine } from './log-line.ts';

/** A log that can be read in pages and followed. Times in ms since 1970. */
export interface LogSource {
  /** Whether a filter excludes some of its lines. */
  isFiltered: boolean;
  readPage(query: LogPageQuery): Promise<LogPage>;
  /** Opens the live log; absent if that does not support the filter. */
  openLive?: (after: number | undefined, until: AbortSignal) => Promise<LogSocket>;
  /** The platform closes the live log after its last line. */
  liveEnds?: boolean;
  /** Parses a message of the live log: a line, or none if it does not match the filter. Undefined if it is invalid. */
  parseFrame(text: string): LogLine[] | undefined;
  /** Minimum and maximum pause between two polls, in ms. */
  pollMs: [min: number, max: number];
}

export interface LogPageQuery {
  direction: 'forward' | 'backward';
  after?: number | undefined;
  before?: number | undefined;
  next?: string | undefined;
  size: number;
}

export interface LogPage {
  lines: LogLine[];
  /** The token of the next page. */
  next?: string | undefined;
  /** There is more, but no token to request it. */
  isTruncated?: boolean;
  /** The work has ended: its last lines may be late. */
  hasEnded?: boolean;
}
