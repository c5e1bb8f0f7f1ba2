/** Numbers of calls that wait, first in, first out. */
export class CallQueue {
  #calls: number[] = [];
  #first = 0;

  get size(): number {
    return this.#calls.length - this.#first;
  }

  push(call: number): void {
    this.#calls.push(call);
  }

  take(): number {
    const call = this.#calls[this.#first++] as number;
    if (this.#first === this.#calls.length) {
      this.#calls = [];
      this.#first = 0;
    }
    return call;
  }
}
