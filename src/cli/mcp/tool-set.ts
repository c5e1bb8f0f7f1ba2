import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { DeniedError, UsageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import type { Effect } from '../command.ts';
import { type CommandReference, outputSchemaOf } from '../reference.ts';
import { inputSchema, knownProperties } from './input.ts';
import { type AskedCommand, callableExamples } from './read-line.ts';
import { isSuitable, type ToolDefinition } from './tools.ts';

/** The tools that a client is offered, and what their calls ask for. */
export interface ToolSet {
  definitions: readonly ToolDefinition[];
  instructions: string;
  /** The tool that returns the rest of a long result. */
  pager: string;
  /** Throws UsageError for a call that cannot be understood, DeniedError for one that is not allowed. */
  read: (name: string, input: Input) => Asked | Promise<Asked>;
}

export type Input = Record<string, unknown>;

/** What a call asks for: a command, a text about commands, or a page of a result. */
export type Asked = AskedCommand | { text: string; form: 'document' | 'lines' } | { result: string; from: number };

/** What was decided when the server was started. */
export interface Started {
  allowed: readonly Effect[];
  /** The other flags of its command line, which a user types again. */
  flags: Readonly<Record<string, string | true | undefined>>;
}

/** A dry run only reads, unless it writes a file. */
export function checkAllowed(command: CommandReference, set: readonly string[], { allowed, flags }: Started): void {
  const { command: line, effect } = command;
  const isDryRun = set.includes('dry-run') && !written.some((name) => set.includes(name));
  if (allowed.includes(isDryRun ? 'reads' : effect)) return;
  const flag = effect === 'destroys' ? '--allow-destroy' : '--allow-changes';
  const hasDryRun = command.flags.some(({ flags }) => flags === '--dry-run');
  throw new DeniedError(`gantry ${line} is not allowed here`, {
    why: `this server was started without ${flag}${hasDryRun ? '; dry-run is allowed' : ''}`,
    fix: sentence`ask the user to start ${gantryCommand`mcp ${{ ...flags, [flag]: true }}`}`,
  });
}

export const shellOnly = 'not over MCP: run it in a shell';

const written = ['output', 'save-plan'];

export function askedPage({ result, from = 0 }: Input): Asked {
  const start = Number(from);
  if (Number.isInteger(start) && start >= 0) return { result: String(result), from: start };
  throw new UsageError('invalid property "from": expected a whole number from 0 up');
}

/** A command in full, but for what every command shares. `place` says how it is called. */
export async function describeInFull(command: CommandReference, place: object = {}): Promise<Asked> {
  const schema = command.output === null ? null : await outputSchemaOf(command.command);
  // That of an error is the same for all.
  return describeWith(command, { ...place, output: schema && (schema.$defs.result ?? schema.$defs.line?.anyOf?.[0]) });
}

/** Describes a command with the fields that it prints, which are shorter than their schema. */
export function describeShortly(command: CommandReference): Promise<Asked> {
  return describeWith(command, { ...(!isSuitable(command) && { place: shellOnly }), output: command.json });
}

async function describeWith(command: CommandReference, { output, ...place }: { output: unknown }): Promise<Asked> {
  const { usage, summary, details, effect, exitCodes } = command;
  const errors = exitCodes.map(({ name }) => name).filter((name) => name !== 'ok');
  const facts = { ...place, usage, summary, details, effect, input: inputSchema(knownProperties(command)), output };
  return { text: stringifyJson({ ...facts, errors, examples: await callableExamples(command) }), form: 'document' };
}

/** What holds for every call, in the words of the tool set. */
export const sharedInstructions =
  'An error has code, message, why and fix; "next" is the command that fixes it. Long work (deploy, run, invoke, logs with follow and a run or a build) takes a timeout; exit code 8 means that it continues remotely.';
