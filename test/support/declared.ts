import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { commands } from '../../src/cli/commands/index.ts';
import { type OutputSchema, outputSchemaOf } from '../../src/cli/reference.ts';
import type { JsonSchema } from '../../src/cli/result-schema.ts';
import { exitCodes } from '../../src/kernel/errors.ts';
import { loadCommand } from './commands.ts';

interface Ended {
  code: number;
  stdout: string;
}

/** These pass on the exit code of a program that they ran. */
const programRunners = ['run', 'emulator exec'];

/**
 * Throws if a command line ended otherwise than its command declares: with an exit code that it does not name, or with
 * JSON on stdout that does not match what `gantry help COMMAND --schema` prints, in the form that the flags ask for.
 * Every command line of the tests passes through here.
 */
export async function checkDeclared(words: readonly string[], ended: Ended): Promise<void> {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const line = isHelp(own) ? 'help' : commandOf(own);
  if (line === undefined) return;
  const command = await loadCommand(line);
  const codes = command.exits.map((name): number => exitCodes[name].code);
  if (!codes.includes(ended.code) && !programRunners.includes(line)) {
    throw new Error(`gantry ${words.join(' ')} ended with exit code ${ended.code}, which ${line} does not declare`);
  }
  // What --jq makes of a result has no schema; an error is not filtered.
  if (own.some((word) => word === '--jq' || word.startsWith('--jq=')) && ended.code === 0) return;
  const form = formOf(own);
  // Raw bytes. A command line that could not be parsed fails before its command is known.
  if (ended.stdout === '' || !form || !command.json) return;
  for (const value of parsed(ended.stdout)) await check(line, form, value);
}

function isHelp(words: readonly string[]): boolean {
  return words.some((word) => word === '--help' || word === '-h') || words[0] === 'help';
}

/** What the flags ask for: lines, a document, or only these fields of it. */
type Form = 'lines' | 'document' | readonly string[];

function formOf(words: readonly string[]): Form | undefined {
  if (words.includes('--events')) return 'lines';
  const json = words.findLast((word) => word === '--json' || word.startsWith('--json='));
  const fields = json?.split('=')[1];
  return fields ? fields.split(',').map((field) => field.trim()) : json === undefined ? undefined : 'document';
}

async function check(line: string, form: Form, value: unknown): Promise<void> {
  const definition = definitionOf(form, value);
  const validate = await validatorOf(line, definition, typeof form === 'string' ? undefined : form);
  if (validate(value)) return;
  const shown = JSON.stringify(value).slice(0, 2_000);
  throw new Error(
    `the schema of ${line} (${definition}) does not allow ${shown}\n${JSON.stringify(validate.errors, null, 1)}`,
  );
}

/** A stream prints lines, and so does a command whose result turns out to be one. It fails before the first by a document. */
function definitionOf(form: Form, value: unknown): Definition {
  const { type, error } = Object(value) as { type?: unknown; error?: unknown };
  if (form === 'lines' || ['event', 'result', 'error'].includes(String(type))) return 'line';
  return (error as { exitCode?: unknown } | undefined)?.exitCode === undefined ? 'result' : 'error';
}

/** The documents on stdout: one, or one on each line. */
function parsed(stdout: string): unknown[] {
  try {
    return [JSON.parse(stdout)];
  } catch {
    const lines = stdout.split('\n').filter(Boolean);
    // A command that was stopped may have printed a part of its last line.
    return lines.flatMap((line, index) => parseLine(line, index === lines.length - 1 && !stdout.endsWith('\n')));
  }
}

function parseLine(line: string, mayBeCut: boolean): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch (error) {
    if (mayBeCut) return [];
    throw new Error(`stdout with --json has a line that is not JSON: ${line.slice(0, 500)}`, { cause: error });
  }
}

/** The command that is called, `apps list`; undefined if there is none. */
function commandOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => Object.values(commands).some((entries) => Object.hasOwn(entries, word)));
  const name = words[at];
  if (name === undefined) return undefined;
  const entry = Object.values(commands).find((entries) => Object.hasOwn(entries, name))?.[name];
  if (!entry) return undefined;
  const child = words.slice(at + 1).find((word) => entry.commands && Object.hasOwn(entry.commands, word));
  return child === undefined ? ('load' in entry ? name : undefined) : `${name} ${child}`;
}

type Definition = 'result' | 'error' | 'line';

// Most validators are used once or twice: making them smaller takes longer than they run.
const ajv = new Ajv2020({ strict: true, strictTypes: false, code: { optimize: false } });
const validators = new Map<string, ValidateFunction>();

async function validatorOf(
  line: string,
  definition: Definition,
  fields?: readonly string[],
): Promise<ValidateFunction> {
  const key = [line, definition, ...(fields ?? [])].join();
  const validate = validators.get(key) ?? compile(await outputSchemaOf(line), definition, fields);
  validators.set(key, validate);
  return validate;
}

function compile({ $defs }: OutputSchema, definition: Definition, fields?: readonly string[]): ValidateFunction {
  // Each value of a stream is a line.
  const whole = { $ref: `#/$defs/${definition === 'result' && !$defs.result ? 'line' : definition}` };
  const results = [$defs.result, $defs.line].filter((schema) => schema !== undefined);
  const isPicked = fields !== undefined && definition !== 'error';
  if (!isPicked) return ajv.compile({ $defs, ...whole });
  // Only values are picked from: the last line of a stream is whole.
  return ajv.compile({ $defs, anyOf: [pickedFrom(results, fields), ...(definition === 'line' ? [whole] : [])] });
}

/** What `--json=fields` makes of a result: these fields, null where it has none; of a list, those of each entry. */
function pickedFrom(results: readonly JsonSchema[], fields: readonly string[]): JsonSchema {
  const variants = results.flatMap(variantsOf);
  const declared = (name: string) => variants.flatMap(({ properties = {} }) => properties[name] ?? []);
  // What the platform sent may have fields that are not declared.
  const fieldOf = (name: string) =>
    declared(name).length === 0 ? {} : { anyOf: [...declared(name), { type: 'null' }] };
  const properties = Object.fromEntries(fields.map((name) => [name, fieldOf(name)]));
  const entry: JsonSchema = { type: 'object', properties, required: fields, additionalProperties: false };
  const entries: JsonSchema = { type: 'array', items: entry };
  const [{ type } = {}] = results;
  if (type === 'array') return entries;
  return type === 'object' ? entry : { anyOf: [entry, entries] };
}

function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  if (schema.items) return variantsOf(schema.items);
  return schema.anyOf?.flatMap(variantsOf) ?? [schema];
}
