import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';

interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Makes text of a program safe to show. */
  clean: (text: string) => string;
  onInterrupt: () => void;
}

/**
 * Lets somebody talk to a program in lines, which can be edited and repeated: what it says is shown, and what is typed is
 * sent to it. Ctrl-D ends its input. Resolves when the program has ended the stream.
 */
export function lendTerminal(stream: Duplex, { input, output, clean, onInterrupt }: Terminal): Promise<void> {
  const lines = createInterface({ input, output, terminal: true });
  let rest = '';
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
      done();
    });
    stream.resume();
  });
}
