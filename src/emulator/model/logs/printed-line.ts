/** A line that an app printed. */
export interface PrintedLine {
  /** Milliseconds since 1970. */
  at: number;
  /** Nanoseconds within that millisecond, so that timestamps are unique within an app. */
  nanoseconds: number;
  container: string;
  /** Counts the container's lines from 1. */
  lineNumber: number;
  stream: 'stdout' | 'stderr';
  run: string;
  text: string;
}
