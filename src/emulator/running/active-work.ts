import { CallAbortedError } from './replicas/replica.ts';

/** Runs or builds that are in progress and can be canceled, by id. */
export class ActiveWork {
  readonly #active = new Map<string, AbortController>();

  /** `what` is one of them, for the reason: `the run`. */
  constructor(private readonly what: string) {}

  /** Returns the controller that `cancel` aborts. */
  track(id: string): AbortController {
    const controller = new AbortController();
    this.#active.set(id, controller);
    return controller;
  }

  untrack(id: string): void {
    this.#active.delete(id);
  }

  cancel(id: string): void {
    this.#active.get(id)?.abort(new CallAbortedError(`${this.what} was canceled`, 500, 0));
  }

  abortAll(reason: Error): void {
    for (const controller of this.#active.values()) controller.abort(reason);
  }
}
