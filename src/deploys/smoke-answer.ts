import { type AppEvent, type AppResponse, type BufferedResponse, readEvents } from '../calls/invoke/index.ts';
import { stringifyJson } from '../kernel/json-text.ts';
import { signOfCopy } from '../platform/api/cached-copy.ts';
import type { SmokeTest } from './smoke-test.ts';

/** What is wrong with an answer; undefined if nothing is. `isNone`: the new build has not said anything by it. */
interface Flaw {
  problem: string;
  isNone: boolean;
}

/**
 * Judges a response with a status of success. Only what the app itself has answered counts: not what the platform writes
 * around the result of a function, and not what was said before, or by somebody else.
 */
export async function findProblem(
  response: AppResponse,
  read: BufferedResponse,
  { fn, expected }: SmokeTest,
  isEnveloped: boolean,
): Promise<Flaw | undefined> {
  if (signOfCopy(read.headers) !== undefined) return none('the answer came from a cache');
  if (response.status === 206) return none('only a part was answered (206)');
  const said = fn === undefined ? textOf(read.body) : await resultOf(response, read, isEnveloped);
  if (typeof said !== 'string') return said;
  // It goes into the history, which holds nothing that was typed.
  const isMissing = expected !== undefined && !said.includes(expected);
  return isMissing ? { problem: 'the response does not have the expected text', isNone: false } : undefined;
}

/** What a function has returned, as text. */
async function resultOf(
  response: AppResponse,
  { body, encoding }: BufferedResponse,
  isEnveloped: boolean,
): Promise<string | Flaw> {
  if (response.status === 202) return none('the call was only accepted (202)');
  if (response.type === 'text/event-stream' && body !== '') return resultOfEvents(response, textOf(body));
  if (encoding !== 'json') {
    return none(`a function answers with JSON, but the response ${body === '' ? 'is empty' : 'is none'}`);
  }
  if (!isEnveloped) return textOf(body);
  const { run_id: run, result } = Object(body) as { run_id?: unknown; result?: unknown };
  return typeof run === 'string' && result !== undefined ? textOf(result) : none('the response has no result of a run');
}

async function resultOfEvents(response: AppResponse, text: string): Promise<string | Flaw> {
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  const events: AppEvent[] = [];
  for await (const event of readEvents({ ...response, chunks })) events.push(event);
  const said = events.filter(({ event }) => event !== 'error');
  if (said.length === 0) return none(events.length > 0 ? 'all of its events are errors' : 'it sent no event');
  return said.map(({ data }) => data).join('\n');
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : stringifyJson(body);
}

function none(problem: string): Flaw {
  return { problem, isNone: true };
}
