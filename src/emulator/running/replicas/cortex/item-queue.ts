/** Buffers stream items between the worker and the client. `consumed` is called for each item that was read. */
export class ItemQueue implements AsyncIterable<string> {
  readonly #items: { text: string; size: number }[] = [];
  #wake = () => {};
  #ended = false;
  #queuedLength = 0;
  #error: Error | undefined;

  constructor(private readonly consumed: (size: number) => void) {}

  /** Characters that were not read yet. */
  get queuedLength(): number {
    return this.#queuedLength;
  }

  add(text: string, size: number): void {
    this.#queuedLength += text.length;
    this.#items.push({ text, size });
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Throws after the items that were added before. */
  fail(error: Error): void {
    this.#error = error;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      for (const { text, size } of this.#items.splice(0)) {
        this.#queuedLength -= text.length;
        yield text;
        this.consumed(size);
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
