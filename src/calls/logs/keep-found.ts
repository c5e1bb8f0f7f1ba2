import type { LogLine } from './log-line.ts';

/** A line as a traceback has it: its first line, a frame or its code, and the exception. */
export const partOfTraceback =
  /^Traceback \(most recent call last\)|^ {2,}\S|^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Timeout|Warning)\b/;

/** The lines that are found, each with the traceback that it is in. */
export async function keepFound(lines: readonly LogLine[], isFound: (line: LogLine) => boolean): Promise<LogLine[]> {
  const matches = lines.map(isFound);
  if (lines.some(({ text }, at) => matches[at] && partOfTraceback.test(text))) {
    const { findTracebacks } = await import('../../causes/index.ts');
    for (const { start, end } of findTracebacks(lines.map(({ text }) => text)))
      if (matches.slice(start, end + 1).includes(true)) matches.fill(true, start, end + 1);
  }
  return lines.filter((_, at) => matches[at]);
}
