import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { Progress } from './progress.ts';

interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  clean: (text: string) => string;
  onInterrupt: () => void;
  giveWay: Progress['giveWay'];
}

/** Lets somebody talk to a program in lines, until it ends. Ours are printed above the one that is typed. */
export function lendTerminal(stream: Duplex, { input, output, clean, onInterrupt, giveWay }: Terminal): Promise<void> {
  const lines = createInterface({ input, output, terminal: true });
  let rest = '';
  const takeBack = giveWay((print) => (rest === '' ? print() : printAbove(lines, output, print)));
  stream.setEncoding('utf8').on('data', (text: string) => {
    const said = (rest + text).split('\n');
    rest = said.pop() ?? '';
    for (const line of said) output.write(`${clean(line)}\n`);
    if (rest === '') return;
    // Without the end of a line, it asks for the next one.
    lines.setPrompt(clean(rest));
    lines.prompt();
  });
  lines.on('line', (line) => {
    rest = '';
    stream.write(`${line}\n`);
  });
  lines.on('SIGINT', onInterrupt).on('close', () => stream.end());
  return new Promise((done) => {
    stream.on('error', () => {});
    stream.once('end', () => stream.end());
    stream.once('close', () => {
      lines.close();
      takeBack();
      done();
    });
    stream.resume();
  });
}

/** Prints where the prompt is, and shows that and what has been typed again below. */
function printAbove(lines: Interface, output: NodeJS.WritableStream, print: () => void): void {
  moveCursor(output, 0, -lines.getCursorPos().rows);
  cursorTo(output, 0);
  clearScreenDown(output);
  print();
  // Node would go up by the rows that the line had, over what was just printed.
  Object.assign(lines, { prevRows: 0 });
  lines.prompt(true);
}
