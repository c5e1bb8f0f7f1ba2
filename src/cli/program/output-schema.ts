import { type ExitName, exitCodes } from '../../kernel/errors.ts';
import type { FailureDocument } from '../../kernel/output/failure.ts';
import { eventTypes } from '../../kernel/output/progress.ts';
import {
  anything,
  boolean,
  choice,
  document,
  integer,
  type JsonSchema,
  list,
  nextField,
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
  anyOf: readonly JsonSchema[];
  $defs: Record<string, JsonSchema>;
}

/**
 * The schema of what a command prints with `--json`: its result, or an error. What is printed as lines is in
 * `$defs.line`: all that a stream prints, and what other commands print with `--events`.
 */
export function outputSchema(command: string, json: ResultSchema, hasEvents: boolean): OutputSchema {
  const error = failure.schema;
  const documents: Record<string, JsonSchema> = json.form === 'stream' ? { error } : { result: json.schema, error };
  const line = json.form === 'stream' ? streamLine(json.schema, error) : eventLine(json, error);
  const $defs = { ...documents, ...((hasEvents || json.form === 'stream') && { line }) };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${titles[json.form]} of gantry ${command}`,
    anyOf: Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs,
  };
}

const titles = {
  document: 'the document of --json, or a line of --events,',
  list: 'the document of --json',
  stream: 'each line of --json',
};

/** The last line has the type `result`, or it is an error. */
function streamLine(item: JsonSchema, error: JsonSchema): JsonSchema {
  const ends: JsonSchema = { properties: { type: { enum: ['result', 'error'] } }, required: ['type'] };
  const result: JsonSchema = { type: 'object', properties: { next: nextField }, additionalProperties: false };
  return { anyOf: [{ ...item, not: ends }, withType(result, 'result'), withType(error, 'error')] };
}

/** Events, and then the result or an error. */
function eventLine({ schema, events }: ResultSchema, error: JsonSchema): JsonSchema {
  const type: JsonSchema = { type: 'string', enum: eventTypes };
  const progress: JsonSchema = { type: 'object', properties: { type }, required: ['type'], description: 'progress' };
  const values = events ? [withType(events, 'event')] : [];
  return { anyOf: [withType(schema, 'result'), withType(error, 'error'), ...values, progress] };
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
