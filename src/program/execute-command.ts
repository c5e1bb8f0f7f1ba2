import type { Command as Commander } from 'commander';
import type { Command, NextCommand, PlacedArgument, TypedLine } from '../command.ts';
import { CommandLine } from '../command-line.ts';
import { type Environment, isCi, readVariable } from '../config/environment.ts';
import type { Context, GlobalFlags, InterruptNotice } from '../context.ts';
import { exitCodes, NotFoundError } from '../errors.ts';
import type { JqFilter } from '../output/jq.ts';
import type { KnownSecrets } from '../output/known-secrets.ts';
import { createPage, type Page } from '../output/page.ts';
import { withEventLines } from '../output/progress.ts';
import { RawOutput } from '../output/raw-output.ts';
import { checkFields, createRenderer, type JsonChoice, type Renderer, StdoutError } from '../output/render.ts';
import { PackedList } from '../packed-list.ts';
import type { Io } from '../process.ts';
import { fieldsOf, isOpen, takesNext } from '../result-schema.ts';
import { approveTarget } from './approve-target.ts';
import { createContext } from './create-context.ts';
import { DryRunEnd, dryRunView, markDryRun } from './dry-run.ts';
import { findLocalTarget } from './local-target.ts';
import { showRaw } from './show-raw.ts';
import { type Finish, isStream, showEvents, showValue } from './show-result.ts';

/** What `main` and the running command share. */
export interface RunState {
  signal: AbortSignal;
  interruption: InterruptNotice;
  /** Prints what happens after Ctrl-C, once a command runs. */
  announce?: (text: string) => void;
  /** Values to redact. */
  secrets: KnownSecrets;
  /** The command line, in gantry's words if it was that of another client, and then a warning about it. */
  argv: string[];
  warning?: string | undefined;
  /** The command as the parser knows it, once it has started. */
  called?: Commander;
  /** The flags that answer what a dry run would have asked. */
  unasked?: readonly string[];
  /** The folder that the command works in. */
  cwd?: string;
  /** Set while the result is printed as JSON lines: a failure is then one line, too. */
  isJsonLines?: boolean;
}

/** Runs a command and shows its result. Returns the exit code. */
export async function executeCommand(
  command: Command,
  flags: GlobalFlags,
  inputs: unknown[],
  io: Io,
  state: RunState,
): Promise<number> {
  const json = parseJsonFlag(flags.json ?? (flags.jq === undefined ? undefined : ''));
  const fields = command.json ? Object.keys(fieldsOf(command.json)) : [];
  if (Array.isArray(json) && command.json && !isOpen(command.json)) checkFields(json, fields);
  state.isJsonLines = json !== false && command.json?.form === 'stream';
  const filter = await loadFilter(flags, inputs, state);
  try {
    return await executeFiltered(command, { flags, inputs, json, fields, filter }, io, state);
  } finally {
    await filter?.close();
  }
}

async function loadFilter({ jq }: GlobalFlags, inputs: unknown[], { signal }: RunState) {
  if (jq === undefined) return undefined;
  const { compileJq } = await import('../output/jq.ts');
  const { timeout } = inputs.at(-1) as { timeout?: number };
  return compileJq(jq, { signal, timeoutMs: timeout });
}

interface Call {
  flags: GlobalFlags;
  inputs: unknown[];
  json: JsonChoice;
  /** The declared ones of the result. */
  fields: string[];
  filter: JqFilter | undefined;
}

async function executeFiltered(
  command: Command,
  { flags, inputs, json, fields, filter }: Call,
  given: Io,
  state: RunState,
): Promise<number> {
  const { signal, interruption, secrets } = state;
  const options = inputs.at(-1) as { events?: boolean; follow?: boolean };
  const local = await findLocalTarget(command, flags, given, signal);
  // Inherits from the original: copying it would open its streams.
  const io: Io = local ? Object.create(given, { env: { value: { ...given.env, ...local.variables } } }) : given;
  const context = createContext(io, flags, signal, interruption, secrets, local);
  state.cwd = context.cwd;
  state.unasked = context.prompt.unasked;
  const page = createPage(io.stdout, io.env, flags.color, io.now(), secrets);
  const renderer = createRenderer(io.stdout, page, json, {
    declared: fields,
    verbatim: command.verbatim(options),
    filter,
    pager:
      json === false && mayPage(command, flags, options, page, io.env) ? await loadPager(io, interruption) : undefined,
  });
  state.announce = context.progress.request;
  if (state.warning) context.progress.warn(state.warning);
  // Events are redacted even if the command's result is verbatim.
  const events = createRenderer(io.stdout, page, json, { filter });
  // EPIPE surfaces when the result is written.
  if (options.events || state.isJsonLines)
    context.progress = withEventLines(context.progress, (event) => events.line(event).catch(() => {}));
  const placed = placedArgument(state);
  try {
    const placedInputs = placed ? await placed.argument.resolve(context, inputs, placed.line) : inputs;
    const resolved = await withAppHere(command, context, placedInputs);
    const code = await runAndShow(command, context, renderer, { inputs: resolved, state, json }).catch(
      async (error: unknown) => {
        if (!(placed && error instanceof NotFoundError)) throw error;
        throw await placed.argument.explain(context, error, resolved, inputs, placed.line);
      },
    );
    context.progress.finish();
    return code;
  } finally {
    await renderer.end();
    for (const work of context.atEnd) if (!context.signal.aborted) await work(context);
    for (const warning of context.unread.warnings()) context.progress.warn(warning);
  }
}

/** `--app .` is the app of this folder, as `.` is where the app is an argument. */
async function withAppHere({ effect }: Command, context: Context, inputs: unknown[]): Promise<unknown[]> {
  if ((inputs.at(-1) as { app?: unknown }).app !== '.') return inputs;
  const { readNamedAppHere } = await import('../operations/apps/index.ts');
  const app = await readNamedAppHere(context, effect === 'destroys');
  return [...inputs.slice(0, -1), { ...(inputs.at(-1) as object), app }];
}

/** The first argument, if its value depends on where the command runs, and what it needs of the command line. */
function placedArgument({ called, argv }: RunState): { argument: PlacedArgument; line: TypedLine } | undefined {
  const parser = called?.registeredArguments[0]?.parseArg as Partial<PlacedArgument> | undefined;
  if (!called || !parser?.resolve) return undefined;
  const withApp: TypedLine['withApp'] = async (app, word) =>
    (await import('./typed-command.ts')).withOperand(argv, app, word);
  return { argument: parser as PlacedArgument, line: { command: called, withApp } };
}

/** Where nobody asks for more than to read: what a command has changed must not wait for a key, nor what it waits for. */
function mayPage(
  { effect }: Command,
  { pager }: GlobalFlags,
  { follow }: { follow?: boolean },
  { terminal }: Page,
  env: Environment,
): boolean {
  return effect === 'reads' && pager && !follow && terminal && readVariable(env, 'TERM') !== 'dumb' && !isCi(env);
}

async function loadPager(io: Io, interruption: InterruptNotice) {
  const { createPagedOutput } = await import('../output/pager.ts');
  const start: Io['startPager'] = (pager) => {
    // Ctrl-C is for the pager.
    interruption.message = '';
    return io.startPager(pager);
  };
  return (write: (text: string) => Promise<void>) =>
    createPagedOutput({ stdout: io.stdout, env: io.env, start, write });
}

/** What `--json` asks for, by its value. */
export function parseJsonFlag(flag: string | undefined): JsonChoice {
  if (flag === undefined) return false;
  return flag === '' ? true : flag.split(',').map((field) => field.trim());
}

async function runAndShow(
  command: Command,
  context: Context,
  renderer: Renderer,
  run: { inputs: unknown[]; state: RunState; json: JsonChoice },
): Promise<number> {
  const value = await runToEnd(command, context, run.inputs, run.state);
  try {
    return await showOutcome(command, context, renderer, run, value);
  } catch (error) {
    if (!(error instanceof StdoutError) || value instanceof DryRunEnd || command.onlyReads(...run.inputs)) throw error;
    throw (await import('./unprinted-result.ts')).unprintedResult(error, value, command);
  }
}

async function showOutcome(
  command: Command,
  context: Context,
  renderer: Renderer,
  { inputs, state, json }: { inputs: unknown[]; state: RunState; json: JsonChoice },
  value: unknown,
): Promise<number> {
  const options = inputs.at(-1) as { events?: boolean; dryRun?: true };
  if (value instanceof DryRunEnd) {
    const result = markDryRun(value.result);
    const usual = (document: unknown) => withUsualNext(document, command, state, inputs);
    if (options.events) await showEvents(result, { data: (document) => document }, renderer, usual);
    else await renderer.value(json === false ? result : await usual(result), dryRunView(value));
    return exitCodes.ok.code;
  }
  const exit = command.exit(value, options);
  if (isEmptyList(value) && command.empty && context.unread.isEmpty) context.progress.note(command.empty);
  const next = value instanceof RawOutput || isStream(value) ? [] : command.next(value, options, inputs);
  const finish: Finish = (document) =>
    next.length > 0 ? withNext(document, next, state) : withUsualNext(document, command, state, inputs);
  if (options.events) await showEvents(value, command, renderer, finish);
  else if (value instanceof RawOutput) await showRaw(value, renderer, json, finish);
  else if (value !== undefined) {
    state.isJsonLines ||= json !== false && isStream(value);
    const result = await showValue(value, command, options, renderer, json === false ? undefined : finish);
    const [first] = next;
    if (first) {
      // What is held back for a pager comes before it.
      await renderer.end();
      const { inSamePlace } = await import('./next-commands.ts');
      const { argv } = inSamePlace({ argv: first.line.argv, when: first.when }, state.argv);
      context.progress.note(({ style }) => style.dim(`${first.when}: ${new CommandLine(argv)}`));
    }
    const last = Array.isArray(json) ? result : await finish(result ?? {});
    if (state.isJsonLines) await renderer.line({ type: 'result', ...(last as object) });
  }
  return typeof exit === 'number' ? exit : exitCodes[exit].code;
}

/** Returns the result, or where a dry run ended. */
async function runToEnd(command: Command, context: Context, inputs: unknown[], { argv }: RunState): Promise<unknown> {
  try {
    await approveTarget(command, context, inputs, argv);
    const value = await command.run(context, ...inputs);
    return value;
  } catch (error) {
    if (error instanceof DryRunEnd) return error;
    throw error;
  }
}

async function withNext(document: unknown, next: readonly NextCommand[], { argv }: RunState): Promise<unknown> {
  const { inSamePlace } = await import('./next-commands.ts');
  return { ...(document as object), next: next.map(({ line, when }) => inSamePlace({ argv: line.argv, when }, argv)) };
}

/** A list has no place for more than its entries, and what the platform sent as it is gets nothing of ours. */
async function withUsualNext(
  document: unknown,
  { json }: Command,
  { called, argv, unasked = [] }: RunState,
  inputs: readonly unknown[],
): Promise<unknown> {
  if (!called || !json || !takesNext(json) || !document || Array.isArray(document)) return document;
  const { usualNextOf } = await import('./next-commands.ts');
  const next = usualNextOf(called, inputs, document, argv, unasked);
  return next.length === 0 ? document : { ...document, next };
}

function isEmptyList(value: unknown): boolean {
  return (Array.isArray(value) || value instanceof PackedList) && value.length === 0;
}
