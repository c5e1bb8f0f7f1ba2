import type { Readable } from 'node:stream';

/**
 * How often a state of a progress bar becomes a line: `tqdm` prints ten in a second, and a carriage return before each. The
 * last one ends as a line does.
 */
const stateMs = 5_000;

/**
 * Calls `listener` for each line of a stream, without line ends. Lines longer than `maxLength` characters are split, so
 * that output without line ends cannot exhaust memory.
 */
export function forEachLine(stream: Readable, maxLength: number, listener: (line: string) => void): void {
  let rest = '';
  let isContinued = false;
  let heldReturn = '';
  let nextStateAt = 0;
  const isDue = () => {
    if (performance.now() < nextStateAt) return false;
    nextStateAt = performance.now() + stateMs;
    return true;
  };
  const finishLine = () => {
    if (rest !== '' || !isContinued) listener(rest);
    rest = '';
    isContinued = false;
  };
  const append = (text: string) => {
    const [first = '', ...others] = text.split(/(\r*\n|\r+)/);
    rest += first;
    for (const [index, part] of others.entries()) {
      if (index % 2 === 1) rest = part;
      else if (part.endsWith('\n') || (rest !== '' && isDue())) finishLine();
    }
    if (rest.length < maxLength) return;
    listener(rest);
    rest = '';
    isContinued = true;
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const text = heldReturn + chunk;
    // The second half of a line end may be in the next chunk.
    heldReturn = text.endsWith('\r') ? '\r' : '';
    append(heldReturn ? text.slice(0, -1) : text);
  });
  stream.on('end', () => {
    if (heldReturn) append(heldReturn);
    if (rest !== '') finishLine();
  });
  stream.on('error', () => {});
}
