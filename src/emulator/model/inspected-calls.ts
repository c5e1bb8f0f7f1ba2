import { randomUUID } from 'node:crypto';
import type { CapturedBody } from '../http/buffered-body.ts';

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
  repeats?: string | undefined;
}

export const maxInspectedCalls = 200;

export class InspectedCalls {
  readonly #calls = new Map<string, InspectedCall>();
  /** Calls that are about to be sent again, by the mark that they carry. */
  readonly #expected = new Map<string, { repeats: string; onRun: (run: string) => void }>();

  /** Newest first. */
  list(): InspectedCall[] {
    return [...this.#calls.values()].reverse();
  }

  get(run: string): InspectedCall | undefined {
    return this.#calls.get(run);
  }

  /** The mark of a call that repeats another one, and is not the app's business, is taken from its headers. */
  add({ headers: { [repeatHeader]: mark, ...headers }, ...call }: InspectedCall): InspectedCall {
    const expected = this.#expected.get(String(mark));
    const added = { ...call, headers, ...(expected && { repeats: expected.repeats }) };
    this.#calls.set(call.run, added);
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined && this.#calls.size > maxInspectedCalls) this.#calls.delete(oldest);
    this.#expected.delete(String(mark));
    expected?.onRun(call.run);
    return added;
  }

  /** Announces a call that repeats another one. `onRun` is called when it has arrived. Returns the header of its mark. */
  expect(repeats: string, onRun: (run: string) => void): { header: Record<string, string>; end: () => void } {
    const mark = randomUUID();
    this.#expected.set(mark, { repeats, onRun });
    return { header: { [repeatHeader]: mark }, end: () => this.#expected.delete(mark) };
  }

  clear(): void {
    this.#calls.clear();
  }
}

const repeatHeader = 'x-gantry-repeat';
