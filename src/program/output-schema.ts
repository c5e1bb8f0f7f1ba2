import { type ExitName, exitCodes } from '../errors.ts';
import type { FailureDocument } from '../output/failure.ts';
import {
  anything,
  boolean,
  choice,
  document,
  integer,
  type JsonSchema,
  list,
  object,
  optional,
  type ResultSchema,
  record,
  text,
  withType,
} from '../result-schema.ts';

/** A JSON Schema document, draft 2020-12. */
export interface OutputSchema extends JsonSchema {
  $schema: string;
  title: string;
  $defs: Record<string, JsonSchema>;
}

/**
 * The schema of what a command prints with `--json`: its result, or an error. If that is lines, it is the schema of each
 * line. A command that prints lines with `--events` only has their schema in `$defs.line`.
 */
export function outputSchema(command: string, json: ResultSchema, hasEvents: boolean): OutputSchema {
  const isStream = json.form === 'stream';
  const result = json.schema;
  const error = failure.schema;
  const line = isStream ? streamLine(result, error) : eventLine(result, error);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${isStream ? 'each line of ' : ''}gantry ${command} --json`,
    ...(isStream ? { $ref: '#/$defs/line' } : { anyOf: [{ $ref: '#/$defs/result' }, { $ref: '#/$defs/error' }] }),
    $defs: isStream ? { line, error } : { result, error, ...(hasEvents && { line }) },
  };
}

/** The last line has the type `result`, and what the stream returns, or it is an error. */
function streamLine(item: JsonSchema, error: JsonSchema): JsonSchema {
  return { anyOf: [item, withType({ type: 'object' }, 'result'), withType(error, 'error')] };
}

function eventLine(result: JsonSchema, error: JsonSchema): JsonSchema {
  const event = withType({ type: 'object', description: 'an event; its type says which fields it has' });
  return { anyOf: [withType(result, 'result'), withType(error, 'error'), event] };
}

const failure: ResultSchema<FailureDocument> = document({
  error: object({
    code: choice(Object.keys(exitCodes) as ExitName[], 'name of the exit code'),
    message: text('what happened'),
    why: optional(text('why it happened, if known')),
    fix: optional(text('what to do about it')),
    next: optional(
      list(text('argument'), 'the command to run next, as a list of arguments: that of fix, or one that usually helps'),
    ),
    exitCode: integer('exit code of the process'),
    statusCode: optional(integer('HTTP status of the reply that caused it')),
    requestId: optional(text('request id, for the support of the platform')),
    retryable: boolean('whether the same command may succeed later'),
    retryAfterMs: optional(integer('when to try again, in ms')),
    details: optional(record(anything('value'), 'ids and other facts of this error')),
  }),
});
