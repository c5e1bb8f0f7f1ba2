import type { Command as Commander } from 'commander';
import type { Command, NextCommand } from '../command.ts';
import { type Environment, isCi, readVariable } from '../config/environment.ts';
import type { Context, GlobalFlags, InterruptNotice } from '../context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import type { KnownSecrets } from '../output/known-secrets.ts';
import { createPage, type Page } from '../output/page.ts';
import { withEventLines } from '../output/progress.ts';
import { RawOutput } from '../output/raw-output.ts';
import { checkFields, createRenderer, type JsonChoice, type Renderer } from '../output/render.ts';
import { PackedList } from '../packed-list.ts';
import type { Io } from '../process.ts';
import { fieldsOf, isOpen, takesNext } from '../result-schema.ts';
import { createContext } from './create-context.ts';
import { DryRunEnd, dryRunView, markDryRun } from './dry-run.ts';

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
  const { signal, interruption, secrets } = state;
  const json = parseJsonFlag(flags.json ?? (flags.jq === undefined ? undefined : ''));
  const fields = command.json ? Object.keys(fieldsOf(command.json)) : [];
  if (Array.isArray(json) && command.json && !isOpen(command.json)) checkFields(json, fields);
  state.isJsonLines = json !== false && command.json?.form === 'stream';
  const options = inputs.at(-1) as { events?: boolean; follow?: boolean };
  const filter = flags.jq === undefined ? undefined : await (await import('../output/jq.ts')).compileJq(flags.jq);
  const context = createContext(io, flags, signal, interruption, secrets);
  state.cwd = context.cwd;
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
  try {
    const code = await runAndShow(command, context, renderer, { inputs, state, json });
    context.progress.finish();
    return code;
  } finally {
    await renderer.end();
    for (const warning of context.unread.warnings()) context.progress.warn(warning);
  }
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

function parseJsonFlag(flag: string | undefined): JsonChoice {
  if (flag === undefined) return false;
  return flag === '' ? true : flag.split(',').map((field) => field.trim());
}

async function runAndShow(
  command: Command,
  context: Context,
  renderer: Renderer,
  { inputs, state, json }: { inputs: unknown[]; state: RunState; json: JsonChoice },
): Promise<number> {
  const options = inputs.at(-1) as { events?: boolean; dryRun?: true };
  const value = await runToEnd(command, context, inputs);
  if (value instanceof DryRunEnd) {
    const result = markDryRun(value.result);
    await renderer.value(
      json === false ? result : await withUsualNext(result, command, state, inputs),
      dryRunView(value),
    );
    return exitCodes.ok.code;
  }
  const exit = command.exit(value, options);
  if (isEmptyList(value) && command.empty) context.progress.note(command.empty);
  const next = value instanceof RawOutput || isStream(value) ? [] : command.next(value, options, inputs);
  const finish = (document: unknown) =>
    next.length > 0 ? withNext(document, next, state) : withUsualNext(document, command, state, inputs);
  if (options.events) await showEvents(value, renderer, finish);
  else if (value instanceof RawOutput) await showRaw(value, renderer, json, finish);
  else if (value !== undefined) {
    state.isJsonLines ||= json !== false && isStream(value);
    const result = await show(value, command, options, renderer, json === false ? undefined : finish);
    const [first] = next;
    if (first) {
      // What is held back for a pager comes before it.
      await renderer.end();
      context.progress.note(({ style }) => style.dim(`${first.when}: ${first.line}`));
    }
    const last = Array.isArray(json) ? result : await finish(result ?? {});
    if (state.isJsonLines) await renderer.line({ type: 'result', ...(last as object) });
  }
  return typeof exit === 'number' ? exit : exitCodes[exit].code;
}

/** Returns the result, or where a dry run ended. */
async function runToEnd(command: Command, context: Context, inputs: unknown[]): Promise<unknown> {
  try {
    const value = await command.run(context, ...inputs);
    return value;
  } catch (error) {
    if (error instanceof DryRunEnd) return error;
    throw error;
  }
}

/** Adds the commands that usually follow. */
type Finish = (document: unknown) => unknown;

/** Prints each yielded value as an event, and the returned value as the result. */
async function showEvents(value: unknown, renderer: Renderer, finish: Finish): Promise<void> {
  const result = isStream(value)
    ? await forEachValue(value, (event) => renderer.line({ type: 'event', ...(event as object) }))
    : value instanceof RawOutput
      ? await value.options.jsonValue?.()
      : value;
  await renderer.line({ type: 'result', ...((await finish(result)) as object) });
}

/** Shows each value of an iterable and returns what the iterable returns, which `for await` discards. */
async function forEachValue(values: AsyncIterable<unknown>, showOne: (value: unknown) => Promise<void>) {
  let returned: unknown;
  const keepReturned = async function* () {
    returned = yield* values;
  };
  for await (const value of keepReturned()) await showOne(value);
  return returned;
}

/** Returns the result of a stream, undefined for one value. */
async function show(
  value: unknown,
  command: Command,
  options: { dryRun?: true },
  renderer: Renderer,
  finish: Finish | undefined,
) {
  const { data, view, raw, json } = command;
  const isRaw = raw(options);
  if (isStream(value)) {
    // A command whose result is a document may stream events before it.
    const toLine = json?.form === 'stream' ? data : (item: unknown) => ({ type: 'event', ...(data(item) as object) });
    return forEachValue(value, (item) => renderer.item(toLine(item), view(item, options), isRaw));
  }
  // A dry run that found nothing to change.
  const document = command.dryRun && options.dryRun ? markDryRun(data(value)) : data(value);
  await renderer.value(finish ? await finish(document) : document, view(value, options), isRaw);
  return undefined;
}

async function withNext(document: unknown, next: readonly NextCommand[], { argv }: RunState): Promise<unknown> {
  const { inSamePlace } = await import('./next-commands.ts');
  return { ...(document as object), next: next.map(({ line, when }) => inSamePlace({ argv: line.argv, when }, argv)) };
}

/** A list has no place for more than its entries, and what the platform sent as it is gets nothing of ours. */
async function withUsualNext(
  document: unknown,
  { json }: Command,
  { called, argv }: RunState,
  inputs: readonly unknown[],
): Promise<unknown> {
  if (!called || !json || !takesNext(json) || !document || Array.isArray(document)) return document;
  const { usualNextOf } = await import('./next-commands.ts');
  const next = usualNextOf(called, inputs, document, argv);
  return next.length === 0 ? document : { ...document, next };
}

async function showRaw(
  { writeTo, options }: RawOutput<unknown>,
  renderer: Renderer,
  json: JsonChoice,
  finish: Finish,
): Promise<void> {
  const {
    jsonValue,
    untrusted,
    isJson = false,
    terminalFix = 'redirect to a file, or pass --raw',
    cancel,
    onWritten,
  } = options;
  const { page } = renderer;
  if (json !== false) {
    if (jsonValue) return renderer.value(await finish(await jsonValue()), () => '');
    throw new UsageError('--json is not supported here', { why: 'the output is raw bytes' });
  }
  if (untrusted === 'bytes' && page.terminal) {
    await cancel?.();
    throw new UsageError('the output is binary and cannot be shown on a terminal', { fix: terminalFix });
  }
  if (untrusted === 'text' && (page.terminal || page.githubActions))
    await showUntrustedText(writeTo, renderer, isJson && page.terminal);
  else await writeTo((bytes) => renderer.bytes(bytes));
  onWritten?.();
}

/** Sanitizes chunk by chunk. On a terminal, ends with a newline, so that the prompt starts on its own line. */
async function showUntrustedText(
  writeTo: RawOutput<unknown>['writeTo'],
  { page, text }: Renderer,
  indents: boolean,
): Promise<void> {
  const { createStreamSanitizer } = await import('../output/sanitize-stream.ts');
  const sanitizer = createStreamSanitizer(page);
  let last = '\n';
  const write = async (sanitized: string) => {
    if (sanitized === '') return;
    await text(sanitized);
    last = sanitized.slice(-1);
  };
  const push = (bytes: Uint8Array) => write(sanitizer.push(bytes));
  try {
    await (indents ? writeIndented(writeTo, push) : writeTo(push));
  } finally {
    await write(sanitizer.end());
    if (page.terminal && last !== '\n') await text('\n');
  }
}

function isEmptyList(value: unknown): boolean {
  return (Array.isArray(value) || value instanceof PackedList) && value.length === 0;
}

/** JSON that is too long to be read is written as it comes. */
async function writeIndented(writeTo: RawOutput<unknown>['writeTo'], write: (bytes: Uint8Array) => Promise<void>) {
  const { indentJson } = await import('../output/indent-json.ts');
  let held: Uint8Array | undefined = Buffer.alloc(0);
  try {
    await writeTo(async (bytes) => {
      if (!held) return write(bytes);
      held = Buffer.concat([held, bytes]);
      if (held.length <= maxIndentedBytes) return;
      const start = held;
      held = undefined;
      await write(start);
    });
  } finally {
    if (held) await write(Buffer.from(indentJson(String(held))));
  }
}

const maxIndentedBytes = 100_000;

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
