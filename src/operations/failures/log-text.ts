import { stripVTControlCharacters } from 'node:util';

/** A line of a log without what the tools around it add. */
export interface CleanLine {
  text: string;
  /** In the whole log, from 1. */
  number: number;
}

/** The end of a log has the failure: of a longer one, only so much is read. */
const maxCharacters = 1024 * 1024;
const maxLines = 10_000;
/** The rest of a longer line is dropped. */
const maxLineCharacters = 2_000;

/** The last lines of a log, each without colors, times and the prefixes of container engines. */
export function cleanLines(log: string): CleanLine[] {
  const start = Math.max(0, log.length - maxCharacters);
  const lines = log.slice(start).split('\n');
  const dropped = Math.max(0, lines.length - maxLines);
  const before = countLineBreaks(log, start) + dropped;
  return lines.slice(dropped).map((line, index) => ({ text: cleanLine(line), number: before + index + 1 }));
}

function countLineBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === 10) count++;
  return count;
}

/** Of a line with carriage returns, such as a progress bar, the last state remains. */
function cleanLine(line: string): string {
  const cut = line.length > maxLineCharacters ? line.slice(0, maxLineCharacters) : line;
  const shown = cut.includes('\r') ? (cut.split('\r').findLast((part) => part.trim() !== '') ?? '') : cut;
  const plain = shown.includes('\u001b') ? stripVTControlCharacters(shown) : shown;
  return plain.replace(prefix, '').trimEnd();
}

/** Times, `stdout F` of container logs, `#11 0.412` of image builds, `web-1  | ` of Compose. */
const prefix =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?\]? )?(?:(?:stdout|stderr) [FP] )?(?:#\d{1,4} (?:\d{1,6}\.\d{1,4} )?|[\w.-]{1,64} {1,20}\| )?/;
