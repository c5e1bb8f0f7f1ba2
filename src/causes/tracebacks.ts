/** A traceback of Python in a log. */
export interface Traceback {
  /** Its first and last line, from 0. */
  start: number;
  end: number;
  /** The last line: `KeyError: 'user'`. */
  exception: string;
  /** The lines around it; empty at the start and the end of the log. */
  header: string;
  next: string;
}

/** The tracebacks of a log, in its order. Those of a chain are separate. */
export function findTracebacks(lines: readonly string[]): Traceback[] {
  const found: Traceback[] = [];
  for (let start = 0; start < lines.length; start++) {
    if (!lines[start]?.endsWith('Traceback (most recent call last):') || /^\s/.test(lines[start] ?? '')) continue;
    const end = endOf(lines, start);
    if (end === undefined) continue;
    const next = lines.slice(end + 1, end + 12).find((line) => line.trim() !== '') ?? '';
    found.push({ start, end, exception: lines[end] ?? '', header: lines[start - 1] ?? '', next });
    start = end;
  }
  return found;
}

/** The last one that does not only point to another. */
export function decisive(tracebacks: readonly Traceback[]): Traceback | undefined {
  return tracebacks.findLast(({ exception }) => !pointer.test(exception)) ?? tracebacks.at(-1);
}

const pointer =
  /\broot cause\b|\bChildFailedError\b|\bHaltServer\b|^(?:SystemExit|KeyboardInterrupt)\b|\bCalledProcessError\b/;

const maxLines = 300;

/** The exception: the first line that is not indented. A frame without source lines is followed by it too. */
function endOf(lines: readonly string[], start: number): number | undefined {
  for (let at = start + 1; at < Math.min(lines.length, start + maxLines); at++) {
    const line = lines[at] as string;
    if (line.trim() === '' || /^\s/.test(line)) continue;
    return /^[A-Za-z_][\w.]{1,120}(?::|$)/.test(line) ? at : undefined;
  }
  return undefined;
}

/** Where the exception was raised: in the code of the app, if a frame is. `main.py:2` */
export function raisedAt(lines: readonly string[]): string | undefined {
  const frames = lines.flatMap((text) => {
    const [, file, line] = /^\s+File "([^"]{1,300})", line (\d{1,7})/.exec(text) ?? [];
    return file === undefined ? [] : [{ file, line }];
  });
  const own = frames.findLast(({ file }) => !isForeignFile(file)) ?? frames.at(-1);
  return own && `${own.file.replace(/^\/(?:cortex|app|code|src|workspace)\//, '')}:${own.line}`;
}

/** Of the last frame; empty if there is none. */
export function lastFile(lines: readonly string[]): string {
  return lines.flatMap((line) => /^\s+File "([^"]{1,300})", line/.exec(line)?.[1] ?? []).at(-1) ?? '';
}

/** Whether a file is of Python or of an installed package. */
export function isForeignFile(file: string): boolean {
  return (
    file.startsWith('<') || /\/(?:site|dist)-packages\/|\/lib\/python\d|\/(?:usr|opt)\/(?:local\/)?bin\//.test(file)
  );
}
