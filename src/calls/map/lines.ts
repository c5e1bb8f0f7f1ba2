import type { FileHandle } from 'node:fs/promises';

/** One line of a file, without its line break. */
export interface FileLine {
  bytes: Buffer;
  /** Where it begins in the file. */
  start: number;
  /** False for the last line of a file that ends without a line break. */
  isWhole: boolean;
}

/** A chunk of short lines is thousands of inputs, which are in memory until the last one is called. */
const chunkBytes = 64 * 1024;
const lineBreak = 0x0a;

/** Reads a file from its beginning. Before each chunk is used, calls `check`. */
export async function* readChunks(file: FileHandle, check = async () => {}): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
    await check();
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Splits at line breaks: the lines that end in each chunk, then what is left at the end. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileLine[]> {
  let rest: Buffer[] = [];
  let start = 0;
  for await (const chunk of chunks) {
    const lines: FileLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineBreak); end !== -1; end = chunk.indexOf(lineBreak, from)) {
      const tail = chunk.subarray(from, end);
      const bytes = rest.length > 0 ? Buffer.concat([...rest, tail]) : tail;
      rest = [];
      lines.push({ bytes, start, isWhole: true });
      start += bytes.length + 1;
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    yield lines;
  }
  if (rest.length > 0) yield [{ bytes: Buffer.concat(rest), start, isWhole: false }];
}
