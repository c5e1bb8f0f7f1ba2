import type { CapturedBody } from '../http/captured-body.ts';

type Headers = NodeJS.Dict<string | string[]>;

/** A call of an app with what was sent and received. Its times are those of its run. */
export interface InspectedCall {
  run: string;
  /** Id of the app. */
  app: string;
  method: string;
  /** Below the app, with the query. */
  path: string;
  headers: Headers;
  body: CapturedBody;
  /** Absent until it begins. */
  response?: { status: number; headers: Headers; body: CapturedBody };
}

export const maxInspectedCalls = 200;

export class InspectedCalls {
  readonly #calls = new Map<string, InspectedCall>();
  /** Newest first. */
  list(): InspectedCall[] {
    return [...this.#calls.values()].reverse();
  }

  get(run: string): InspectedCall | undefined {
    return this.#calls.get(run);
  }

  add(call: InspectedCall): InspectedCall {
    this.#calls.set(call.run, call);
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined && this.#calls.size > maxInspectedCalls) this.#calls.delete(oldest);
    return call;
  }

  clear(): void {
    this.#calls.clear();
  }
}
