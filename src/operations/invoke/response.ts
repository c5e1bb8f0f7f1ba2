import { FailedError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { type DecodedBody, decodeBody } from '../replies/index.ts';
import type { AppResponse } from './call.ts';

/** An answer in one piece. */
export interface BufferedResponse extends DecodedBody {
  status: number;
  headers: AppResponse['headers'];
  runId: string | null;
  /** Milliseconds. */
  timings: { firstByteMs: number; totalMs: number };
}

/** Held in memory of one answer, bytes: JSON of it takes several times as much. */
const maxBytes = 128 * 1024 * 1024;

/** Reads an answer to its end. Throws FailedError when it is too long to be held in memory. */
export async function readResponse(answer: AppResponse, elapsed: () => number): Promise<BufferedResponse> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer.chunks) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLong(answer);
  }
  const content = decodeBody(Buffer.concat(pieces));
  const { status, headers, firstByteMs, startedAt } = answer;
  const timings = { firstByteMs, totalMs: elapsed() - startedAt };
  return { status, headers, runId: readRunId(answer, content) ?? null, timings, ...content };
}

function tooLong({ target: { name } }: AppResponse): FailedError {
  return new FailedError(`the answer of ${name} is longer than ${maxBytes / 1024 / 1024} MiB`, {
    why: 'that is too much for one JSON document; the call itself was made',
    fix: 'call it without --json: the answer is written as it comes',
  });
}

/** The id of the run: from the default runtime's response, or else from a header (docs/platform.md#invocation). */
export function readRunId(
  { headers }: Pick<AppResponse, 'headers'>,
  content?: Pick<DecodedBody, 'body'>,
): string | undefined {
  const inBody = (Object(content?.body) as Record<string, unknown>).run_id;
  return typeof inBody === 'string' ? inBody : firstHeader(headers, 'x-request-id');
}

/** The same, from the beginning of a body that is not held in memory. */
export function findRunId(answer: Pick<AppResponse, 'headers'>, start = ''): string | undefined {
  const [, id] = /^\s*\{\s*"run_id"\s*:\s*"([\w-]+)"/.exec(start) ?? [];
  return id ?? readRunId(answer);
}

export function firstHeader(headers: AppResponse['headers'], name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** `200 OK in 1.2 s, run 3f2a91c0-…`. */
export function responseSummary(
  { status, statusText }: AppResponse,
  totalMs: number,
  runId: string | undefined,
): string {
  return `${`${status} ${statusText}`.trim()} in ${duration(totalMs)}${runId ? `, run ${runId}` : ''}`;
}

/** Status and headers, as they are printed before a body. */
export function responseHead({ status, statusText, headers }: AppResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  );
  return `${[`HTTP ${status} ${statusText}`.trim(), ...lines].join('\n')}\n\n`;
}

/** Whether a body is meant to be read. What does not say what it is, is. */
export function isTextResponse({ type }: Pick<AppResponse, 'type'>): boolean {
  return type === '' || /^text\/|[/+](json|xml|yaml|x-ndjson|jsonl|javascript|x-www-form-urlencoded)$/.test(type);
}
