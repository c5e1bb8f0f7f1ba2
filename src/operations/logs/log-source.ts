import type { LogSocket } from '../../api/log-socket.ts';
import type { LogLine } from './log-line.ts';

/** A log that can be read in pages, and followed. Times in milliseconds since 1970. */
export interface LogSource {
  /** Not all of its lines are asked for. */
  isFiltered: boolean;
  readPage(query: LogPageQuery): Promise<LogPage>;
  /** Opens the live log; absent when it cannot give what was asked for. */
  openLive?: (after: number | undefined) => Promise<LogSocket>;
  /** Reads what came by the socket: a line, or none when it was not asked for. Undefined for what is no line. */
  parseFrame(text: string): LogLine[] | undefined;
  /** Between two looks while it is polled, the shortest and the longest (in milliseconds). */
  pollMs: [leastMs: number, mostMs: number];
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
  /** How to ask for the page after it. */
  next?: string | undefined;
  /** There is more, but no way to ask for it. */
  isTruncated?: boolean;
  /** It is over: no line will be added. */
  hasEnded?: boolean;
}
