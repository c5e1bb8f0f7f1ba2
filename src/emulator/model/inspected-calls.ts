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

/** Adds a call, and forgets the oldest one if there are too many. */
export function keepCall(calls: Map<string, InspectedCall>, call: InspectedCall): void {
  calls.set(call.run, call);
  const [oldest] = calls.keys();
  if (oldest !== undefined && calls.size > maxInspectedCalls) calls.delete(oldest);
}
