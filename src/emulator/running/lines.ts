import type { Readable } from 'node:stream';

/**
 * Calls `listener` for each line of a stream, without the line ends, and for the rest at its end. A line that grows
 * longer than `longest` characters comes in pieces, so that an app without line ends cannot fill the memory.
 */
export function forEachLine(stream: Readable, longest: number, listener: (line: string) => void): void {
  let rest = '';
  let isContinued = false;
  let heldReturn = '';
  const finishLine = () => {
    if (rest !== '' || !isContinued) listener(rest);
    rest = '';
    isContinued = false;
  };
  const take = (text: string) => {
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    rest += first;
    for (const line of others) {
      finishLine();
      rest = line;
    }
    if (rest.length < longest) return;
    listener(rest);
    rest = '';
    isContinued = true;
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const text = heldReturn + chunk;
    // The second half of a line end may be in the next chunk.
    heldReturn = text.endsWith('\r') ? '\r' : '';
    take(heldReturn ? text.slice(0, -1) : text);
  });
  stream.on('end', () => {
    if (heldReturn) take(heldReturn);
    if (rest !== '') finishLine();
  });
  stream.on('error', () => {});
}
