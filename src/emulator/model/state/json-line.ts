import { type GenericSchema, safeParse } from 'valibot';
import { tryParseJson } from '../../../kernel/json-text.ts';

/** Undefined if the line is not JSON of this shape. */
export function parseJsonLine<Output>(schema: GenericSchema<unknown, Output>, line: string): Output | undefined {
  const result = safeParse(schema, tryParseJson(line));
  return result.success ? result.output : undefined;
}
