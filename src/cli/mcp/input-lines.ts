import { StringDecoder } from 'node:string_decoder';

/** In bytes. Clients have no reason to send longer messages. */
const maxLineLength = 8 * 2 ** 20;

/** Divides a stream into lines. Of one that is too long only the beginning is kept, which is no JSON. */
export class InputLines {
  readonly #decoder = new StringDecoder('utf8');
  #parts: string[] = [];
  #length = 0;

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#add(first);
    for (const line of others) {
      this.#finish();
      this.#add(line);
    }
  }

  /** What comes last may have no line break. */
  end(): void {
    this.#add(this.#decoder.end());
    this.#finish();
  }

  #add(text: string): void {
    const left = maxLineLength - this.#length;
    if (left > 0) this.#parts.push(text.slice(0, left));
    this.#length += text.length;
  }

  #finish(): void {
    this.onLine(this.#parts.join(''));
    this.#parts = [];
    this.#length = 0;
  }
}
