import { isRecord, parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';

/** Why an input has no result. */
export interface MapError {
  /** Name of an exit code. */
  code: string;
  message: string;
  /** HTTP status of the response, if there was one. */
  statusCode?: number;
}

/** What became of one call. */
export type MapOutcome =
  | { status: 'succeeded'; result: unknown; encoding?: 'base64' }
  | { status: 'failed'; error: MapError };

export type MapResult = MapOutcome & { run: string | null; ms: number };

/** What of a line is read again. */
export interface KnownResult {
  index: number;
  error: MapError | undefined;
}

/** The line of one input in the results file. */
export function resultLine(index: number, result: MapResult): string {
  return `${stringifyJson({ index, ...result })}\n`;
}

/** Undefined if it is not the line of an input. */
export function parseResultLine(text: string): KnownResult | undefined {
  const value = parseJsonOr(text, undefined);
  if (!isRecord(value)) return undefined;
  const { index, status, error } = value;
  if (!Number.isSafeInteger(index) || (status !== 'succeeded' && status !== 'failed')) return undefined;
  return { index: index as number, error: status === 'succeeded' ? undefined : toError(error) };
}

function toError(error: unknown): MapError {
  const { code, message, statusCode } = Object(error) as Record<string, unknown>;
  return {
    code: String(code ?? 'failed'),
    message: String(message ?? 'failed'),
    ...(typeof statusCode === 'number' && { statusCode }),
  };
}
