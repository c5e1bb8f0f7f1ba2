/** What happens next: a binary heap in two columns, since it is used for each of a hundred million calls. */
export class EventHeap<Subject> {
  size = 0;
  /** Infinity without events. */
  nextAt = Number.POSITIVE_INFINITY;
  /** Whether the subject that was taken last became ready. */
  wasReady = false;
  readonly #times: number[] = [];
  readonly #subjects: Subject[] = [];
  readonly #ready: boolean[] = [];

  add(at: number, subject: Subject, isReady: boolean): void {
    let place = this.size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((this.#times[parent] as number) <= at) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, at, subject, isReady);
    if (place === 0) this.nextAt = at;
  }

  take(): Subject {
    const first = this.#subjects[0] as Subject;
    this.wasReady = this.#ready[0] as boolean;
    const last = --this.size;
    const at = this.#times[last] as number;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= last) break;
      if (child + 1 < last && (this.#times[child + 1] as number) < (this.#times[child] as number)) child++;
      if ((this.#times[child] as number) >= at) break;
      this.#move(child, place);
      place = child;
    }
    if (last > 0) this.#move(last, place);
    this.nextAt = last > 0 ? (this.#times[0] as number) : Number.POSITIVE_INFINITY;
    return first;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from] as number, this.#subjects[from] as Subject, this.#ready[from] as boolean);
  }

  #put(place: number, at: number, subject: Subject, isReady: boolean): void {
    this.#times[place] = at;
    this.#subjects[place] = subject;
    this.#ready[place] = isReady;
  }
}
