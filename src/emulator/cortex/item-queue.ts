/** Items of a stream on their way from who makes them to who reads them. Whoever reads says how much was taken. */
export class ItemQueue implements AsyncIterable<string> {
  readonly #items: { text: string; size: number }[] = [];
  readonly #taken: (size: number) => void;
  #wake = () => {};
  #ended = false;
  #waiting = 0;
  #error: Error | undefined;

  constructor(taken: (size: number) => void) {
    this.#taken = taken;
  }

  /** Characters that have come and were not read. */
  get waiting(): number {
    return this.#waiting;
  }

  add(text: string, size: number): void {
    this.#waiting += text.length;
    this.#items.push({ text, size });
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** What has come already is read, then this is thrown. */
  fail(error: Error): void {
    this.#error = error;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      for (const { text, size } of this.#items.splice(0)) {
        this.#waiting -= text.length;
        yield text;
        this.#taken(size);
      }
      if (this.#items.length > 0) continue;
      if (this.#error) throw this.#error;
      if (this.#ended) return;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}
