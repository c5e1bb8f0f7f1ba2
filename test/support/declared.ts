import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Command } from '../../src/command.ts';
import { commands } from '../../src/commands/index.ts';
import { exitCodes } from '../../src/errors.ts';
import { outputSchema } from '../../src/program/output-schema.ts';

interface Ended {
  code: number;
  stdout: string;
}

/** These pass on the exit code of a program that they ran. */
const programRunners = ['run', 'runs follow', 'emulator exec'];

/**
 * Throws if a command line ended otherwise than its command declares: with an exit code that it does not name, or with
 * JSON on stdout that does not match its schema. Every command line of the tests passes through here.
 */
export async function checkDeclared(words: readonly string[], ended: Ended): Promise<void> {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const line = commandOf(own);
  if (line === undefined || own.some((word) => word === '--help' || word === '-h' || word === 'help')) return;
  const command = await load(line);
  const codes = command.exits.map((name): number => exitCodes[name].code);
  if (!codes.includes(ended.code) && !programRunners.includes(line)) {
    throw new Error(`gantry ${words.join(' ')} ended with exit code ${ended.code}, which ${line} does not declare`);
  }
  // What --jq makes of a result has no schema; an error is not filtered.
  if (own.some((word) => word === '--jq' || word.startsWith('--jq=')) && ended.code === 0) return;
  if (ended.stdout === '' || !(own.includes('--json') || own.includes('--events'))) return;
  for (const value of parsed(ended.stdout)) check(line, command, value, own.includes('--events'));
}

function check(line: string, { json }: Command, value: unknown, isEvent: boolean): void {
  // Raw bytes. A command line that could not be parsed fails before its command is known.
  if (!json) return;
  const { document, typed } = validatorsOf(line, json);
  const isLine = json.form !== 'stream' && (isEvent || isTyped(value));
  const validate = isLine || (json.form === 'stream' && !isUntypedError(value)) ? typed : document;
  if (validate(value)) return;
  const shown = JSON.stringify(value).slice(0, 2_000);
  throw new Error(`the schema of ${line} does not allow ${shown}\n${JSON.stringify(validate.errors, null, 1)}`);
}

function isTyped(value: unknown): boolean {
  return ['event', 'result', 'error'].includes((Object(value) as { type?: string }).type ?? '');
}

function isUntypedError(value: unknown): boolean {
  return !isTyped(value) && 'error' in Object(value);
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
  if (!entry || 'load' in entry) return entry && name;
  const child = words.slice(at + 1).find((word) => Object.hasOwn(entry.commands, word));
  return child && `${name} ${child}`;
}

async function load(line: string): Promise<Command> {
  const [name = '', child = ''] = line.split(' ');
  const entry = Object.values(commands).find((entries) => Object.hasOwn(entries, name))?.[name];
  const leaf = entry && ('load' in entry ? entry : entry.commands[child]);
  if (!leaf) throw new Error(`no command ${line}`);
  return (await leaf.load()).default;
}

interface Validators {
  document: ValidateFunction;
  /** For lines that have a type. */
  typed: ValidateFunction;
}

const ajv = new Ajv2020({ strict: true, strictTypes: false });
const validators = new Map<string, Validators>();

function validatorsOf(line: string, json: NonNullable<Command['json']>): Validators {
  const made = validators.get(line) ?? compile(outputSchema(line, json, true));
  validators.set(line, made);
  return made;
}

function compile({ $schema, ...schema }: ReturnType<typeof outputSchema>): Validators {
  const { $defs } = schema;
  const documents = Object.keys($defs).filter((name) => name !== 'line');
  return {
    document: ajv.compile({ $defs, anyOf: documents.map((name) => ({ $ref: `#/$defs/${name}` })) }),
    typed: ajv.compile({ $defs, $ref: '#/$defs/line' }),
  };
}
