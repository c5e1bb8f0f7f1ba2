/** Items of a stream on their way from who makes them to who reads them. Whoever reads says how much was taken. */
export class ItemQueue implements AsyncIterable<string> {
  readonly #items: string[] = [];
  readonly #taken: (size: number) => void;
  #wake = () => {};
  #ended = false;
  #error: Error | undefined;

  constructor(taken: (size: number) => void) {
    this.#taken = taken;
  }

  add(item: string): void {
    this.#items.push(item);
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
      for (const item of this.#items.splice(0)) {
        yield item;
        this.#taken([...item].length);
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
